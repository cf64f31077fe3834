// A mask that one paints: press, drag, release. The browser shows a stroke at once and keeps it
// until the server's cells hold it (its number is at most `revision`), so that no quick stroke is
// lost; whatever else changes the mask comes with the server's cells.

const MARKUP = `<div class="mask">
  <div class="tools">
    <div class="group strokes" role="radiogroup"></div>
    <div class="group brushes" role="radiogroup"></div>
  </div>
  <div class="scroll"><div class="board">
    <div class="corner"><span class="across"></span><span class="down"></span></div>
    <div class="columns"></div>
    <div class="rows"></div>
    <canvas tabindex="0" role="application"></canvas>
  </div></div>
  <div class="foot">
    <div class="legend"></div>
    <div class="said cut" aria-live="polite"></div>
  </div>
</div>`;

function cellAt(grid, event) {
  const box = grid.canvas.getBoundingClientRect();
  const inside = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value / grid.size.cell)));
  return [inside(event.clientY - box.top, grid.data.limit[0]), inside(event.clientX - box.left, grid.data.limit[1])];
}

const strokeAt = (grid, cell) => ({ ...grid.tool, place: grid.data.place, from: cell, to: cell });

function press(grid, event) {
  if (event.button !== 0 || !event.isPrimary) return;
  grid.canvas.setPointerCapture(event.pointerId);
  const cell = cellAt(grid, event);
  grid.drag = strokeAt(grid, cell);
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
  grid.trigger("paint", { strokes: grid.pending });
  drawCells(grid);
  tell(grid);
}

function paintLine(grid, box, brush, target) {
  const at = [...box.children].indexOf(target);
  const most = grid.data.limit[brush === "row" ? 0 : 1];
  if (at < 0 || at >= most) return;
  commit(grid, { ...strokeAt(grid, [at, at]), brush });
}

function typed(grid, event) {
  const step = ARROWS[event.key];
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
    scrollToCell(grid);
    return;
  }
  point(grid, from);
  commit(grid, strokeAt(grid, from));
}

function scrollToCell({ at: [row, column], scroll, size: { cell, left, top } }) {
  const seen = (value, first, room) => Math.min(Math.max(first, value + cell - room), value);
  scroll.scrollTop = seen(row * cell, scroll.scrollTop, scroll.clientHeight - top);
  scroll.scrollLeft = seen(column * cell, scroll.scrollLeft, scroll.clientWidth - left);
}

function point(grid, cell) {
  grid.at = cell;
  [...grid.down.children].forEach((each, at) => each.classList.toggle("hot", at === cell?.[0]));
  [...grid.across.children].forEach((each, at) => each.classList.toggle("hot", at === cell?.[1]));
  drawCells(grid);
  tell(grid);
}

// One line about the cell under the pointer; the weight is the server's, so not while it is old.
function tell(grid) {
  const { at, cells, data, drag, pending, weights } = grid;
  grid.find(".foot").classList.toggle("pointed", Boolean(at));
  let line = "";
  if (at) {
    const index = at[0] * data.columns + at[1];
    const state = data.texts[["forbidden", "allowed", "mixed"][cells.state[index]]];
    const values = { query: data.rowLabels[at[0]], key: data.columnLabels[at[1]], state };
    line = phrase(data.texts.pair, values);
    const known = weights && !pending.length && !drag;
    if (known) line += phrase(data.texts.weight, { weight: written(weights[index], data.digits) });
  }
  grid.find(".said").textContent = line;
}

function option(grid, name, value) {
  const { texts } = grid.data;
  const choose = () => {
    grid.tool[name] = value;
    writeTools(grid);
    grid.trigger("tool", { [name]: value });
  };
  const given = { role: "radio", "aria-checked": grid.tool[name] === value, title: texts[`${value}_help`] };
  return make("button", { ...given, onclick: choose }, texts[value]);
}

function writeTools(grid) {
  for (const [box, name] of [["strokes", "stroke"], ["brushes", "brush"]]) {
    const options = grid.data[box].map((value) => option(grid, name, value));
    set(grid.find(`.${box}`), { "aria-label": grid.data.texts[box] }).replaceChildren(...options);
  }
}

function place(grid) {
  if (!grid.known || !grid.scroll.clientWidth) return;
  grid.size = measure(grid);
  writeLabels(grid);
  drawCells(grid);
}

function start(grid) {
  const [scroll, canvas] = [grid.find(".scroll"), grid.find("canvas")];
  const [across, down] = [grid.find(".columns"), grid.find(".rows")];
  const ruler = make("canvas").getContext("2d");
  Object.assign(grid, { scroll, canvas, across, down, ruler, pending: [], drag: null, at: null, last: 0 });
  const leave = () => grid.drag || point(grid, null);
  set(canvas, {
    onpointerdown: (event) => press(grid, event),
    onpointermove: (event) => move(grid, event),
    onpointerup: () => release(grid, true),
    onpointercancel: () => release(grid, false),
    onpointerleave: leave,
    onblur: leave,
    onkeydown: (event) => typed(grid, event),
  });
  across.onclick = (event) => paintLine(grid, across, "column", event.target);
  down.onclick = (event) => paintLine(grid, down, "row", event.target);
  grid.watch(scroll, () => place(grid));
}

export default component(MARKUP, {
  moving: ["revision"],
  start,
  draw(grid, data) {
    // The tool that is chosen here stays until the server's is another one.
    const { brush, stroke } = data;
    if (grid.tools !== `${stroke} ${brush}`) grid.tool = { brush, stroke };
    grid.tools = `${stroke} ${brush}`;
    grid.pending = grid.pending.filter((each) => each.number > data.revision);
    grid.known = readCells(data);
    grid.weights = data.weights ? numbersOf(data.weights, Float32Array) : null;
    grid.canvas.setAttribute("aria-label", data.texts.label);
    grid.find(".tools").title = data.texts.hint;
    writeTools(grid);
    drawLegend(grid);
    place(grid);
  },
  mark(grid, { revision }) {
    grid.pending = grid.pending.filter((each) => each.number > revision);
    if (!grid.cells) return;
    drawCells(grid);
    tell(grid);
  },
});
