// A sheet of numbers as a heat map, its words at the rim, the chosen cell framed.

const CELL = { map: [3.6, 3], narrow: [8, 3] }; // widest and highest, in font sizes

function preparePicture(scene, panel) {
  const { data } = panel;
  if (data.values) panel.values = numbersOf(data.values, Float32Array);
  if (data.levels) panel.levels = numbersOf(data.levels, Uint8Array);
  panel.allowed = data.allowed ? numbersOf(data.allowed, Uint8Array) : null;
  panel.rows = data.rows.size;
  panel.columns = data.columns.size;
  const colours = scene.data.colours;
  panel.stops = data.positive ? (colours.positive[data.colour] ?? colours.positive[Object.keys(colours.positive)[0]]) : colours.signed;
  panel.palette = paletteOf(panel.stops);
  panel.image = data.kind === "narrow" && data.whole ? null : pixels(scene, panel);
}

function levelAt(panel, at) {
  if (panel.levels) return panel.levels[at];
  const value = panel.values[at];
  if (!Number.isFinite(value)) return -1;
  const low = panel.data.positive ? 0 : -panel.data.limit;
  const share = (value - low) / (panel.data.limit - low);
  return Math.round(Math.max(0, Math.min(1, share)) * 254);
}

function pixels(scene, panel) {
  const canvas = document.createElement("canvas");
  canvas.width = panel.columns;
  canvas.height = panel.rows;
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(panel.columns, panel.rows);
  const cells = new Uint32Array(image.data.buffer);
  const wrong = pixelOf(scene.data.colours.wrong);
  panel.cells = cells;
  for (let at = 0; at < cells.length; at += 1) {
    const level = levelAt(panel, at);
    if (panel.allowed && !panel.allowed[at]) cells[at] = 0;
    else cells[at] = level < 0 ? wrong : panel.palette[level];
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

// How the column labels are written: level, slanted or as numbers, and how much room they take.
function columnStyle(scene, panel, room) {
  const { type } = scene.data;
  const labels = panel.data.columns.labels;
  if (panel.data.kind === "narrow") return { style: "none", top: 2 };
  if (!labels) return { style: "numbers", top: type * 1.5 };
  const widest = Math.max(...labels.map((label) => widthOf(scene, label)));
  if (widest + 6 <= room) return { style: "level", top: type * 1.5 };
  if (room >= type * 1.05 && !labels.some(isWide)) {
    return { style: "slanted", top: Math.min(widest, type * 7) * SLANTED + type };
  }
  return { style: "numbers", top: type * 1.5 };
}

function layPicture(scene, panel, width, height) {
  const { type } = scene.data;
  const [wide, high] = CELL[panel.data.kind];
  const left = panel.data.rows.labels ? Math.min(scene.left, width * (wide > 4 ? 0.45 : 0.3)) : type * 2.6;
  const fits = (pad) => Math.min((width - left - pad) / panel.columns, type * wide);
  let room = fits(type * 0.8);
  const { style, top } = columnStyle(scene, panel, room);
  if (style === "slanted") room = fits(Math.min(widthOf(scene, panel.data.columns.labels.at(-1)), type * 7) * SLANTED);
  const above = Math.max(top, panel.data.kind === "narrow" ? scene.above : 0);
  const tall = Math.max(0.5, Math.min((height - above - 3) / panel.rows, type * high));
  return { left, top: above, room, tall, style, width, height, right: left + room * panel.columns };
}

function drawPicture(scene, panel) {
  const { pen, width, height } = fitted(panel.canvas);
  const g = layPicture(scene, panel, width, height);
  panel.geometry = g;
  pen.imageSmoothingEnabled = false;
  const [w, h] = [g.room * panel.columns, g.tall * panel.rows];
  if (panel.allowed) hatch(scene, pen, g.left, g.top, w, h);
  if (panel.image) pen.drawImage(panel.image, g.left, g.top, w, h);
  pen.strokeStyle = scene.data.colours.line;
  pen.lineWidth = 1;
  pen.strokeRect(g.left - 0.5, g.top - 0.5, w + 1, h + 1);
  writeCells(scene, panel, pen);
  separateHeads(scene, panel, pen);
  bands(scene, panel, pen);
  rowLabels(scene, panel, pen);
  columnLabels(scene, panel, pen);
}

function hatch(scene, pen, left, top, width, height) {
  pen.save();
  pen.beginPath();
  pen.rect(left, top, width, height);
  pen.clip();
  pen.fillStyle = scene.data.colours.panel;
  pen.fillRect(left, top, width, height);
  pen.strokeStyle = scene.data.colours.hatch;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let x = -height; x < width; x += 5) {
    pen.moveTo(left + x, top + height);
    pen.lineTo(left + x + height, top);
  }
  pen.stroke();
  pen.restore();
}

// The numbers themselves, where they have room.
function writeCells(scene, panel, pen) {
  if (!panel.values) return;
  const { geometry: g, data } = panel;
  const { type, precision, colours } = scene.data;
  const column = data.whole && data.kind === "narrow"; // of ids: beside the rows that are named
  const text = (value) => (data.whole ? String(value) : written(value, Math.min(precision, data.kind === "narrow" ? 7 : 2)));
  if ((!column && g.tall < type * 1.05) || g.room < type * (data.whole && data.kind === "map" ? 1.2 : 2.9)) return;
  const rows = column ? namedRows(scene, panel) : null;
  panel.thinned = Boolean(rows && rows.size < panel.rows);
  pen.font = fontOf(scene, 400, panel.thinned ? type * 0.9 : Math.min(type, g.tall * 0.85));
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let at = 0; at < panel.values.length; at += 1) {
    if (panel.allowed && !panel.allowed[at]) continue;
    if (rows && !rows.has(at)) continue;
    const dark = panel.image && isDark(panel.cells[at]);
    pen.fillStyle = panel.image ? (dark ? "#FFFFFF" : "#111827") : colours.text;
    const [row, column] = [Math.floor(at / panel.columns), at % panel.columns];
    pen.fillText(text(panel.values[at]), g.left + (column + 0.5) * g.room, g.top + (row + 0.5) * g.tall);
  }
}

