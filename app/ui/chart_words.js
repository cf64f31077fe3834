// Notes and titles of axes that have no room: a figure is made before anybody knows how wide its
// place is. They go on several lines, and what then still reaches beyond the edge moves in.
// Python's own layout stays as it is.

const AIR = 8; // pixels between two of them
const LEAST_ROOM = 40; // pixels: of less, lines would be single letters
const LEAST_SHARE = 0.3; // of a text's own width: on narrower lines it would be a stack of words
const LEAST_TYPE = 10;
const NUMBER = /^[\d.,\s−%+×]*$/;
const LINE = 1.3; // of the size of their type: from a line to the next
const CLOSEST = 0.85; // of the size of their type: how close lines of text may stand
const ruler = document.createElement("canvas").getContext("2d");

// Each as it is drawn: its box, the corner that is held, its words.
function wordsOf(place) {
  const { annotations = [], ...full } = place._fullLayout;
  const notes = annotations.flatMap((each, at) => {
    const node = place.querySelector(`.annotation[data-index="${at}"] .annotation-text`);
    const level = !each.showarrow && !each.textangle && each.visible !== false;
    return node && level
      ? [{ at, node, anchor: each.xanchor, font: each.font, text: each.text }]
      : [];
  });
  const titles = Object.keys(full)
    .filter((name) => /^xaxis\d*$/.test(name))
    .flatMap((name) => {
      const node = place.querySelector(`.${name.replace("axis", "")}title`);
      const { text, font } = full[name].title ?? {};
      return node && text ? [{ name, node, anchor: "center", font, text }] : [];
    });
  return [...notes, ...titles]
    .map((each) => ({ ...each, box: each.node.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0);
}

const besides = (one, all) =>
  all.filter(
    (other) =>
      other !== one &&
      Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top) >
        one.box.height / 3,
  );
const meet = (one, other) =>
  Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left) > 1;
const middle = ({ box }) => (box.left + box.right) / 2;

// How wide one may be, between the edges of the chart and what stands beside it.
function roomOf(one, all, edge) {
  const others = besides(one, all);
  const share = (other) => one.box.width / (one.box.width + other.box.width);
  const gap = (other) => {
    if (one.anchor === "center" || other.anchor === "center")
      return Math.abs(middle(one) - middle(other)) - AIR;
    if (one.anchor === other.anchor) return Math.abs(one.box.left - other.box.left) - AIR;
    return (
      (Math.min(edge.right, Math.max(one.box.right, other.box.right)) -
        Math.max(edge.left, Math.min(one.box.left, other.box.left)) -
        AIR) *
      share(other)
    );
  };
  const aside =
    { left: edge.right - one.box.left, right: one.box.right - edge.left }[one.anchor] ??
    2 * Math.min(middle(one) - edge.left, edge.right - middle(one));
  // What is held at nearly the same place stands above or below: lines do not part them.
  return Math.min(
    aside,
    ...others
      .filter((other) => meet(one, other))
      .map(gap)
      .filter((room) => room > LEAST_ROOM),
  );
}

// A text of Plotly on lines of so many pixels; Chinese breaks anywhere, all else between words.
function onLines(text, room, { family, size }) {
  ruler.font = `600 ${size}px ${family}`;
  const parts = text.split(/(<[^>]+>|\s+|[\u2e80-\u9fff\uff00-\uffef])/).filter(Boolean);
  let lines = "",
    wide = 0;
  for (const part of parts) {
    const tag = part.startsWith("<");
    const width = tag ? 0 : ruler.measureText(part.replace(/&\w+;/g, "x")).width;
    if (/^<br/.test(part)) wide = 0;
    else if (wide > 0 && wide + width > room && !/^[，。、；：！？）”]$/.test(part))
      [lines, wide] = [`${lines.trimEnd()}<br>`, 0];
    if (wide > 0 || part.trim()) [lines, wide] = [lines + part, wide + width];
  }
  return lines;
}

// The names of rows that reach beyond the edge in smaller type: by axis, its type in pixels.
function smallerRows(place, edge) {
  const axes = Object.entries(place._fullLayout).filter(
    ([name, axis]) => /^yaxis\d*$/.test(name) && axis.tickfont,
  );
  return axes.flatMap(([name, { tickfont }]) => {
    const boxes = [...place.querySelectorAll(`.${name.replace("axis", "")}tick text`)].map((each) =>
      each.getBoundingClientRect(),
    );
    const shares = boxes.map(
      (box) => 1 - Math.max(edge.left - box.left, box.right - edge.right, 0) / box.width,
    );
    const size = Math.max(LEAST_TYPE - 1, Math.floor(tickfont.size * Math.min(1, ...shares)));
    return size < tickfont.size - 0.5 && Math.min(...shares) < 0.99 ? [[name, size]] : [];
  });
}

// The names of rows that stand closer than lines of text: in smaller type, and where that is not
// enough as many as have room, those in bold first. By axis, what of it is other than it was.
function sparserRows(place, layout) {
  return Object.entries(place._fullLayout).flatMap(([name, axis]) => {
    const { tickvals, ticktext } = layout[name] ?? {};
    if (!/^yaxis\d*$/.test(name) || axis.showticklabels === false || !(tickvals?.length > 1))
      return [];
    const pitch = axis._length / Math.abs(axis.range[1] - axis.range[0]);
    const room = pitch * Math.min(...tickvals.slice(1).map((at, i) => Math.abs(at - tickvals[i])));
    // In front of a hall type has the size that its last row reads.
    const least = window.top === window ? LEAST_TYPE : axis.tickfont.size;
    const size = Math.max(least, Math.min(axis.tickfont.size, Math.floor(room / CLOSEST)));
    if (room >= CLOSEST * axis.tickfont.size) return [];
    const apart = (CLOSEST * size) / pitch - 0.01;
    const kept = new Set(ticktext.flatMap((text, i) => (text.includes("<b>") ? [i] : [])));
    const near = (i) => [...kept].some((at) => Math.abs(tickvals[at] - tickvals[i]) < apart);
    tickvals.forEach((_, i) => near(i) || kept.add(i));
    const only = (all) => all.filter((_, i) => kept.has(i));
    const tickfont = { ...layout[name].tickfont, size };
    return [[name, { tickvals: only(tickvals), ticktext: only(ticktext), tickfont }]];
  });
}

