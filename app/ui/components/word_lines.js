// Words in two columns and the attention between them. Hover is answered here; a click also goes
// to Python. Rows are as high as the panel allows, so neither column leaves a hole; where even the
// least height does not fit, both columns have it, from the top, and the panel scrolls.

const WIDEST = 9; // pixels of a line of weight 1; the legend's three strokes follow it
const EYE = "M2 12c5-8 15-8 20 0-5 8-15 8-20 0Zm7 0a3 3 0 1 0 6 0 3 3 0 1 0-6 0";
const PARTS = 3; // unknown words of one chip that are written out
const TOLD = 0.02; // a weaker weight is drawn but not written
const LEGEND = `<span class="legend-text"></span><i class="weak"></i>0.1<i class="middle"></i>0.5<i class="strong"></i>1
  <span class="marks"></span>`;

function press(panel, word) {
  if (panel.data.invites) localStorage.setItem(FIRST_WORD, "met");
  panel.find(".inviting")?.classList.remove("inviting");
  panel.pin = same(panel.pin, word) ? null : word;
  light(panel);
  const [side, place] = panel.pin ?? [null, null];
  panel.send("pin", { side, place });
}

function titleOf(word, texts) {
  const { guarded, slot, text, typed, unseen } = word;
  if (guarded) return phrase(texts.guarded, { word: guarded });
  if (slot) return phrase(word.listed ? texts.slot_listed : texts.slot, { slot, word: typed });
  if (unseen) return texts.unseen;
  return text === "" ? texts.end_help : "";
}

// What hides a word from all others, or shows it again.
function makeEye(panel, place) {
  const { hidden, texts } = panel.data;
  if (!hidden) return null;
  const is = hidden.includes(place);
  const onclick = () => panel.send("hide", { to: place });
  const title = is ? texts.show_word : texts.hide_word;
  return make(
    "button.eye",
    { ...named(title), "aria-pressed": is, onclick },
    shape(
      "svg",
      {
        viewBox: "0 0 24 24",
        "aria-hidden": true,
      },
      shape("path", { d: EYE }),
      is ? shape("path", { d: "M4 20 20 4" }) : null,
    ),
  );
}

function makeRow(side, word, place, texts, eye) {
  const data = { side, place };
  const end = word.text === "";
  const { unseen, unsure, sink } = word;
  const is = { unknown: word.slot !== "", unseen, unsure, guarded: word.guarded !== "" };
  const parts = word.slot ? word.typed.split(" ").filter(Boolean) : [];
  const more = parts.length > PARTS ? [`+${parts.length - PARTS}`] : [];
  const several =
    parts.length > 1 && [...parts.slice(0, PARTS), ...more].map((part) => make("span.part", part));
  const label = make("span.word", { is }, several || (end ? texts.end : word.text));
  const chip = make("button.chip", { data, title: titleOf(word, texts), is: { sink, end } }, label);
  const weight = make("span.weight");
  if (side === "source") return make("li.row", weight, eye, chip);
  // of a model that writes nothing
  if (word.percent === undefined) return make("li.row", chip, weight);
  const chance = make(
    "span.chance",
    { data, title: texts.chance },
    meter(word.share),
    make("span.percent", word.percent),
  );
  return make("li.row", { is: { unsure } }, chip, weight, chance);
}

function writeWords(panel, { hidden, outputs, sources, texts }) {
  if (!panel.differs("words", sources, outputs, texts, hidden)) return;
  panel.hot = null;
  panel.memory.shown = "";
  for (const [side, words] of [
    ["source", sources],
    ["target", outputs],
  ]) {
    panel.columns[side].replaceChildren(
      ...words.map((word, place) =>
        makeRow(side, word, place, texts, side === "source" ? makeEye(panel, place) : null),
      ),
    );
  }
  panel.scroll.scrollTop = 0;
  writeTitles(panel, [texts.source, texts.output]);
  panel.write({ ".legend-text": texts.legend });
  // The legend explains the marks that are on screen, and no others.
  const marks = {
    unknown: [...sources, ...outputs].some((word) => word.slot !== ""),
    unsure: outputs.some((word) => word.unsure && word.slot === ""),
    unseen: sources.some((word) => word.unseen),
    guarded: outputs.some((word) => word.guarded !== ""),
  };
  const told = Object.entries(marks).map(([name, seen]) =>
    make(`u.${name}`, seen ? texts[`mark_${name}`] : ""),
  );
  panel.find(".marks").replaceChildren(...told);
}

// Without a number a line is thin and dashed: it tells of no weight.
const widthOf = (weight) => 0.4 + (WIDEST - 0.4) * (weight ?? 0.1);
const opacityOf = (weight) => 0.06 + 0.8 * (weight ?? 0.4);

// One path a line, kept between runs: another head only changes width and opacity.
function writeLines(panel, { lines, sources }) {
  while (panel.paths.length < lines.length) {
    panel.paths.push(panel.find(".lines").appendChild(shape("path")));
  }
  for (const spare of panel.paths.splice(lines.length)) spare.remove();
  lines.forEach(([, source, weight], index) =>
    set(panel.paths[index], {
      class: sources[source].sink ? "sink" : "",
      style: { strokeWidth: widthOf(weight) },
      "stroke-dasharray": weight === null ? "2 6" : null,
    }),
  );
}