// The heads side by side: a line between two, the chosen one in its hue above.
function separateHeads(scene, panel, pen) {
  const { geometry: g, data } = panel;
  if (!data.perHead) return;
  pen.strokeStyle = scene.data.colours.text;
  pen.globalAlpha = 0.55;
  pen.beginPath();
  for (let column = data.perHead; column < panel.columns; column += data.perHead) {
    pen.moveTo(g.left + column * g.room, g.top - 3);
    pen.lineTo(g.left + column * g.room, g.top + g.tall * panel.rows);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  for (const [at, head] of scene.data.heads.entries()) {
    pen.fillStyle = head.colour;
    const thick = head.on ? 4 : 2;
    pen.fillRect(g.left + at * data.perHead * g.room + 1, g.top - thick, data.perHead * g.room - 2, thick);
  }
}

// Hover: the row and the column filled. Chosen: both faintly lined, their cell framed.
function bands(scene, panel, pen) {
  const { geometry: g } = panel;
  const [w, h] = [g.room * panel.columns, g.tall * panel.rows];
  const [row, column] = panel.data.at;
  const over = hoverOf(scene, panel);
  pen.fillStyle = scene.data.colours.text;
  pen.globalAlpha = 0.16;
  if (over.row !== null) pen.fillRect(g.left, g.top + over.row * g.tall, w, g.tall);
  if (over.column !== null) pen.fillRect(g.left + over.column * g.room, g.top, g.room, h);
  pen.globalAlpha = 0.5;
  pen.strokeStyle = scene.data.colours.text;
  pen.lineWidth = 1;
  pen.strokeRect(g.left, g.top + row * g.tall, w, g.tall);
  if (panel.columns > 1) pen.strokeRect(g.left + column * g.room, g.top, g.room, h);
  pen.globalAlpha = 1;
  frame(scene, pen, panel, g.left + column * g.room, g.top + row * g.tall, g.room, g.tall);
}

function frame(scene, pen, panel, x, y, w, h) {
  const least = panel.data.framed ? 9 : 6;
  const [wide, tall] = [Math.max(w, least), Math.max(h, least)];
  const box = [x + w / 2 - wide / 2, y + h / 2 - tall / 2, wide, tall];
  pen.strokeStyle = scene.data.colours.page;
  pen.lineWidth = panel.data.framed ? 5 : 3.5;
  pen.strokeRect(...box);
  pen.strokeStyle = scene.data.colours.text;
  pen.lineWidth = panel.data.framed ? 2.5 : 1.5;
  pen.strokeRect(...box);
}

function hoverOf(scene, panel) {
  const over = scene.hover ?? {};
  const { rows, columns } = panel.data;
  return {
    row: over[rows.link] !== undefined && over[rows.link] < rows.size ? over[rows.link] : null,
    column:
      panel === over.panel ? over.column
        : columns.link !== rows.link && over[columns.link] !== undefined && over[columns.link] < columns.size ? over[columns.link] : null,
  };
}

// The rows that have room for their word; the chosen one and the one pointed at always.
function namedRows(scene, panel) {
  const first = [panel.data.at[0], hoverOf(scene, panel).row];
  return shownLabels(panel.rows, panel.geometry.tall, scene.data.type * 0.98, first);
}

function rowLabels(scene, panel, pen) {
  const { geometry: g, data } = panel;
  const { type, colours } = scene.data;
  const chosen = data.at[0];
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const at of namedRows(scene, panel)) {
    const label = data.rows.labels ? data.rows.labels[at] : String(at + 1);
    pen.font = fontOf(scene, at === chosen ? 700 : 400, Math.min(type, Math.max(g.tall, type * 0.9)));
    pen.fillStyle = at === chosen ? colours.text : colours.faint;
    pen.fillText(cut(scene, label, g.left - 8), g.left - 6, g.top + (at + 0.5) * g.tall);
  }
}

