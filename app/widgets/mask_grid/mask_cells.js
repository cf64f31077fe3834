// The cells: what the server sent, with the strokes on top that it has not answered yet.

const FORBIDDEN = 0, ALLOWED = 1, MIXED = 2;

function bitsOf(text, count) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return (at) => (bytes[at >> 3] >> (7 - (at & 7))) & 1;
}

function floatsOf(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

// What the server knows: a state a cell, whether a switch changed it, the model's own mask.
function readCells(data) {
  const size = data.rows * data.columns;
  const [allowed, mixed, changed, own] = data.planes.map((plane) => bitsOf(plane, size));
  const cells = { state: new Uint8Array(size), changed: new Uint8Array(size), own: new Uint8Array(size) };
  for (let at = 0; at < size; at += 1) {
    cells.state[at] = mixed(at) ? MIXED : allowed(at);
    cells.changed[at] = changed(at);
    cells.own[at] = own(at);
  }
  return cells;
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
  const found = [];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (inside(row, column)) found.push([row, column]);
    }
  }
  return found;
}

function paintOver(cells, stroke, columns, limit) {
  for (const [row, column] of coveredBy(stroke, limit)) {
    const at = row * columns + column;
    const state = { hide: FORBIDDEN, show: ALLOWED, clear: cells.own[at] }[stroke.stroke];
    cells.state[at] = state;
    cells.changed[at] = Number(state !== cells.own[at]);
  }
}

// A copy of the server's cells with everything that is not answered yet, and the drag under way.
function cellsNow(grid) {
  const { known, data } = grid;
  const cells = { ...known, state: known.state.slice(), changed: known.changed.slice() };
  const open = grid.pending.filter((each) => each.place === data.place);
  for (const stroke of grid.drag ? [...open, grid.drag] : open) {
    paintOver(cells, stroke, data.columns, data.limit);
  }
  return cells;
}
