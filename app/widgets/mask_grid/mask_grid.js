// A mask that one paints: press, drag, release. The browser shows a stroke at once and keeps it
// until the server's cells hold it (its number is at most `revision`), so that no quick stroke is
// lost; whatever else changes the mask comes with the server's cells.

const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const grids = new WeakMap();

function startGrid(root) {
  const node = root.querySelector(".mask");
  const [scroll, canvas] = [node.querySelector(".scroll"), node.querySelector(".board canvas")];
  const grid = {
    node, scroll, canvas, across: node.querySelector(".columns"), down: node.querySelector(".rows"),
    ruler: document.createElement("canvas").getContext("2d"),
    pending: [], drag: null, at: null, last: 0, sent: "", send: () => {},
  };
  canvas.addEventListener("pointerdown", (event) => press(grid, event));
  canvas.addEventListener("pointermove", (event) => move(grid, event));
  canvas.addEventListener("pointerup", () => release(grid, true));
  canvas.addEventListener("pointercancel", () => release(grid, false));
  canvas.addEventListener("pointerleave", () => grid.drag || point(grid, null));
  canvas.addEventListener("keydown", (event) => typed(grid, event));
  canvas.addEventListener("blur", () => grid.drag || point(grid, null));
  for (const [box, brush] of [[grid.across, "column"], [grid.down, "row"]]) {
    box.addEventListener("click", (event) => paintLine(grid, box, brush, event.target));
  }
  grid.resized = new ResizeObserver(() => place(grid));
  grid.resized.observe(scroll);
  grids.set(root, grid);
  return grid;
}

function cellAt(grid, event) {
  const box = grid.canvas.getBoundingClientRect();
  const inside = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value / grid.size.cell)));
  return [inside(event.clientY - box.top, grid.data.limit[0]), inside(event.clientX - box.left, grid.data.limit[1])];
}

function press(grid, event) {
  if (event.button !== 0 || !event.isPrimary) return;
  grid.canvas.setPointerCapture(event.pointerId);
  const cell = cellAt(grid, event);
  const { brush, stroke, place } = grid.data;
  grid.drag = { brush, stroke, place, from: cell, to: cell };
  point(grid, cell);
}

function move(grid, event) {
  const cell = cellAt(grid, event);
  if (grid.drag) grid.drag.to = cell;
  if (String(cell) !== String(grid.at)) point(grid, cell);
}

function release(grid, kept) {
  const { drag } = grid;
  grid.drag = null;
  if (drag && kept) commit(grid, drag);
  else drawCells(grid);
}

// Numbers of strokes grow, also after a reload of the page.
function commit(grid, stroke) {
  grid.last = Math.max(Date.now(), grid.last + 1);
  grid.pending.push({ ...stroke, number: grid.last });
  grid.send("paint", { strokes: grid.pending });
  drawCells(grid);
  tell(grid);
}

function paintLine(grid, box, brush, target) {
  const at = [...box.children].indexOf(target);
  const most = grid.data.limit[brush === "row" ? 0 : 1];
  if (at < 0 || at >= most) return;
  const { stroke, place } = grid.data;
  commit(grid, { brush, stroke, place, from: [at, at], to: [at, at] });
}

function typed(grid, event) {
  const step = MOVES[event.key];
  const paints = event.key === " " || event.key === "Enter";
  if (event.key === "Escape" && grid.drag) {
    event.stopPropagation();
    release(grid, false);
    return;
  }
  if (!step && !paints) return;
  event.preventDefault();
  event.stopPropagation();
  const from = grid.at ?? [0, 0];
  if (step) {
    const next = from.map((value, axis) => Math.max(0, Math.min(grid.data.limit[axis] - 1, value + step[axis])));
    point(grid, grid.at ? next : from);
    reveal(grid);
    return;
  }
  const { brush, stroke, place } = grid.data;
  point(grid, from);
  commit(grid, { brush, stroke, place, from, to: from });
}

