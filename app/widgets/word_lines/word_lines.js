// Words in two columns and the attention between them. Hover is answered here; a click also goes
// to Python. Rows are as high as the panel allows, so neither column leaves a hole; where even the
// least height does not fit, both columns have it, from the top, and the panel scrolls.

const WIDEST = 9; // pixels of a line of weight 1; the legend's three strokes follow it
const TOLD = 0.02; // a weaker weight is drawn but not written
const panels = new WeakMap();
const SVG = "http://www.w3.org/2000/svg";

function startPanel(root) {
  const find = (name) => root.querySelector(name);
  const panel = {
    frame: find(".frame"), scroll: find(".scroll"), board: find(".board"), svg: find(".lines"),
    columns: { source: find(".sources"), target: find(".outputs") },
    models: { source: find(".source-row"), target: find(".output-row") },
    hot: null, pin: null, step: null, drawn: "", shown: "", lines: [], paths: [],
  };
  panel.resized = new ResizeObserver(() => {
    place(panel);
    reveal(panel);
  });
  panel.scroll.addEventListener("scroll", () => draw(panel), { passive: true });
  panel.resized.observe(panel.scroll);
  panel.board.addEventListener("pointerover", (event) => point(panel, wordOf(event)));
  panel.board.addEventListener("pointerleave", () => point(panel, null));
  panel.board.addEventListener("focusin", (event) => point(panel, wordOf(event)));
  panel.board.addEventListener("focusout", () => point(panel, null));
  panel.board.addEventListener("click", (event) => press(panel, wordOf(event)));
  panels.set(root, panel);
  return panel;
}

const same = (a, b) => a === b || (a && b && a[0] === b[0] && a[1] === b[1]);

function wordOf(event) {
  const part = event.target.closest("[data-place]");
  return part ? [part.dataset.side, Number(part.dataset.place)] : null;
}

function point(panel, word) {
  if (same(panel.hot, word)) return;
  panel.hot = word;
  light(panel);
}

function press(panel, word) {
  if (!word) return;
  panel.pin = same(panel.pin, word) ? null : word;
  light(panel);
  const [side, place] = panel.pin ?? [null, null];
  panel.send("pin", { side, place, nonce: performance.now() });
}

function makeRow(panel, side, word, place, texts) {
  const row = panel.models[side].content.firstElementChild.cloneNode(true);
  const [chip, label] = [row.querySelector(".chip"), row.querySelector(".word")];
  for (const part of row.querySelectorAll(".chip, .chance")) {
    Object.assign(part.dataset, { side, place });
  }
  const end = word.text === "";
  label.textContent = end ? texts.end : word.text;
  label.classList.toggle("unknown", word.slot !== "");
  chip.classList.toggle("sink", word.sink);
  chip.classList.toggle("end", end);
  label.classList.toggle("unseen", word.unseen);
  label.classList.toggle("unsure", Boolean(word.unsure));
  const reason = word.listed ? texts.slot_listed : texts.slot;
  label.classList.toggle("guarded", word.guarded !== "");
  if (word.guarded) chip.title = texts.guarded.replace("{word}", () => word.guarded);
  else if (word.slot) {
    chip.title = reason.replace("{slot}", () => word.slot).replace("{word}", () => word.typed);
  }
  else if (word.unseen) chip.title = texts.unseen;
  else if (end) chip.title = texts.end_help;
  if (side === "target") writeChance(row, word, texts);
  return row;
}

function writeChance(row, word, texts) {
  row.classList.toggle("unsure", word.unsure);
  row.querySelector(".chance").title = texts.chance;
  row.querySelector(".bar i").style.width = `${100 * word.share}%`;
  row.querySelector(".percent").textContent = word.percent;
}

