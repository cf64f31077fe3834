// The cells of a mask and how they are drawn, with the words around them.

// What the server sent, with the strokes on top that it has not answered yet.
const HIDDEN = 0, ALLOWED = 1, MIXED = 2;

function bitsOf(text) {
  const bytes = numbersOf(text, Uint8Array);
  return (at) => (bytes[at >> 3] >> (7 - (at & 7))) & 1;
}

// What the server knows: a state a cell, whether a switch changed it, the model's own mask.
function readCells({ columns, planes, rows }) {
  const [allowed, mixedAt, changed, own] = planes.map(bitsOf);
  const all = (value) => Uint8Array.from({ length: rows * columns }, (_, at) => value(at));
  return { state: all((at) => (mixedAt(at) ? MIXED : allowed(at))), changed: all(changed), own: all(own) };
}

// The cells of a drag, as [row, column], like the server's `covered`.
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
  const all = Array.from({ length: rows * columns }, (_, at) => [Math.floor(at / columns), at % columns]);
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

const LEAST_CELL = 12, MOST_CELL = 34, SLANT = Math.SQRT1_2;
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/;

const remOf = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

function widthIn(grid, text, font) {
  grid.ruler.font = `${font}px ${getComputedStyle(grid.root).fontFamily}`;
  return grid.ruler.measureText(text).width;
}

// What stands above a column: among Chinese, marks without their brackets.
function headings(data) {
  const chinese = data.columnLabels.some((text) => WIDE.test(text));
  const bare = (text, at) => (chinese && data.columnEnds[at] ? text.replace(/^<|>$/g, "") : text);
  return data.columnLabels.map(bare);
}

// Horizontal where all fit, else Chinese upright below each other and other words at 45°; short
// ones among Chinese stand upright, too, for at 45° they would run into their neighbours.
function standing(grid, words, font, cell) {
  const widths = words.map((text) => widthIn(grid, text, font));
  const level = Math.max(...widths) <= cell - 3;
  const chinese = words.some((text) => WIDE.test(text));
  return words.map((text, at) => {
    if (level || (chinese && widths[at] <= cell - 3)) return { how: "level", height: font, over: 0 };
    const stacked = WIDE.test(text) || (chinese && text.length <= 6);
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
    const left = Math.min(words + 14 * scale, room.x * 0.4);
    const places = standing(grid, headings(data), font, cell);
    const top = Math.max(...places.map((each) => each.height), 2.6 * font) + 5;
    const over = Math.max(0, ...places.map((each, at) => each.over - (data.columns - at - 0.5) * cell));
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
  grid.find(".board").style.gridTemplate = `${top}px ${rows * cell}px / ${left}px ${columns * cell + over}px`;
  across.replaceChildren(...headings(data).map((text, at) => {
    const title = phrase(texts.whole_column, { key: columnLabels[at] });
    return set(placed(size, text, at), { title, is: { end: columnEnds[at] } });
  }));
  down.replaceChildren(...rowLabels.map((text, at) => {
    const shut = closed.includes(at);
    const style = { fontSize: `${font}px`, top: `${(at + 0.5) * cell - font * 0.63}px` };
    const title = phrase(texts.whole_row, { query: text });
    return make("span", { title, is: { end: rowEnds[at], closed: shut }, style }, shut ? `∅ ${text}` : text);
  }));
  grid.find(".corner .across").textContent = texts.across;
  grid.find(".corner .down").textContent = texts.down;
}

function hatchOf(context, colours, ratio) {
  const tile = make("canvas", { width: 6 * ratio, height: 6 * ratio });
  const pen = tile.getContext("2d");
  fillBox(pen, colours.panel, 0, 0, tile.width, tile.height);
  const lines = [-6, 0, 6].map((shift) => [shift - 1, 7, shift + 7, -1].map((at) => at * ratio));
  strokeLines(pen, { strokeStyle: colours.hatch, lineWidth: 1.2 * ratio }, ...lines);
  return context.createPattern(tile, "repeat");
}

function drawCell(pen, x, y, cell, state, changed, colours) {
  fillBox(pen, state === ALLOWED ? colours.allowed : pen.hatch, x, y, cell, cell);
  if (state === MIXED) {
    pen.fillStyle = colours.allowed;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x, y + cell);
    pen.lineTo(x + cell, y + cell);
    pen.fill();
  }
  frameBox(pen, colours.line, 1, x + 0.5, y + 0.5, cell, cell);
  if (changed) frameBox(pen, colours.changed, cell < 16 ? 1.5 : 2, x + 1.75, y + 1.75, cell - 2.5, cell - 2.5);
}

function drawDigit(pen, x, y, cell, state, data) {
  if (state === MIXED || cell < 13) return;
  const one = (state === ALLOWED) === (data.ones === "look");
  const look = { font: `${Math.min(cell * 0.55, 15)}px ${pen.family}`, fillStyle: data.colours.text };
  writeText(pen, one ? "1" : "0", x + cell / 2 + 0.5, y + cell / 2 + 1, look);
}

function startCanvas(canvas, width, height, colours) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const pen = canvas.getContext("2d");
  pen.hatch = hatchOf(pen, colours, ratio);
  pen.hatch.setTransform(new DOMMatrix().scale(1 / ratio));
  pen.scale(ratio, ratio);
  return pen;
}

function drawCells(grid) {
  const { data, size, canvas } = grid;
  const { cell } = size;
  const cells = cellsNow(grid);
  const pen = startCanvas(canvas, data.columns * cell + 1, data.rows * cell + 1, data.colours);
  Object.assign(pen, { textAlign: "center", textBaseline: "middle", family: getComputedStyle(grid.root).fontFamily });
  for (let row = 0; row < data.rows; row += 1) {
    for (let column = 0; column < data.columns; column += 1) {
      const at = row * data.columns + column;
      const [x, y] = [column * cell, row * cell];
      pen.globalAlpha = row < data.limit[0] && column < data.limit[1] ? 1 : 0.35;
      drawCell(pen, x, y, cell, cells.state[at], cells.changed[at], data.colours);
      drawDigit(pen, x, y, cell, cells.state[at], data);
    }
  }
  pen.globalAlpha = 1;
  const { at, drag } = grid;
  if (at && !drag) frameBox(pen, data.colours.text, 2, at[1] * cell + 1, at[0] * cell + 1, cell - 1, cell - 1);
  grid.cells = cells;
  Object.assign(canvas.dataset, { cell, rows: data.rows, columns: data.columns });
}

function drawLegend(grid) {
  const { colours, mixed: some, texts } = grid.data;
  const kinds = [["allowed", ALLOWED, 0], ["forbidden", HIDDEN, 0], ["mixed", MIXED, 0], ["changed", ALLOWED, 1]];
  const side = Math.round(remOf() * 0.85);
  const marks = kinds.filter(([name]) => some || name !== "mixed").map(([name, state, changed]) => {
    const square = make("canvas");
    drawCell(startCanvas(square, side + 1, side + 1, colours), 0, 0, side, state, changed, colours);
    return make("span", square, texts[name]);
  });
  grid.find(".legend").replaceChildren(...marks);
}
