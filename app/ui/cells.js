// Pictures of matrices: their numbers, their colours, their pixels.

const FORBIDDEN = 255; // the level of a cell that is not looked at
const BRIGHTER = 0.6; // power of the level: at a small size weak patterns would not be seen

// Numbers that were sent as base64.
function numbersOf(text, Kind) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return new Kind(bytes.buffer);
}

const channelsOf = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const lightOf = ([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue;

// The colour at a share of a scale, between its stops.
function mixed(stops, share) {
  const after = Math.max(
    1,
    stops.findIndex(([at]) => at >= share),
  );
  const [[from, low], [to, high]] = [stops[after - 1], stops[after]].map(([at, hex]) => [
    at,
    channelsOf(hex),
  ]);
  return low.map((channel, at) =>
    Math.round(channel + ((high[at] - channel) * (share - from)) / (to - from)),
  );
}

const pixelOf = ([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red;

// The levels 0–254 as pixels; 255, forbidden, stays clear: what lies behind the canvas shows
// through.
function paletteOf(stops, bent = (share) => share) {
  return Uint32Array.from({ length: 256 }, (_, level) =>
    level === FORBIDDEN ? 0 : pixelOf(mixed(stops, bent(level / 254))),
  );
}

const bright = (share) => share ** BRIGHTER;

function paintCells(canvas, levels, rows, columns, palette) {
  [canvas.width, canvas.height] = [columns, rows];
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(columns, rows);
  const cells = new Uint32Array(image.data.buffer);
  for (let at = 0; at < cells.length; at += 1) cells[at] = palette[levels[at]];
  pen.putImageData(image, 0, 0);
  return canvas;
}

// Significant digits, a true minus; beyond 0.0001 … 999999 with a power of ten.
function written(value, digits) {
  if (value === null || Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (value === 0) return "0";
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent > -5 && exponent < 6)
    return value.toFixed(Math.max(digits - 1 - exponent, 0)).replace("-", "−");
  const raised = String(exponent).replace(
    /[-0-9]/g,
    (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)],
  );
  return `${mantissa}×10${raised}`.replace("-", "−");
}

const isWide = (text) => /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/.test(text);

// A clean canvas as sharp as the screen: its pen and its size in CSS pixels.
function fitted(canvas, width = canvas.clientWidth, height = canvas.clientHeight) {
  const ratio = window.devicePixelRatio || 1;
  for (const [side, size] of Object.entries({ width, height })) {
    if (canvas[side] !== Math.round(size * ratio)) canvas[side] = Math.round(size * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

// What fills cells that are not looked at: lines on the panel's colour.
function hatchOf(pen, colours) {
  const ratio = window.devicePixelRatio || 1;
  const tile = make("canvas", { width: 6 * ratio, height: 6 * ratio });
  const own = tile.getContext("2d");
  fillBox(own, colours.panel, 0, 0, tile.width, tile.height);
  const lines = [-6, 0, 6].map((shift) => [shift - 1, 7, shift + 7, -1].map((at) => at * ratio));
  strokeLines(own, { strokeStyle: colours.hatch, lineWidth: 1.2 * ratio }, ...lines);
  const pattern = pen.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

// A pen of a canvas: text, a filled box, a framed box and lines, each with what it is drawn with.
function writeText(pen, text, x, y, look) {
  Object.assign(pen, look);
  pen.fillText(text, x, y);
}

function fillBox(pen, fillStyle, ...box) {
  pen.fillStyle = fillStyle;
  pen.fillRect(...box);
}

function frameBox(pen, strokeStyle, lineWidth, ...box) {
  Object.assign(pen, { strokeStyle, lineWidth });
  pen.strokeRect(...box);
}

function strokeLines(pen, look, ...lines) {
  Object.assign(pen, look);
  pen.stroke(new Path2D(lines.map(([x, y, u, v]) => `M${x} ${y}L${u} ${v}`).join("")));
}