function writeWords(panel, data) {
  const written = JSON.stringify([data.sources, data.outputs, data.texts]);
  if (written === panel.drawn) return;
  panel.drawn = written;
  panel.hot = null;
  const fill = (side, words) => {
    const rows = words.map((word, place) => makeRow(panel, side, word, place, data.texts));
    panel.columns[side].replaceChildren(...rows);
  };
  fill("source", data.sources);
  fill("target", data.outputs);
  panel.scroll.scrollTop = 0;
  panel.shown = "";
  panel.frame.querySelector(".title-source").textContent = data.texts.source;
  panel.frame.querySelector(".title-output").textContent = data.texts.output;
  panel.frame.querySelector(".legend-text").textContent = data.texts.legend;
  writeMarks(panel, data);
}

// The legend explains the marks that are on screen, and no others.
function writeMarks(panel, { sources, outputs, texts }) {
  const words = [...sources, ...outputs];
  const marks = {
    unknown: words.some((word) => word.slot !== ""),
    unsure: outputs.some((word) => word.unsure && word.slot === ""),
    unseen: sources.some((word) => word.unseen),
    guarded: outputs.some((word) => word.guarded !== ""),
  };
  for (const [name, seen] of Object.entries(marks)) {
    const mark = panel.frame.querySelector(`.marks .${name}`);
    mark.textContent = seen ? texts[`mark_${name}`] : "";
  }
}

// Without a number a line is thin and dashed: it tells of no weight.
const widthOf = (weight) => 0.4 + (WIDEST - 0.4) * (weight ?? 0.1);
const opacityOf = (weight) => 0.06 + 0.8 * (weight ?? 0.4);

// One path a line, kept between runs: another head only changes width and opacity.
function writeLines(panel, data) {
  panel.lines = data.lines;
  while (panel.paths.length < data.lines.length) {
    const path = document.createElementNS(SVG, "path");
    panel.svg.append(path);
    panel.paths.push(path);
  }
  for (const spare of panel.paths.splice(data.lines.length)) spare.remove();
  data.lines.forEach(([, source, weight], index) => {
    const path = panel.paths[index];
    path.setAttribute("class", data.sources[source].sink ? "sink" : "");
    path.style.strokeWidth = widthOf(weight);
    if (weight === null) path.setAttribute("stroke-dasharray", "2 6");
    else path.removeAttribute("stroke-dasharray");
  });
}

// Type as large as the rows allow and the longest word fits, within what reads well.
function sizeType(panel) {
  const rows = Math.max(panel.columns.source.children.length, panel.columns.target.children.length);
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const least = 0.8125 * rem;
  const chips = [...panel.board.querySelectorAll(".chip")];
  const use = (size) => {
    panel.frame.style.setProperty("--type", `${size.toFixed(1)}px`);
    return chips.every((chip) => chip.scrollWidth <= chip.clientWidth + 1);
  };
  let type = Math.min((panel.scroll.clientHeight / Math.max(rows, 1)) * 0.62, 1.5 * rem);
  while (type > least && !use(type)) type *= 0.92;
  if (type <= least) use(least);
}

// Columns of their own pitch would draw two words apart that belong together.
function setColumns(panel) {
  const { board, scroll, columns } = panel;
  board.classList.remove("long");
  board.classList.toggle("long", scroll.scrollHeight > scroll.clientHeight + 1);
  for (const column of Object.values(columns)) {
    column.classList.toggle("short", column.offsetHeight <= scroll.clientHeight);
  }
}

function place(panel) {
  sizeType(panel);
  setColumns(panel);
  draw(panel);
}

// All places are read before any path is written: the browser lays out once.
function draw(panel) {
  const { scroll } = panel;
  const hidden = scroll.scrollHeight - scroll.clientHeight;
  const at = scroll.scrollTop;
  const box = panel.board.getBoundingClientRect();
  const edge = (side, part) =>
    [...panel.columns[side].querySelectorAll(".chip")].map((chip) => {
      const at = chip.getBoundingClientRect();
      return [at[part] - box.left, (at.top + at.bottom) / 2 - box.top];
    });
  const from = edge("source", "right");
  const to = edge("target", "left");
  panel.lines.forEach(([target, source], index) => {
    const [x, y] = from[source];
    const [u, v] = to[target];
    const bend = (u - x) * 0.45;
    const path = `M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`;
    panel.paths[index].setAttribute("d", path);
  });
  scroll.classList.toggle("above", at > 1);
  scroll.classList.toggle("below", hidden - at > 1);
}

