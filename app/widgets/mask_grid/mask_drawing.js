// How the cells are drawn, and where the words stand around them.

const LEAST_CELL = 12, MOST_CELL = 34, SLANT = Math.SQRT1_2;
const WIDE = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/;

const remOf = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

function widthIn(grid, text, font) {
  grid.ruler.font = `${font}px ${getComputedStyle(grid.node).fontFamily}`;
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

function label(text, title, end) {
  const made = document.createElement("span");
  made.textContent = text;
  made.title = title;
  made.classList.toggle("end", end);
  return made;
}

function writeLabels(grid) {
  const { data, size, node } = grid;
  const { cell, font, left, top, over } = size;
  const board = node.querySelector(".board");
  board.style.gridTemplate = `${top}px ${data.rows * cell}px / ${left}px ${data.columns * cell + over}px`;
  const across = headings(data).map((text, at) => {
    const whole = data.texts.whole_column.replace("{key}", () => data.columnLabels[at]);
    const made = label(text, whole, data.columnEnds[at]);
    const { how } = size.places[at];
    made.classList.add(how);
    const x = (at + 0.5) * cell;
    Object.assign(made.style, { fontSize: `${font}px`, bottom: how === "slanted" ? "0" : "3px" });
    made.style.left = `${x + (how === "slanted" ? font * 0.35 : 0)}px`;
    if (how !== "slanted") made.style.transform = "translateX(-50%)";
    return made;
  });
  const down = data.rowLabels.map((text, at) => {
    const closed = data.closed.includes(at);
    const made = label(closed ? `∅ ${text}` : text, data.texts.whole_row.replace("{query}", () => text), data.rowEnds[at]);
    made.classList.toggle("closed", closed);
    Object.assign(made.style, { fontSize: `${font}px`, top: `${(at + 0.5) * cell - font * 0.63}px` });
    return made;
  });
  grid.across.replaceChildren(...across);
  grid.down.replaceChildren(...down);
  node.querySelector(".corner .across").textContent = data.texts.across;
  node.querySelector(".corner .down").textContent = data.texts.down;
}

function hatchOf(context, colours, ratio) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6 * ratio;
  const pen = tile.getContext("2d");
  pen.fillStyle = colours.panel;
  pen.fillRect(0, 0, tile.width, tile.height);
  pen.strokeStyle = colours.hatch;
  pen.lineWidth = 1.2 * ratio;
  for (const shift of [-6, 0, 6]) {
    pen.beginPath();
    pen.moveTo((shift - 1) * ratio, 7 * ratio);
    pen.lineTo((shift + 7) * ratio, -1 * ratio);
    pen.stroke();
  }
  return context.createPattern(tile, "repeat");
}

function drawCell(pen, x, y, cell, state, changed, colours) {
  pen.fillStyle = state === ALLOWED ? colours.allowed : pen.hatch;
  pen.fillRect(x, y, cell, cell);
  if (state === MIXED) {
    pen.fillStyle = colours.allowed;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x, y + cell);
    pen.lineTo(x + cell, y + cell);
    pen.fill();
  }
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, y + 0.5, cell, cell);
  if (!changed) return;
  pen.strokeStyle = colours.changed;
  pen.lineWidth = cell < 16 ? 1.5 : 2;
  pen.strokeRect(x + 1.75, y + 1.75, cell - 2.5, cell - 2.5);
}

function drawDigit(pen, x, y, cell, state, data) {
  if (state === MIXED || cell < 13) return;
  const one = (state === ALLOWED) === (data.ones === "look");
  pen.font = `${Math.min(cell * 0.55, 15)}px ${pen.family}`;
  pen.fillStyle = data.colours.text;
  pen.fillText(one ? "1" : "0", x + cell / 2 + 0.5, y + cell / 2 + 1);
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
  Object.assign(pen, { textAlign: "center", textBaseline: "middle", family: getComputedStyle(grid.node).fontFamily });
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
  frameCell(pen, grid.drag ? null : grid.at, cell, data.colours.text);
  grid.cells = cells;
  Object.assign(canvas.dataset, { cell, rows: data.rows, columns: data.columns });
}

function frameCell(pen, at, cell, colour) {
  if (!at) return;
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  pen.strokeRect(at[1] * cell + 1, at[0] * cell + 1, cell - 1, cell - 1);
}

function drawLegend(grid) {
  const { data, node } = grid;
  const kinds = [["allowed", ALLOWED, 0], ["forbidden", FORBIDDEN, 0], ["changed", ALLOWED, 1]];
  if (data.mixed) kinds.splice(2, 0, ["mixed", MIXED, 0]);
  const marks = kinds.map(([name, state, changed]) => {
    const mark = document.createElement("span");
    const square = document.createElement("canvas");
    const side = Math.round(remOf() * 0.85);
    drawCell(startCanvas(square, side + 1, side + 1, data.colours), 0, 0, side, state, changed, data.colours);
    mark.append(square, data.texts[name]);
    return mark;
  });
  node.querySelector(".legend").replaceChildren(...marks);
}
