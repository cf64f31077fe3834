// Attention as lines: who looks on the left, at whom on the right; thickness and opacity are the
// weight, the hue is the head's. Hover a word: its lines alone, with their numbers. A click pins
// the word and goes to Python.

const WIDEST = 8; // pixels of a line of weight 1
const MOST = 400; // lines at once; the faintest stay out
const FAINTEST = 0.02; // in the picture of all words
const FULL = 65535;
const LEAST = 18; // pixels a word
const SIDES = ["query", "key"];

function only(view, head) {
  view.head = head;
  light(view);
}

function wordsOf(side, words) {
  return words.map(({ text, sink }, place) =>
    make(
      "li.word",
      { data: { side, place } },
      make("button.chip", { is: { sink } }, text),
      make("span.weight"),
    ),
  );
}

function legendOf(view, heads) {
  return heads.map(({ name, colour }, at) => {
    const pointed = {
      onpointerenter: () => only(view, at),
      onpointerleave: () => only(view, null),
    };
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
    const here = !focus || line[focus[0]] === focus[1];
    if (!here || weight < (focus ? 0.001 : FAINTEST)) continue;
    if (own === null || own === line.head) found.push(line);
  }
  return found.sort((a, b) => a.weight - b.weight).slice(-MOST);
}

function path({ heads, queries, keys }, line, ends, room) {
  const shift = (line.head - (heads.length - 1) / 2) * Math.min(2.5, 14 / heads.length);
  const [[x, y], [u, v]] = [ends[0][line.query], ends[1][line.key]];
  const sink = heads.length === 1 && (queries[line.query].sink || keys[line.key].sink);
  return shape("path", {
    stroke: sink ? "var(--faint)" : heads[line.head].colour,
    d: curve([x + 3, y + shift], [u - 3, v + shift]),
    "stroke-dasharray": sink ? "5 3" : null,
    "stroke-width": (0.8 + line.weight * Math.min(WIDEST, room * 0.3)).toFixed(2),
    "stroke-opacity": Math.min(1, 0.06 + line.weight * 0.94).toFixed(3),
  });
}

// For each word of the other side, how much: the mean of the heads that are drawn.
function sumsOf({ data, head }, other, lines) {
  const heads = head === null ? data.heads.length : 1;
  const sums = new Map();
  for (const line of lines)
    sums.set(line[other], (sums.get(line[other]) ?? 0) + line.weight / heads);
  return sums;
}

function light(view) {
  const { board, columns, data, head, hot, legend } = view;
  const { pinned, precision } = data;
  const focus = hot ?? (pinned ? ["query", pinned.query] : null);
  const ends = edgesOf(view);
  const lines = chosen(view, focus);
  const room = board.clientHeight / Math.max(...ends.map((side) => side.length));
  view.find(".lines").replaceChildren(...lines.map((line) => path(data, line, ends, room)));
  const other = focus?.[0] === "query" ? "key" : "query";
  const sums = sumsOf(view, other, focus ? lines : []);
  for (const [side, column] of Object.entries(columns)) {
    for (const [place, item] of [...column.children].entries()) {
      set(item.firstChild, {
        is: { hot: same(hot, [side, place]), pinned: pinned?.[side] === place },
      });
      item.lastChild.textContent =
        (side === other && sums.get(place)?.toPrecision(precision)) || "";
    }
  }
  for (const [at, entry] of [...legend.children].entries()) {
    entry.classList.toggle("off", head !== null && head !== at);
  }
}

export default component(columnsOf("rows", "columns", ""), {
  start(view) {
    view.legend = view.find(".legend");
    startColumns(view, SIDES, light, (_, [side, place]) => view.send("pick", { side, place }));
    view.watch(view.board, () => view.weights && light(view));
  },
  draw(view, data) {
    view.weights = numbersOf(data.weights, Uint16Array);
    set(view.root, {
      style: { "--type": `${data.type}px`, "--least": `${Math.max(LEAST, data.type * 1.35)}px` },
    });
    if (!view.differs("words", data.queries, data.keys, data.heads)) return;
    Object.assign(view, { hot: null, head: null });
    for (const side of SIDES)
      view.columns[side].replaceChildren(
        ...wordsOf(side, side === "query" ? data.queries : data.keys),
      );
    view.legend.replaceChildren(...legendOf(view, data.heads));
    writeTitles(view, data.titles);
  },
  mark: light,
});