function columnLabels(scene, panel, pen) {
  const { geometry: g, data } = panel;
  const { type, colours } = scene.data;
  if (g.style === "none") return;
  const chosen = data.at[1];
  const numbers = g.style === "numbers";
  const need = numbers ? widthOf(scene, String(panel.columns)) + type * 0.6 : 0;
  const rounds = numbers ? roundNumbers(panel.columns, g.room, need) : [...data.columns.labels.keys()];
  const own = rounds.filter((at) => at === chosen || !numbers || Math.abs(at - chosen) * g.room >= need);
  pen.textBaseline = "middle";
  for (const at of new Set([...own, chosen])) {
    pen.font = fontOf(scene, at === chosen ? 700 : 400);
    pen.fillStyle = at === chosen ? colours.text : colours.faint;
    const x = g.left + (at + 0.5) * g.room;
    const text = numbers ? String(at + 1) : data.columns.labels[at];
    pen.save();
    pen.translate(x, g.top - type * 0.7 - (data.perHead ? 2 : 0));
    pen.textAlign = g.style === "slanted" ? "left" : "center";
    if (g.style === "slanted") pen.rotate(-Math.PI / 4);
    pen.fillText(g.style === "slanted" ? cut(scene, text, type * 7) : text, 0, 0);
    pen.restore();
  }
}

function cellAt(panel, x, y) {
  const g = panel.geometry;
  if (!g || !panel.rows) return null;
  const row = Math.floor((y - g.top) / g.tall);
  const column = Math.floor((x - g.left) / g.room);
  if (row < 0 || row >= panel.rows || column >= panel.columns || x < 0) return null;
  return { row, column: column < 0 ? panel.data.at[1] : column, label: column < 0 };
}