function reveal(grid) {
  const { cell, left, top } = grid.size;
  const [row, column] = grid.at;
  const box = grid.scroll;
  const seen = (value, first, room) => Math.min(Math.max(first, value + cell - room), value);
  box.scrollTop = seen(row * cell, box.scrollTop, box.clientHeight - top);
  box.scrollLeft = seen(column * cell, box.scrollLeft, box.clientWidth - left);
}

function point(grid, cell) {
  grid.at = cell;
  [...grid.down.children].forEach((each, at) => each.classList.toggle("hot", at === cell?.[0]));
  [...grid.across.children].forEach((each, at) => each.classList.toggle("hot", at === cell?.[1]));
  drawCells(grid);
  tell(grid);
}

function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  if (value === 0) return "0";
  if (value >= 1e-4) return Number(value.toPrecision(digits)).toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(value))));
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  return `${mantissa}×10${[...power].map((sign) => ({ "-": "⁻" })[sign] ?? "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign]).join("")}`;
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// One line about the cell under the pointer; the weight is the server's, so not while it is old.
function tell(grid) {
  const { data, at } = grid;
  const line = grid.node.querySelector(".said");
  grid.node.querySelector(".foot").classList.toggle("pointed", Boolean(at));
  if (!at) {
    line.textContent = "";
    return;
  }
  const index = at[0] * data.columns + at[1];
  const state = data.texts[["forbidden", "allowed", "mixed"][grid.cells.state[index]]];
  const old = grid.pending.length > 0 || grid.drag;
  const known = grid.weights && !old;
  const values = { query: data.rowLabels[at[0]], key: data.columnLabels[at[1]], state };
  const weight = known ? fill(data.texts.weight, { weight: written(grid.weights[index], data.digits) }) : "";
  line.textContent = fill(data.texts.pair, values) + weight;
}

function writeTools(grid) {
  const { data, node } = grid;
  for (const [box, name] of [["strokes", "stroke"], ["brushes", "brush"]]) {
    const group = node.querySelector(`.${box}`);
    group.setAttribute("aria-label", data.texts[box]);
    group.replaceChildren(...data[box].map((option) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: data.texts[option], title: data.texts[`${option}_help`] });
      button.setAttribute("role", "radio");
      button.setAttribute("aria-checked", String(data[name] === option));
      button.onclick = () => {
        grid.data = { ...grid.data, [name]: option };
        writeTools(grid);
        grid.send("tool", { [name]: option });
      };
      return button;
    }));
  }
}

function place(grid) {
  if (!grid.data || !grid.scroll.clientWidth) return;
  grid.size = measure(grid);
  writeLabels(grid);
  drawCells(grid);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return undefined;
  const grid = grids.get(parentElement) ?? startGrid(parentElement);
  grid.send = setTriggerValue;
  const { revision, ...picture } = data;
  grid.pending = grid.pending.filter((each) => each.number > revision);
  const sent = JSON.stringify(picture);
  if (sent === grid.sent) {
    drawCells(grid);
  } else {
    const tools = grid.data && grid.tools === `${data.stroke} ${data.brush}` ? grid.data : data;
    grid.tools = `${data.stroke} ${data.brush}`;
    grid.data = { ...data, stroke: tools.stroke, brush: tools.brush };
    grid.known = readCells(data);
    grid.weights = data.weights ? floatsOf(data.weights) : null;
    for (const [name, colour] of Object.entries(data.colours)) grid.node.style.setProperty(`--${name}`, colour);
    grid.canvas.setAttribute("aria-label", data.texts.label);
    grid.node.querySelector(".tools").title = data.texts.hint;
    writeTools(grid);
    drawLegend(grid);
    place(grid);
  }
  grid.sent = sent;
  if (grid.cells) tell(grid);
  return () => {
    grid.resized.disconnect();
    grids.delete(parentElement);
  };
}