// The numbers below columns that would touch: as many as have room, those in bold first, then the
// ends; what lies between can be told from them. By axis, what of it is other than it was.
function sparserColumns(place, layout) {
  return Object.entries(place._fullLayout).flatMap(([name, axis]) => {
    const { tickvals, ticktext = tickvals?.map(String) } = layout[name] ?? {};
    if (!/^xaxis\d*$/.test(name) || axis.showticklabels === false || !(ticktext?.length > 2))
      return [];
    const words = ticktext.map((text) => text.replace(/<[^>]+>/g, ""));
    if (!words.every((word) => NUMBER.test(word))) return [];
    ruler.font = `${axis.tickfont.size}px ${axis.tickfont.family}`;
    const half = words.map((word) => ruler.measureText(word).width / 2 + 1);
    const far = (i, k) => Math.abs(axis.c2p(tickvals[i]) - axis.c2p(tickvals[k]));
    const bold = words.flatMap((_, i) => (ticktext[i].includes("<b>") ? [i] : []));
    const kept = new Set();
    for (const i of [...bold, 0, words.length - 1, ...words.keys()])
      if (words[i] && [...kept].every((k) => k === i || far(i, k) > half[i] + half[k])) kept.add(i);
    if (words.every((word, i) => !word || kept.has(i))) return [];
    const sparser = ticktext.map((text, i) => (kept.has(i) ? text : ""));
    return [[name, { ticktext: sparser, tickangle: 0 }]];
  });
}

// What of the layout is other than it was, so that all words have room; null where they have.
function wordsWithRoom(place, layout) {
  // the place may be smaller
  const edge = place.querySelector(".svg-container").getBoundingClientRect();
  const all = wordsOf(place);
  const notes = (layout.annotations ?? []).map((each) => ({ ...each }));
  const found = {};
  const { yref, y } = place._fullLayout.legend ?? {};
  const legend = yref === "container" && y === 1 && place.querySelector(".legend .bg");
  const named = legend && { box: legend.getBoundingClientRect() };
  let above = 0,
    below = 0;
  for (const one of all) {
    const { box, text, at, name } = one;
    const beyond = Math.max(edge.left - box.left, box.right - edge.right, 0);
    above = Math.max(above, edge.top - box.top);
    if (named && meet(named, one)) above = Math.max(above, named.box.bottom - box.top);
    below = Math.max(below, box.bottom - edge.bottom);
    if (beyond <= 1 && !besides(one, all).some((other) => meet(one, other))) continue;
    const room = Math.max(roomOf(one, all, edge), LEAST_ROOM);
    if (room < LEAST_SHARE * box.width) continue;
    const lines = room < box.width ? onLines(text, room, one.font) : text;
    const font = {
      ...one.font,
      size:
        lines.split("<br>").length > 2 ? Math.max(LEAST_TYPE, one.font.size * 0.8) : one.font.size,
    };
    const fitted = font.size < one.font.size ? onLines(text, room, font) : lines;
    const other = fitted !== text || font.size < one.font.size;
    if (other && name && !place._fullLayout[name].automargin)
      below = Math.max(below, (fitted.split("<br>").length - 1) * LINE * font.size);
    if (other && name)
      found[name] = { ...layout[name], title: { ...layout[name].title, text: fitted, font } };
    else if (other) Object.assign(notes[at], { text: fitted, font, align: one.anchor });
    else if (beyond > 1 && !name)
      notes[at].xshift = (notes[at].xshift ?? 0) + (box.left < edge.left ? beyond : -beyond);
    else continue;
    found.annotations = notes;
  }
  for (const [name, size] of smallerRows(place, edge))
    found[name] = { ...layout[name], tickfont: { ...layout[name]?.tickfont, size } };
  for (const [name, axis] of [...sparserRows(place, layout), ...sparserColumns(place, layout)])
    found[name] = { ...layout[name], ...found[name], ...axis };
  const { t = 0, b = 0 } = layout.margin ?? {};
  if (above > 1 || below > 1) found.margin = { ...layout.margin, t: t + above, b: b + below };
  return Object.keys(found).length ? found : null;
}

// Draws a chart, and again where its words had no room; of the same words it knows what they need.
async function drawWithRoom(Plotly, chart, layout) {
  const axes = Object.keys(layout)
    .filter((name) => /^[xy]axis/.test(name))
    .map((name) => [layout[name].title, layout[name].ticktext]);
  const asked = JSON.stringify([layout.width, layout.height, layout.annotations, axes]);
  const known = chart.room?.asked === asked;
  if (!known) chart.room = { asked, found: {} };
  const draw = () =>
    Plotly.react(
      chart.place,
      chart.data.figure.data,
      steadied(chart, { ...layout, ...chart.room.found }),
      chart.config,
    );
  await draw();
  for (let turn = 0; turn < 3 && !known; turn += 1) {
    const more = wordsWithRoom(chart.place, { ...layout, ...chart.room.found });
    if (!more) return;
    Object.assign(chart.room.found, more);
    await draw();
  }
}
