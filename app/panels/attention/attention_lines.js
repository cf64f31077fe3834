// Attention as lines: who looks on the left, at whom on the right; thickness and opacity are the
// weight, the hue is the head's. Hover a word: its lines alone, with their numbers. A click pins
// the word and goes to Python.

const WIDEST = 8; // pixels of a line of weight 1
const MOST = 400; // lines at once; the faintest stay out
const FAINTEST = 0.02; // in the picture of all words
const FULL = 65535;
const LEAST = 18; // pixels a word
const MARKUP = `<div class="frame">
  <div class="titles"><span class="title-rows"></span><span class="title-columns"></span></div>
  <div class="scroll"><div class="board">
    <ol class="column rows"></ol>
    <svg class="lines" aria-hidden="true"></svg>
    <ol class="column columns"></ol>
  </div></div>
  <div class="legend"></div>
</div>`;

function wordOf(event) {
  const word = event.target.closest("[data-place]");
  return word && { side: word.dataset.side, place: Number(word.dataset.place) };
}

function hover(view, word) {
  if (view.hot?.side === word?.side && view.hot?.place === word?.place) return;
  view.hot = word;
  light(view);
}

function only(view, head) {
  view.head = head;
  light(view);
}

function wordsOf(side, words) {
  return words.map(({ text, sink }, place) =>
    make("li.word", { data: { side, place } }, make("button.chip", { is: { sink } }, text), make("span.weight")));
}

function legendOf(view, heads) {
  return heads.map(({ name, colour }, at) => {
    const pointed = { onpointerenter: () => only(view, at), onpointerleave: () => only(view, null) };
    return make("span", pointed, make("i", { style: { background: colour } }), name);
  });
}

// All (head, query, key) that are to be drawn, the strongest last so that they lie on top.
function chosen({ data, head: own, weights }, focus) {
  const [rows, columns] = [data.queries.length, data.keys.length];
  const found = [];
  for (let at = 0; at < weights.length; at += 1) {
    const weight = weights[at] / FULL;
    const line = { weight, key: at % columns, query: Math.floor(at / columns) % rows };
    line.head = Math.floor(at / (rows * columns));
    const here = !focus || line[focus.side] === focus.place;
    if (!here || weight < (focus ? 0.001 : FAINTEST)) continue;
    if (own === null || own === line.head) found.push(line);
  }
  return found.sort((a, b) => a.weight - b.weight).slice(-MOST);
}

function middles({ board, sides }, side, edge) {
  const frame = board.getBoundingClientRect();
  return [...sides[side].children].map((word) => {
    const chip = word.firstChild.getBoundingClientRect();
    return [chip[edge] - frame.left, chip.top + chip.height / 2 - frame.top];
  });
}

function path({ heads, queries, keys }, line, ends, room) {
  const shift = (line.head - (heads.length - 1) / 2) * Math.min(2.5, 14 / heads.length);
  const [[x0, y0], [x1, y1]] = [ends.query[line.query], ends.key[line.key]];
  const bend = (x1 - x0) * 0.4;
  const [a, b] = [y0 + shift, y1 + shift];
  const sink = heads.length === 1 && (queries[line.query].sink || keys[line.key].sink);
  return shape("path", {
    stroke: sink ? "var(--faint)" : heads[line.head].colour,
    d: `M${x0 + 3},${a} C${x0 + bend},${a} ${x1 - bend},${b} ${x1 - 3},${b}`,
    "stroke-width": (0.8 + line.weight * Math.min(WIDEST, room * 0.3)).toFixed(2),
    "stroke-opacity": Math.min(1, 0.06 + line.weight * 0.94).toFixed(3),
  });
}

// Beside each word of the other side: how much, as the mean of the heads that are drawn.
function writeNumbers({ data, head, sides }, focus, lines) {
  const heads = head === null ? data.heads.length : 1;
  const other = focus?.side === "query" ? "key" : "query";
  const sums = new Map();
  for (const line of focus ? lines : []) {
    sums.set(line[other], (sums.get(line[other]) ?? 0) + line.weight / heads);
  }
  for (const side of ["query", "key"]) {
    for (const [place, item] of [...sides[side].children].entries()) {
      const sum = side === other ? sums.get(place) : undefined;
      item.lastChild.textContent = sum === undefined ? "" : sum.toPrecision(data.precision);
    }
  }
}

function light(view) {
  const { board, data, head, hot, legend, sides } = view;
  const { pinned } = data;
  const focus = hot ?? (pinned ? { side: "query", place: pinned.query } : null);
  const ends = { query: middles(view, "query", "right"), key: middles(view, "key", "left") };
  for (const side of ["query", "key"]) {
    for (const [place, item] of [...sides[side].children].entries()) {
      const is = { hot: hot?.side === side && hot.place === place, pinned: pinned?.[side] === place };
      set(item.firstChild, { is });
    }
  }
  const lines = chosen(view, focus);
  const room = board.clientHeight / Math.max(ends.query.length, ends.key.length);
  view.find(".lines").replaceChildren(...lines.map((line) => path(data, line, ends, room)));
  writeNumbers(view, focus, lines);
  for (const [at, entry] of [...legend.children].entries()) {
    entry.classList.toggle("off", head !== null && head !== at);
  }
}

export default component(MARKUP, {
  start(view) {
    const [board, legend] = [view.find(".board"), view.find(".legend")];
    Object.assign(view, { board, legend, sides: { query: view.find(".rows"), key: view.find(".columns") } });
    view.hear(board, "pointerover focusin", (event) => hover(view, wordOf(event)));
    view.hear(board, "pointerleave focusout", () => hover(view, null));
    view.hear(board, "click", (event) => wordOf(event) && view.send("pick", wordOf(event)));
    view.watch(board, () => view.weights && light(view));
  },
  draw(view, data) {
    view.weights = numbersOf(data.weights, Uint16Array);
    set(view.root, { style: { "--type": `${data.type}px`, "--least": `${Math.max(LEAST, data.type * 1.35)}px` } });
    const words = JSON.stringify([data.queries, data.keys, data.heads]);
    if (words === view.words) return;
    Object.assign(view, { words, hot: null, head: null });
    view.sides.query.replaceChildren(...wordsOf("query", data.queries));
    view.sides.key.replaceChildren(...wordsOf("key", data.keys));
    view.legend.replaceChildren(...legendOf(view, data.heads));
    [...view.find(".titles").children].forEach((node, at) => { node.textContent = data.titles[at]; });
  },
  mark: light,
});