// Bring the word that the rest of the page speaks of into sight, and where it looked the most; only
// when it is another one than before, so that the reader's own scrolling stays.
function reveal(panel) {
  const word = panel.pin ?? ["target", panel.step];
  const shown = JSON.stringify([word, panel.scroll.clientHeight]);
  if (shown === panel.shown) return;
  panel.shown = shown;
  scrollTo(panel, strongestOf(panel, word));
  scrollTo(panel, word);
}

function strongestOf(panel, [side, place]) {
  let best = null;
  for (const [target, source, weight] of panel.lines) {
    const [here, there] = side === "source" ? [source, target] : [target, source];
    if (here === place && (!best || weight > best[2])) best = [side, there, weight];
  }
  return best && [side === "source" ? "target" : "source", best[1]];
}

function scrollTo(panel, word) {
  const row = word && panel.columns[word[0]].children[word[1]];
  if (!row) return;
  const [at, view] = [row.getBoundingClientRect(), panel.scroll.getBoundingClientRect()];
  const margin = 2 * at.height;
  if (at.top >= view.top && at.bottom <= view.bottom) return;
  const down = at.bottom > view.bottom;
  panel.scroll.scrollTop += down ? at.bottom - view.bottom + margin : at.top - view.top - margin;
}

function markStep(panel, step) {
  panel.step = step;
  [...panel.columns.target.children].forEach((row, place) => {
    row.classList.toggle("step", place === step);
  });
}

function light(panel) {
  const word = panel.hot ?? panel.pin;
  const weights = { source: new Map(), target: new Map() };
  panel.lines.forEach(([target, source, weight], index) => {
    const ends = { source, target };
    const shown = !word || ends[word[0]] === word[1];
    const path = panel.paths[index];
    path.style.strokeOpacity = shown ? opacityOf(weight) : 0.03;
    if (!word || !shown || weight < TOLD) return;
    weights[word[0] === "source" ? "target" : "source"].set(
      word[0] === "source" ? target : source, weight);
  });
  for (const side of ["source", "target"]) lightColumn(panel, side, word, weights[side]);
}

function lightColumn(panel, side, word, weights) {
  [...panel.columns[side].children].forEach((row, place) => {
    const chip = row.querySelector(".chip");
    const weight = weights.get(place);
    const hot = same(word, [side, place]);
    const told = weight !== undefined;
    chip.classList.toggle("hot", hot);
    chip.classList.toggle("pinned", same(panel.pin, [side, place]));
    chip.setAttribute("aria-pressed", same(panel.pin, [side, place]));
    chip.classList.toggle("tinted", told);
    chip.classList.toggle("faded", Boolean(word) && !hot && !told);
    chip.style.setProperty("--tint", `${Math.round(45 * (weight ?? 0))}%`);
    const label = !told ? "" : weight === null ? "NaN" : weight.toFixed(2);
    row.querySelector(".weight").textContent = label;
  });
}

function paint(panel, colours) {
  for (const [role, colour] of Object.entries(colours)) {
    panel.frame.style.setProperty(`--${role}`, colour);
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return undefined;
  const panel = panels.get(parentElement) ?? startPanel(parentElement);
  panel.send = setTriggerValue;
  panel.pin = data.pin;
  paint(panel, data.colours);
  writeWords(panel, data);
  markStep(panel, data.step);
  writeLines(panel, data);
  place(panel);
  reveal(panel);
  light(panel);
  return () => {
    panel.resized.disconnect();
    panels.delete(parentElement);
  };
}
