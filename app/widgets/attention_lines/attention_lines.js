// Attention as lines: who looks on the left, at whom on the right; thickness and opacity are the
// weight, the hue is the head's. Hover a word: its lines alone, with their numbers. A click pins
// the word and goes to Python.

const SVG = "http://www.w3.org/2000/svg";
const WIDEST = 8; // pixels of a line of weight 1
const MOST = 400; // lines at once; the faintest stay out
const FAINTEST = 0.02; // in the picture of all words
const FULL = 65535;
const LEAST = 18; // pixels a word
const boards = new WeakMap();

function startBoard(root) {
  const find = (name) => root.querySelector(name);
  const board = {
    frame: find(".frame"), board: find(".board"), svg: find(".lines"), legend: find(".legend"),
    sides: { query: find(".rows"), key: find(".columns") },
    titles: [find(".title-rows"), find(".title-columns")],
    hot: null, head: null, drawn: "", send: () => {}, clicks: 0,
  };
  board.resized = new ResizeObserver(() => light(board));
  board.resized.observe(board.board);
  const point = (event) => hover(board, wordOf(event));
  board.board.addEventListener("pointerover", point);
  board.board.addEventListener("focusin", point);
  board.board.addEventListener("pointerleave", () => hover(board, null));
  board.board.addEventListener("focusout", () => hover(board, null));
  board.board.addEventListener("click", (event) => press(board, wordOf(event)));
  boards.set(root, board);
  return board;
}

function wordOf(event) {
  const word = event.target.closest("[data-place]");
  return word && { side: word.dataset.side, place: Number(word.dataset.place) };
}

function hover(board, word) {
  if (board.hot?.side === word?.side && board.hot?.place === word?.place) return;
  board.hot = word;
  light(board);
}

function press(board, word) {
  if (!word) return;
  board.clicks += 1;
  board.send("pick", { ...word, nonce: `${performance.now()}-${board.clicks}` });
}

function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawWords(board, side, words) {
  const items = words.map(({ text, sink }, place) => {
    const item = element("li", "word");
    Object.assign(item.dataset, { side, place });
    const chip = element("button", sink ? "chip sink" : "chip", text);
    chip.type = "button";
    item.append(chip, element("span", "weight"));
    return item;
  });
  board.sides[side].replaceChildren(...items);
}

function drawLegend(board, heads) {
  const entries = heads.map(({ name, colour }, at) => {
    const entry = element("span", "", name);
    const mark = element("i");
    mark.style.background = colour;
    entry.prepend(mark);
    entry.onpointerenter = () => { board.head = at; light(board); };
    entry.onpointerleave = () => { board.head = null; light(board); };
    return entry;
  });
  board.legend.replaceChildren(...entries);
}

// All (head, query, key) that are to be drawn, the strongest last so that they lie on top.
function chosen(board, focus) {
  const { weights, data } = board;
  const [rows, columns] = [data.queries.length, data.keys.length];
  const found = [];
  for (let at = 0; at < weights.length; at += 1) {
    const weight = weights[at] / FULL;
    const key = at % columns;
    const query = Math.floor(at / columns) % rows;
    const head = Math.floor(at / (rows * columns));
    const here = !focus || (focus.side === "query" ? query : key) === focus.place;
    if (!here || weight < (focus ? 0.001 : FAINTEST)) continue;
    if (board.head !== null && board.head !== head) continue;
    found.push({ weight, query, key, head });
  }
  found.sort((a, b) => a.weight - b.weight);
  return found.slice(-MOST);
}

function middle(board, side, place, edge) {
  const chip = board.sides[side].children[place].firstChild.getBoundingClientRect();
  const frame = board.board.getBoundingClientRect();
  return [chip[edge] - frame.left, chip.top + chip.height / 2 - frame.top];
}

function path(board, line, ends, room) {
  const count = board.data.heads.length;
  const shift = (line.head - (count - 1) / 2) * Math.min(2.5, 14 / count);
  const [[x0, y0], [x1, y1]] = [ends.query[line.query], ends.key[line.key]];
  const bend = (x1 - x0) * 0.4;
  const node = document.createElementNS(SVG, "path");
  const [a, b] = [y0 + shift, y1 + shift];
  node.setAttribute("d", `M${x0 + 3},${a} C${x0 + bend},${a} ${x1 - bend},${b} ${x1 - 3},${b}`);
  const sink = board.data.queries[line.query].sink || board.data.keys[line.key].sink;
  node.setAttribute("stroke", sink && count === 1 ? board.data.grey : board.data.heads[line.head].colour);
  node.setAttribute("stroke-width", (0.8 + line.weight * Math.min(WIDEST, room * 0.3)).toFixed(2));
  node.setAttribute("stroke-opacity", Math.min(1, 0.06 + line.weight * 0.94).toFixed(3));
  return node;
}

// Beside each word of the other side: how much, as the mean of the heads that are drawn.
function writeNumbers(board, focus, lines) {
  const heads = board.head === null ? board.data.heads.length : 1;
  const other = focus?.side === "query" ? "key" : "query";
  const sums = new Map();
  for (const line of focus ? lines : []) {
    sums.set(line[other], (sums.get(line[other]) ?? 0) + line.weight / heads);
  }
  for (const side of ["query", "key"]) {
    for (const [place, item] of [...board.sides[side].children].entries()) {
      const sum = side === other && focus ? sums.get(place) : undefined;
      item.lastChild.textContent = sum === undefined ? "" : sum.toPrecision(board.data.precision);
    }
  }
}

function light(board) {
  if (!board.data) return;
  const pinned = board.data.pinned;
  const focus = board.hot ?? (pinned ? { side: "query", place: pinned.query } : null);
  const ends = {};
  for (const [side, edge] of [["query", "right"], ["key", "left"]]) {
    const words = [...board.sides[side].children];
    ends[side] = words.map((_, place) => middle(board, side, place, edge));
    for (const [place, item] of words.entries()) {
      const chip = item.firstChild;
      chip.classList.toggle("hot", board.hot?.side === side && board.hot.place === place);
      chip.classList.toggle("pinned", pinned?.[side] === place);
    }
  }
  const lines = chosen(board, focus);
  const room = board.board.clientHeight / Math.max(ends.query.length, ends.key.length);
  board.svg.replaceChildren(...lines.map((line) => path(board, line, ends, room)));
  writeNumbers(board, focus, lines);
  for (const [at, entry] of [...board.legend.children].entries()) {
    entry.classList.toggle("off", board.head !== null && board.head !== at);
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const board = boards.get(parentElement) ?? startBoard(parentElement);
  board.send = setTriggerValue;
  board.data = data;
  const bytes = Uint8Array.from(atob(data.weights), (letter) => letter.charCodeAt(0));
  board.weights = new Uint16Array(bytes.buffer);
  const { style } = board.frame;
  for (const name of ["query", "key", "grey"]) style.setProperty(`--${name}`, data[name]);
  style.setProperty("--type", `${data.type}px`);
  style.setProperty("--least", `${Math.max(LEAST, data.type * 1.35)}px`);
  const words = JSON.stringify([data.queries, data.keys, data.heads]);
  if (words !== board.drawn) {
    board.hot = board.head = null;
    drawWords(board, "query", data.queries);
    drawWords(board, "key", data.keys);
    drawLegend(board, data.heads);
    board.titles.forEach((node, at) => { node.textContent = data.titles[at]; });
  }
  board.drawn = words;
  light(board);
}
