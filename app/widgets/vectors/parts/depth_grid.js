// A row a word, a column a place along depth. A click, or the arrow keys, choose a cell; a click on
// a word chooses the word. Every text is set with textContent.

const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const SVG = "http://www.w3.org/2000/svg";
const grids = new WeakMap();

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function shape(tag, className, attributes) {
  const made = document.createElementNS(SVG, tag);
  made.setAttribute("class", className);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// From the middle of the base line: to the right is the direction of the end, upwards a right angle.
function arrow([length, cosine], ink) {
  const drawn = shape("svg", "", { viewBox: "-1 -1 2 1.08", preserveAspectRatio: "xMidYMax meet", "aria-hidden": "true" });
  drawn.style.setProperty("--ink", ink);
  drawn.append(shape("line", "base", { x1: -1, y1: 0, x2: 1, y2: 0 }));
  if (!Number.isFinite(cosine) || length <= 0) return drawn;
  const sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  const [x, y] = [length * cosine, -length * sine];
  const size = Math.min(0.22, length * 0.6);
  const back = [x - size * 1.3 * cosine, y + size * 1.3 * sine];
  const wide = [size * 0.6 * sine, size * 0.6 * cosine];
  const points = [[x, y], [back[0] + wide[0], back[1] + wide[1]], [back[0] - wide[0], back[1] - wide[1]]];
  drawn.append(shape("line", "shaft", { x1: 0, y1: 0, x2: back[0], y2: back[1] }));
  drawn.append(shape("polygon", "tip", { points: points.map((point) => point.join(",")).join(" ") }));
  return drawn;
}

function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "#111827" : "#FFFFFF";
}

function cell(grid, data, row, column) {
  const { cells, texts } = data;
  const made = element("button", "cell");
  const [main, sub] = [cells.main[row][column], cells.sub?.[row][column] ?? ""];
  const colour = cells.colours[row][column];
  made.type = "button";
  made.style.background = colour;
  made.style.color = inkOn(colour);
  if (cells.arrows) made.append(arrow(cells.arrows[row][column], inkOn(colour)));
  const numbers = element("span", "numbers");
  numbers.append(element("span", "main", main));
  if (cells.sub) numbers.append(element("span", "sub", sub));
  made.append(numbers);
  const named = { row: data.rows[row], column: texts.columns[column].filter(Boolean).join(" · "), main, sub };
  made.title = texts.hover.replace(/\{(\w+)\}/g, (whole, name) => named[name] ?? whole);
  made.setAttribute("aria-label", made.title);
  Object.assign(made.dataset, { row, column });
  made.onclick = () => pick(grid, row, column);
  return made;
}

function heads(node, data) {
  const { columns, rows } = data.texts;
  node.append(element("div", "corner", rows));
  for (let at = 0, end; at < columns.length; at = end) {
    end = at + 1;
    while (end < columns.length && columns[end][0] && columns[end][0] === columns[at][0]) end += 1;
    const group = element("div", columns[at][0] ? "group" : "group none", columns[at][0]);
    group.style.gridRow = "1";
    group.style.gridColumn = `${at + 2} / ${end + 2}`;
    node.append(group);
  }
  columns.forEach(([, name], at) => {
    const made = element("div", "name", name);
    made.style.gridRow = "2";
    made.style.gridColumn = String(at + 2);
    made.dataset.column = at;
    node.append(made);
  });
}

function draw(grid, data) {
  const { node } = grid;
  const count = data.rows.length;
  node.replaceChildren();
  node.classList.toggle("arrows", Boolean(data.cells.arrows));
  node.setAttribute("aria-label", data.texts.label);
  for (const [name, value] of Object.entries(data.look)) node.style.setProperty(`--${name}`, value);
  node.style.setProperty("--role", data.look.data);
  node.style.gridTemplateColumns = `minmax(3rem, max-content) repeat(${data.texts.columns.length}, minmax(0, 1fr))`;
  node.style.gridTemplateRows = `auto auto repeat(${count}, minmax(1.1rem, 1fr))`;
  heads(node, data);
  data.rows.forEach((word, row) => {
    const made = element("button", data.sinks.includes(row) ? "word sink" : "word", word);
    made.type = "button";
    made.title = word;
    made.dataset.row = row;
    made.style.gridColumn = "1";
    made.onclick = () => pick(grid, row, null);
    node.append(made);
    data.texts.columns.forEach((_, column) => node.append(cell(grid, data, row, column)));
  });
}

function frame(grid, [row, column]) {
  grid.focus = [row, column];
  for (const made of grid.node.querySelectorAll(".cell, .word, .name")) {
    const own = made.dataset.row === undefined || Number(made.dataset.row) === row;
    const here = made.dataset.column === undefined || Number(made.dataset.column) === column;
    made.classList.toggle("now", own && here);
    made.classList.toggle("row", made.classList.contains("cell") && own);
    if (made.tagName === "BUTTON") {
      made.tabIndex = own && here && made.classList.contains("cell") ? 0 : -1;
      made.setAttribute("aria-pressed", String(own && here));
    }
  }
}

function pick(grid, row, column) {
  frame(grid, [row, column ?? grid.focus[1]]);
  grid.picks += 1;
  grid.send("pick", { row, column, nonce: `${performance.now()}-${grid.picks}` });
}

function step(grid, event) {
  const move = KEYS[event.key];
  if (!move) return;
  event.preventDefault();
  const [row, column] = [grid.focus[0] + move[0], grid.focus[1] + move[1]];
  const next = grid.node.querySelector(`.cell[data-row="${row}"][data-column="${column}"]`);
  if (!next) return;
  pick(grid, row, column);
  next.focus();
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  let grid = grids.get(parentElement);
  if (!grid) {
    grid = { node: parentElement.querySelector(".grid"), drawn: "", picks: 0, focus: [0, 0] };
    const made = grid;
    grid.node.addEventListener("keydown", (event) => step(made, event));
    grids.set(parentElement, grid);
  }
  grid.send = setTriggerValue;
  const { focus, ...picture } = data;
  const drawn = JSON.stringify(picture);
  if (drawn !== grid.drawn) draw(grid, data);
  grid.drawn = drawn;
  frame(grid, focus);
}