// Type as large as the rows allow and the longest word fits, within what reads well.
function sizeType({ board, columns, root, scroll }) {
  const rows = Math.max(columns.source.children.length, columns.target.children.length, 1);
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const least = 0.8125 * rem;
  const chips = [...board.querySelectorAll(".chip")];
  const use = (size) => {
    set(root, { style: { "--type": `${size.toFixed(1)}px` } });
    return chips.every((chip) => chip.scrollWidth <= chip.clientWidth + 1);
  };
  let type = Math.min((scroll.clientHeight / rows) * 0.62, 1.5 * rem);
  while (type > least && !use(type)) type *= 0.92;
  if (type <= least) use(least);
}

// Columns of their own pitch would draw two words apart that belong together.
function setColumns({ board, scroll, columns }) {
  board.classList.remove("long");
  board.classList.toggle("long", scroll.scrollHeight > scroll.clientHeight + 1);
  for (const column of Object.values(columns)) {
    column.classList.toggle("short", column.offsetHeight <= scroll.clientHeight);
  }
}

function place(panel) {
  sizeType(panel);
  setColumns(panel);
  drawLines(panel);
}

// All places are read before any path is written: the browser lays out once.
function drawLines(panel) {
  const { data, paths, scroll } = panel;
  const hidden = scroll.scrollHeight - scroll.clientHeight;
  const at = scroll.scrollTop;
  const [from, to] = edgesOf(panel);
  data.lines.forEach(([target, source], index) =>
    paths[index].setAttribute("d", curve(from[source], to[target])),
  );
  set(scroll, { is: { above: at > 1, below: hidden - at > 1 } });
}

// Bring the word that the rest of the page speaks of into sight, and where it looked the most; only
// when it is another one than before, so that the reader's own scrolling stays.
function bring(panel) {
  const word = panel.pin ?? ["target", panel.data.step];
  if (!panel.differs("shown", word, panel.scroll.clientHeight)) return;
  for (const each of [strongestOf(panel.data.lines, word), word]) {
    const row = each && panel.columns[each[0]].children[each[1]];
    if (row) reveal(panel.scroll, row, { more: 2 * row.getBoundingClientRect().height });
  }
}

function strongestOf(lines, [side, place]) {
  let best = null;
  for (const [target, source, weight] of lines) {
    const [here, there] = side === "source" ? [source, target] : [target, source];
    if (here === place && (!best || weight > best[1])) best = [there, weight];
  }
  return best && [side === "source" ? "target" : "source", best[0]];
}

function light(panel) {
  const word = panel.hot ?? panel.pin;
  const weights = { source: new Map(), target: new Map() };
  panel.data.lines.forEach(([target, source, weight], index) => {
    const ends = { source, target };
    const shown = !word || ends[word[0]] === word[1];
    panel.paths[index].style.strokeOpacity = shown ? opacityOf(weight) : 0.03;
    if (!word || !shown || weight < TOLD) return;
    const other = word[0] === "source" ? "target" : "source";
    weights[other].set(ends[other], weight);
  });
  for (const side of ["source", "target"]) lightColumn(panel, side, word, weights[side]);
}

function lightColumn(panel, side, word, weights) {
  [...panel.columns[side].children].forEach((row, place) => {
    const weight = weights.get(place);
    const hot = same(word, [side, place]) ?? false;
    const pinned = same(panel.pin, [side, place]) ?? false;
    const tinted = weight !== undefined;
    set(row.querySelector(".chip"), {
      is: { hot, pinned, tinted, faded: word && !hot && !tinted },
      "aria-pressed": pinned,
      style: { "--tint": `${Math.round(45 * (weight ?? 0))}%` },
    });
    const eye = row.querySelector(".eye"); // by keyboard at the clicked word alone
    if (eye) eye.tabIndex = pinned || eye.getAttribute("aria-pressed") === "true" ? 0 : -1;
    row.querySelector(".weight").textContent = !tinted
      ? ""
      : weight === null
        ? "NaN"
        : weight.toFixed(2);
  });
}

export default component(columnsOf("sources", "outputs", LEGEND), {
  start(panel) {
    startColumns(panel, ["source", "target"], light, press);
    Object.assign(panel, { pin: null, paths: [] });
    const { scroll } = panel;
    panel.find(".legend").setAttribute("aria-hidden", true);
    panel.hear(scroll, "scroll", () => drawLines(panel), { passive: true });
    panel.watch(scroll, () => {
      place(panel);
      bring(panel);
    });
  },
  draw(panel, data) {
    writeWords(panel, data);
    writeLines(panel, data);
  },
  mark(panel, { invites, pin, step }) {
    panel.pin = pin;
    [...panel.columns.target.children].forEach((row, at) =>
      set(row, { is: { step: at === step, inviting: at === step && invites && isNew() } }),
    );
    place(panel);
    bring(panel);
    light(panel);
  },
});
