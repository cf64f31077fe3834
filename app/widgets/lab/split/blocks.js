// Squares that keep their colour and name while they change places; the one under the pointer is lit
// in every block, and a click holds it.

const SVG = "http://www.w3.org/2000/svg";
const boards = new WeakMap();

function make(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function light(board, id) {
  const now = id ?? board.held;
  board.svg.classList.toggle("held", now !== null);
  for (const cell of board.cells) cell.node.classList.toggle("lit", cell.id === now);
  board.said.textContent = now === null ? board.data.hint : board.data.labels[now];
  board.said.classList.toggle("hint", now === null);
}

function cellOf(board, [x, y, id]) {
  const { size, features, colours, names, labels } = board.data;
  const [back, ink] = colours[features[id]];
  const node = make("g", { class: "cell", "data-id": id });
  node.append(make("rect", { x, y, width: size, height: size, rx: 2, fill: back }));
  if (names.length) {
    node.append(make("text", { x: x + size / 2, y: y + size / 2, style: `fill:${ink};font-size:${Math.min(12, size * 0.46)}px` }, names[id]));
  }
  node.append(make("title", {}, labels[id]));
  node.onpointerenter = () => light(board, id);
  node.onpointerleave = () => light(board, null);
  node.onclick = () => {
    board.held = board.held === id ? null : id;
    light(board, board.held);
  };
  return { id, node };
}

// It turns into its lane at once, and leaves the lane's title free.
function arrowOf([fromX, fromY, toX, toY]) {
  const reach = Math.min(75, toX - fromX - 9);
  const turn = `C${fromX + reach * 0.6} ${fromY} ${fromX + reach * 0.3} ${toY} ${fromX + reach} ${toY}`;
  return make("path", { class: "arrow", d: `M${fromX} ${fromY}${fromY === toY ? "" : turn}H${toX}m-7 -4l7 4l-7 4` });
}

function draw(board) {
  const { data, svg } = board;
  svg.setAttribute("viewBox", `0 0 ${data.width} ${data.height}`);
  svg.setAttribute("preserveAspectRatio", "xMinYMid meet");
  svg.setAttribute("aria-label", data.alt);
  board.cells = data.cells.map((each) => cellOf(board, each));
  const maps = data.maps.map(([x, y, fill, hover]) => {
    const cell = make("rect", { class: "map", x, y, width: data.size - 1, height: data.size - 1, fill });
    cell.append(make("title", {}, hover));
    return cell;
  });
  const texts = data.texts.map(([x, y, text, kind, anchor]) => make("text", { x, y, class: kind, "text-anchor": anchor }, text));
  svg.replaceChildren(...data.arrows.map(arrowOf), ...maps, ...board.cells.map((each) => each.node), ...texts);
}

export default function (component) {
  const { data, parentElement } = component;
  if (!data) return;
  const board = boards.get(parentElement) ?? { held: null, drawn: "" };
  boards.set(parentElement, board);
  Object.assign(board, { data, svg: parentElement.querySelector("svg"), said: parentElement.querySelector(".said") });
  const frame = parentElement.querySelector(".split");
  for (const [role, colour] of Object.entries(data.ink)) frame.style.setProperty(`--ink-${role}`, colour);
  const drawn = JSON.stringify(data);
  if (drawn !== board.drawn) {
    if (board.held !== null && board.held >= data.labels.length) board.held = null;
    draw(board);
    board.drawn = drawn;
  }
  light(board, null);
}
