// A mask that one paints: press, drag, release. The browser shows a stroke at once and keeps it
// until the server's cells hold it (its number is at most `revision`), so that no quick stroke is
// lost; whatever else changes the mask comes with the server's cells.

const MARKUP = `<div class="mask">
  <div class="tools">
    <div class="segments strokes" role="radiogroup"></div>
    <div class="segments brushes" role="radiogroup"></div>
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

// Its cells: what the server sent, with the strokes on top that it has not answered yet.
const HIDDEN = 0,
  ALLOWED = 1,
  MIXED = 2;

function bitsOf(text) {
  const bytes = numbersOf(text, Uint8Array);
  return (at) => (bytes[at >> 3] >> (7 - (at & 7))) & 1;
}

// What the server knows: a state a cell, whether a switch changed it, the model's own mask.
function readCells({ columns, planes, rows }) {
  const [allowed, mixedAt, changed, own] = planes.map(bitsOf);
  const all = (value) => Uint8Array.from({ length: rows * columns }, (_, at) => value(at));
  return {
    state: all((at) => (mixedAt(at) ? MIXED : allowed(at))),
    changed: all(changed),
    own: all(own),
  };
}

// The cells of a drag, as [row, column], like the server's `cells_of_drag`.
function coveredBy({ brush, from, to }, [rows, columns]) {
  const between = (a, b) => [Math.min(a, b), Math.max(a, b)];
  const [top, bottom] = between(from[0], to[0]);
  const [left, right] = between(from[1], to[1]);
  const [low, high] = between(from[1] - from[0], to[1] - to[0]);
  const inside = {
    cell: (row, column) => row >= top && row <= bottom && column >= left && column <= right,
    row: (row) => row >= top && row <= bottom,
    column: (row, column) => column >= left && column <= right,
    band: (row, column) => column - row >= low && column - row <= high,
  }[brush];
  const all = Array.from({ length: rows * columns }, (_, at) => [
    Math.floor(at / columns),
    at % columns,
  ]);
  return all.filter(([row, column]) => inside(row, column));
}

// A copy of the server's cells with everything that is not answered yet, and the drag under way.
function cellsNow({ data, drag, known, pending }) {
  const cells = { ...known, state: known.state.slice(), changed: known.changed.slice() };
  const open = pending.filter((each) => each.place === data.place);
  for (const stroke of drag ? [...open, drag] : open) {
    for (const [row, column] of coveredBy(stroke, data.limit)) {
      const at = row * data.columns + column;
      cells.state[at] = { hide: HIDDEN, show: ALLOWED, clear: cells.own[at] }[stroke.stroke];
      cells.changed[at] = Number(cells.state[at] !== cells.own[at]);
    }
  }
  return cells;
}

const LEAST_CELL = 12,
  MOST_CELL = 44,
  SLANT = Math.SQRT1_2;

const remOf = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

function widthIn(grid, text, font) {
  grid.ruler.font = `${font}px ${getComputedStyle(grid.root).fontFamily}`;
  return grid.ruler.measureText(text).width;
}

// What stands above a column: among Chinese, marks without their brackets.
function headings(data) {
  const chinese = data.columnLabels.some(isWide);
  const bare = (text, at) => (chinese && data.columnEnds[at] ? text.replace(/^<|>$/g, "") : text);
  return data.columnLabels.map(bare);
}

// Horizontal where all fit, else Chinese upright below each other and other words at 45°; short
// ones among Chinese stand upright, too, for at 45° they would run into their neighbours.
function standing(grid, words, font, cell) {
  const widths = words.map((text) => widthIn(grid, text, font));
  const level = Math.max(...widths) <= cell - 3;
  const chinese = words.some(isWide);
  return words.map((text, at) => {
    if (level || (chinese && widths[at] <= cell - 3))
      return { how: "level", height: font, over: 0 };
    const stacked = isWide(text) || (chinese && text.length <= 6);
    if (stacked) return { how: "upright", height: [...text].length * font * 1.08, over: 0 };
    return { how: "slanted", height: (widths[at] + font) * SLANT, over: widths[at] * SLANT };
  });
}

// Sizes that fit the box: cells as large as possible, but not smaller than one can hit.
function measure(grid) {
  const { data, scroll } = grid;
  const scale = remOf() / 16;
  const [least, most] = [LEAST_CELL * scale, MOST_CELL * scale];
  const room = { x: scroll.clientWidth - 4, y: scroll.clientHeight - 4 };
  let cell = most;
  let found;
  for (let turn = 0; turn < 3; turn += 1) {
    const font = Math.max(10 * scale, Math.min(13 * scale, cell * 0.8));
    const words = Math.max(
      ...data.rowLabels.map((text) => widthIn(grid, data.closed.length ? `∅ ${text}` : text, font)),
      ...[data.texts.across, data.texts.down].map((text) => widthIn(grid, text, 12 * scale)),
    );
    const left = Math.min(words + 9 * scale, room.x * 0.4);
    const places = standing(grid, headings(data), font, cell);
    const top = Math.max(...places.map((each) => each.height), 2.6 * font) + 5;
    const over = Math.max(
      0,
      ...places.map((each, at) => each.over - (data.columns - at - 0.5) * cell),
    );
    found = { font, left, top: Math.min(top, room.y * 0.4), over, places };
    const fits = Math.min((room.x - left - over) / data.columns, (room.y - found.top) / data.rows);
    cell = Math.max(least, Math.min(most, Math.floor(fits)));
  }
  return { ...found, cell };
}

function placed(size, text, at) {
  const { how } = size.places[at];
  const slanted = how === "slanted";
  const left = `${(at + 0.5) * size.cell + (slanted ? size.font * 0.35 : 0)}px`;
  const transform = slanted ? "" : "translateX(-50%)";
  const style = { fontSize: `${size.font}px`, bottom: slanted ? "0" : "3px", left, transform };
  return make(`span.${how}`, { style }, text);
}

function writeLabels(grid) {
  const { across, data, down, size } = grid;
  const { closed, columnEnds, columnLabels, columns, rowEnds, rowLabels, rows, texts } = data;
  const { cell, font, left, top, over } = size;
  grid.find(".board").style.gridTemplate =
    `${top}px ${rows * cell}px / ${left}px ${columns * cell + over}px`;
  across.replaceChildren(
    ...headings(data).map((text, at) => {
      const title = phrase(texts.whole_column, { key: columnLabels[at] });
      return set(placed(size, text, at), { title, is: { end: columnEnds[at] } });
    }),
  );
  down.replaceChildren(
    ...rowLabels.map((text, at) => {
      const shut = closed.includes(at);
      const style = { fontSize: `${font}px`, top: `${(at + 0.5) * cell - font * 0.63}px` };
      const title = phrase(texts.whole_row, { query: text });
      return make(
        "span",
        { title, is: { end: rowEnds[at], closed: shut }, style },
        shut ? `∅ ${text}` : text,
      );
    }),
  );
  grid.write({ ".corner .across": texts.across, ".corner .down": texts.down });
}

function drawCell(pen, x, y, cell, state, changed, colours) {
  fillBox(pen, state === ALLOWED ? colours.allowed : colours.hatch, x, y, cell, cell);
  if (state === MIXED) {
    pen.fillStyle = colours.allowed;
    pen.fill(new Path2D(`M${x} ${y}v${cell}h${cell}z`));
  }
  frameBox(pen, colours.line, 1, x + 0.5, y + 0.5, cell, cell);
  if (changed)
    frameBox(pen, colours.changed, cell < 16 ? 1.5 : 2, x + 1.75, y + 1.75, cell - 2.5, cell - 2.5);
}

function drawDigit(pen, x, y, cell, state, data) {
  if (state === MIXED || cell < 13) return;
  const one = (state === ALLOWED) === (data.ones === "look");
  const look = {
    font: `${Math.min(cell * 0.55, 15)}px ${pen.family}`,
    fillStyle: data.colours.text,
  };
  writeText(pen, one ? "1" : "0", x + cell / 2 + 0.5, y + cell / 2 + 1, look);
}

function drawCells(grid) {
  const { data, size, canvas } = grid;
  const { cell } = size;
  const cells = cellsNow(grid);
  const { pen, width, height } = fitted(canvas, data.columns * cell + 1, data.rows * cell + 1);
  const colours = { ...data.colours, hatch: hatchOf(pen, data.colours) };
  set(canvas, { style: { width: `${width}px`, height: `${height}px` } });
  Object.assign(pen, {
    textAlign: "center",
    textBaseline: "middle",
    family: getComputedStyle(grid.root).fontFamily,
  });
  for (let row = 0; row < data.rows; row += 1) {
    for (let column = 0; column < data.columns; column += 1) {
      const at = row * data.columns + column;
      const [x, y] = [column * cell, row * cell];
      pen.globalAlpha = row < data.limit[0] && column < data.limit[1] ? 1 : 0.35;
      drawCell(pen, x, y, cell, cells.state[at], cells.changed[at], colours);
      drawDigit(pen, x, y, cell, cells.state[at], data);
    }
  }
  pen.globalAlpha = 1;
  const { at, drag } = grid;
  if (at && !drag)
    frameBox(pen, data.colours.text, 2, at[1] * cell + 1, at[0] * cell + 1, cell - 1, cell - 1);
  grid.cells = cells;
  Object.assign(canvas.dataset, { cell, rows: data.rows, columns: data.columns });
}

function drawLegend(grid) {
  const { colours, mixed: some, texts } = grid.data;
  const kinds = [
    ["allowed", ALLOWED, 0],
    ["forbidden", HIDDEN, 0],
    ["mixed", MIXED, 0],
    ["changed", ALLOWED, 1],
  ];
  const side = Math.round(remOf() * 0.85);
  const marks = kinds
    .filter(([name]) => some || name !== "mixed")
    .map(([name, state, changed]) => {
      const square = make("canvas");
      const { pen } = fitted(square, side + 1, side + 1);
      drawCell(pen, 0, 0, side, state, changed, { ...colours, hatch: hatchOf(pen, colours) });
      return make("span", square, texts[name]);
    });
  grid.find(".legend").replaceChildren(...marks);
}

function cellAt(grid, event) {
  const box = grid.canvas.getBoundingClientRect();
  const inside = (value, most) =>
    Math.max(0, Math.min(most - 1, Math.floor(value / grid.size.cell)));
  return [
    inside(event.clientY - box.top, grid.data.limit[0]),
    inside(event.clientX - box.left, grid.data.limit[1]),
  ];
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
    const next = from.map((value, axis) =>
      Math.max(0, Math.min(grid.data.limit[axis] - 1, value + step[axis])),
    );
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

const nameOf = ({ brush, stroke }) => `${stroke} ${brush}`;

function option(grid, name, value) {
  const { texts } = grid.data;
  const choose = () => {
    grid.tool[name] = value;
    grid.asked = nameOf(grid.tool);
    writeTools(grid);
    // all of it: of two quick ones the server may hear the last alone
    grid.trigger("tool", { ...grid.tool });
  };
  const given = {
    role: "radio",
    "aria-checked": grid.tool[name] === value,
    title: texts[`${value}_help`],
  };
  return make("button", { ...given, onclick: choose }, texts[value]);
}

function writeTools(grid) {
  for (const [box, name] of [
    ["strokes", "stroke"],
    ["brushes", "brush"],
  ]) {
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
  Object.assign(grid, {
    scroll,
    canvas,
    across,
    down,
    ruler,
    pending: [],
    drag: null,
    at: null,
    last: 0,
  });
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
    // The tool that is chosen here stays until the server has heard of it, then until its is
    // another one.
    const { brush, stroke } = data;
    const tools = nameOf(data);
    if (grid.asked === tools) grid.asked = null;
    if (!grid.asked && grid.tools !== tools) grid.tool = { brush, stroke };
    grid.tools = tools;
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
