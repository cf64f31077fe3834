// The pictures of tensors: sheets of numbers as heat maps, their words at the rim, the chosen cell
// framed; and words with a bar each. First what all drawings share: canvases, colours, labels.

const SLANTED = 0.71; // sine and cosine of 45°

// "E_w" with its w lowered; what follows an underscore, up to a blank or a bracket, stands lower.
function symbolOf(kind, text) {
  const [main, ...lowered] = text.split("_");
  return make(
    kind,
    main,
    lowered.flatMap((part) => {
      const end = part.search(/[\s,)·]/);
      return end < 0 ? [make("sub", part)] : [make("sub", part.slice(0, end)), part.slice(end)];
    }),
  );
}

const isDark = (pixel) => lightOf([pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]) < 140;

const fontOf = (scene, weight = 400, size = scene.data.type) =>
  `${weight} ${size}px ${scene.family}`;

function widthOf(scene, text, weight = 400) {
  scene.ruler.font = fontOf(scene, weight);
  return scene.ruler.measureText(text).width;
}

// A text cut to a width.
function cut(scene, text, room) {
  if (widthOf(scene, text) <= room) return text;
  let shown = text;
  while (shown.length > 1 && widthOf(scene, `${shown}…`) > room) shown = shown.slice(0, -1);
  return `${shown}…`;
}

// Which of `count` labels are drawn when each needs `need` of a line's `room`: those in `first`
// always, the others at an even distance and not upon those.
function shownLabels(count, room, need, first) {
  const stride = Math.max(1, Math.ceil(need / room));
  const shown = new Set(first.filter((at) => at !== null && at !== undefined));
  const taken = [...shown];
  for (let at = 0; at < count; at += stride) {
    if (!taken.some((other) => other !== at && Math.abs(other - at) * room < need)) shown.add(at);
  }
  return shown;
}

// Round numbers along a long axis, counted from 1: 1, 20, 40, …
function roundNumbers(count, room, need) {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
  const step = steps.find((each) => each * room >= need) ?? count;
  const places = Array.from({ length: Math.floor(count / step) }, (_, at) => (at + 1) * step - 1);
  return step === 1 ? places : [0, ...places.filter((at) => at * room >= need)];
}

const CELL = { map: [3.6, 3], narrow: [8, 3] }; // widest and highest, in font sizes

function preparePicture(scene, panel) {
  const { data } = panel;
  if (data.values) panel.values = numbersOf(data.values, Float32Array);
  if (data.levels) panel.levels = numbersOf(data.levels, Uint8Array);
  panel.allowed = data.allowed ? numbersOf(data.allowed, Uint8Array) : null;
  const colours = scene.data.colours;
  panel.stops = data.positive
    ? (colours.positive[data.colour] ?? Object.values(colours.positive)[0])
    : colours.signed;
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
  const size = panel.rows * panel.columns;
  const palette = [
    ...panel.palette.subarray(0, FORBIDDEN),
    0,
    pixelOf(channelsOf(scene.data.colours.wrong)),
  ];
  const levels = new Uint16Array(size);
  for (let at = 0; at < size; at += 1) {
    const level = levelAt(panel, at);
    levels[at] = level < 0 ? FORBIDDEN + 1 : level;
    if (panel.allowed && !panel.allowed[at]) levels[at] = FORBIDDEN;
  }
  panel.pixelAt = (at) => palette[levels[at]];
  return paintCells(make("canvas"), levels, panel.rows, panel.columns, palette);
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
  const left = panel.bare
    ? type / 2
    : panel.data.rows.labels
      ? Math.min(scene.left, width * (isStaged() ? 0.6 : wide > 4 ? 0.45 : 0.3))
      : type * 2.6;
  const fits = (pad) => Math.min((width - left - pad) / panel.columns, type * wide);
  let room = fits(type * 0.8);
  const { style, top } = columnStyle(scene, panel, room);
  if (style === "slanted")
    room = fits(Math.min(widthOf(scene, panel.data.columns.labels.at(-1)), type * 7) * SLANTED);
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
  if (panel.allowed) fillBox(pen, hatchOf(pen, scene.data.colours), g.left, g.top, w, h);
  if (panel.image) pen.drawImage(panel.image, g.left, g.top, w, h);
  frameBox(pen, scene.data.colours.line, 1, g.left - 0.5, g.top - 0.5, w + 1, h + 1);
  writeCells(scene, panel, pen);
  separateHeads(scene, panel, pen);
  bands(scene, panel, pen);
  rowLabels(scene, panel, pen);
  columnLabels(scene, panel, pen);
}

// The numbers themselves, where they have room.
function writeCells(scene, panel, pen) {
  if (!panel.values) return;
  const { geometry: g, data } = panel;
  const { type, precision, colours } = scene.data;
  const column = data.whole && data.kind === "narrow"; // of ids: beside the rows that are named
  const text = (value) =>
    data.whole
      ? String(value)
      : written(value, Math.min(precision, data.kind === "narrow" ? 7 : 2));
  if (
    (!column && g.tall < type * 1.05) ||
    g.room < type * (data.whole && data.kind === "map" ? 1.2 : 2.9)
  )
    return;
  const rows = column ? namedRows(scene, panel) : null;
  panel.thinned = Boolean(rows && rows.size < panel.rows);
  const font = fontOf(scene, 400, panel.thinned ? type * 0.9 : Math.min(type, g.tall * 0.85));
  const look = { font, textAlign: "center", textBaseline: "middle" };
  for (let at = 0; at < panel.values.length; at += 1) {
    if (panel.allowed && !panel.allowed[at]) continue;
    if (rows && !rows.has(at)) continue;
    const dark = panel.image && isDark(panel.pixelAt(at));
    const fillStyle = panel.image ? (dark ? "#FFFFFF" : "#111827") : colours.text;
    const [x, y] = [
      g.left + ((at % panel.columns) + 0.5) * g.room,
      g.top + (Math.floor(at / panel.columns) + 0.5) * g.tall,
    ];
    writeText(pen, text(panel.values[at]), x, y, { ...look, fillStyle });
  }
}

// The heads side by side: a line between two, the chosen one in its hue above.
function separateHeads(scene, panel, pen) {
  const { geometry: g, data } = panel;
  if (!data.perHead) return;
  const wide = data.perHead * g.room;
  const cuts = Array.from(
    { length: panel.columns / data.perHead - 1 },
    (_, at) => g.left + (at + 1) * wide,
  );
  const look = { strokeStyle: scene.data.colours.text, globalAlpha: 0.55 };
  strokeLines(pen, look, ...cuts.map((x) => [x, g.top - 3, x, g.top + g.tall * panel.rows]));
  pen.globalAlpha = 1;
  for (const [at, { colour, on }] of scene.data.heads.entries()) {
    const thick = on ? 4 : 2;
    fillBox(pen, colour, g.left + at * wide + 1, g.top - thick, wide - 2, thick);
  }
}

// Hover: the row and the column filled. Chosen: both faintly lined, their cell framed.
function bands(scene, panel, pen) {
  const { geometry: g } = panel;
  const [w, h] = [g.room * panel.columns, g.tall * panel.rows];
  const [row, column] = panel.data.at;
  const over = hoverOf(scene, panel);
  const { text } = scene.data.colours;
  pen.globalAlpha = 0.16;
  if (over.row !== null) fillBox(pen, text, g.left, g.top + over.row * g.tall, w, g.tall);
  if (over.column !== null) fillBox(pen, text, g.left + over.column * g.room, g.top, g.room, h);
  pen.globalAlpha = 0.5;
  if (!panel.thinned) frameBox(pen, text, 1, g.left, g.top + row * g.tall, w, g.tall);
  if (panel.columns > 1) frameBox(pen, text, 1, g.left + column * g.room, g.top, g.room, h);
  pen.globalAlpha = 1;
  frame(scene, pen, panel, g.left + column * g.room, g.top + row * g.tall, g.room, g.tall);
}

function frame(scene, pen, panel, x, y, w, h) {
  const least = panel.data.framed ? 9 : 6;
  const high = panel.thinned ? 1.3 * scene.data.type : 0; // a number that is higher than its row
  const [wide, tall] = [Math.max(w, least), Math.max(h, least, high)];
  const box = [x + w / 2 - wide / 2, y + h / 2 - tall / 2, wide, tall];
  frameBox(pen, scene.data.colours.page, panel.data.framed ? 5 : 3.5, ...box);
  frameBox(pen, scene.data.colours.text, panel.data.framed ? 2.5 : 1.5, ...box);
}

function hoverOf(scene, panel) {
  const over = scene.hover ?? {};
  const { rows, columns } = panel.data;
  const place = ({ link, size }) => (over[link] < size ? over[link] : null);
  const column = columns.link === rows.link ? null : place(columns);
  return { row: place(rows), column: panel === over.panel ? over.column : column };
}

// The rows that have room for their word; the chosen one and the one pointed at always.
function namedRows(scene, panel) {
  const first = [panel.data.at[0], hoverOf(scene, panel).row];
  return shownLabels(panel.rows, panel.geometry.tall, scene.data.type * 0.98, first);
}

function rowLabels(scene, panel, pen) {
  const { bare, geometry: g, data } = panel;
  if (bare) return;
  const { type, colours } = scene.data;
  const chosen = data.at[0];
  for (const at of namedRows(scene, panel)) {
    const label = data.rows.labels ? data.rows.labels[at] : String(at + 1);
    const font = fontOf(
      scene,
      at === chosen ? 700 : 400,
      Math.min(type, Math.max(g.tall, type * 0.9)),
    );
    const look = {
      font,
      fillStyle: at === chosen ? colours.text : colours.faint,
      textAlign: "right",
      textBaseline: "middle",
    };
    writeText(pen, cut(scene, label, g.left - 8), g.left - 6, g.top + (at + 0.5) * g.tall, look);
  }
}

function columnLabels(scene, panel, pen) {
  const { geometry: g, data } = panel;
  const { type, colours } = scene.data;
  if (g.style === "none") return;
  const chosen = data.at[1];
  const numbers = g.style === "numbers";
  const need = numbers ? widthOf(scene, String(panel.columns)) + type * 0.6 : 0;
  const rounds = numbers
    ? roundNumbers(panel.columns, g.room, need)
    : [...data.columns.labels.keys()];
  const own = rounds.filter(
    (at) => at === chosen || !numbers || Math.abs(at - chosen) * g.room >= need,
  );
  pen.textBaseline = "middle";
  for (const at of new Set([...own, chosen])) {
    const text = numbers ? String(at + 1) : data.columns.labels[at];
    const slanted = g.style === "slanted";
    const look = {
      font: fontOf(scene, at === chosen ? 700 : 400),
      fillStyle: at === chosen ? colours.text : colours.faint,
    };
    pen.save();
    pen.translate(g.left + (at + 0.5) * g.room, g.top - type * 0.7 - (data.perHead ? 2 : 0));
    if (slanted) pen.rotate(-Math.PI / 4);
    writeText(pen, slanted ? cut(scene, text, type * 7) : text, 0, 0, {
      ...look,
      textAlign: slanted ? "left" : "center",
    });
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

// Words with a bar each, and the embedding table with the rows of this sentence.

function drawBars(scene, panel) {
  const { pen, width, height } = fitted(panel.canvas);
  const { data } = panel;
  const { type, colours } = scene.data;
  const widest = Math.max(...data.labels.map((label) => widthOf(scene, label, 700)));
  const left = Math.min(widest + 12, width * (data.numbers.some(Boolean) ? 0.45 : 0.95));
  const right = Math.max(...data.texts.map((text) => widthOf(scene, text, 700))) + 10;
  const tall = Math.min((height - scene.above - 3) / panel.rows, type * 3);
  const room = width - left - right - 4;
  const top = scene.above;
  const end = data.end || 1; // nothing where no number is one
  const zero = data.numbers.some((each) => each < 0) ? room / 2 : 0;
  panel.geometry = { left, top, room, tall, right: width - 3, width, height };
  // a long text has more rows than room
  const named = shownLabels(panel.rows, tall, type * 0.98, [data.at[0]]);
  panel.thinned = named.size < panel.rows;
  pen.textBaseline = "middle";
  for (const [at, number] of data.numbers.entries()) {
    const [y, chosen] = [top + at * tall, at === data.at[0]];
    const length = ((room - zero) * Math.min(Math.abs(number), end)) / end;
    const look = {
      font: fontOf(scene, chosen ? 700 : 400),
      fillStyle: chosen ? colours.text : colours.faint,
    };
    const told = named.has(at);
    if (told)
      writeText(pen, cut(scene, data.labels[at], left - 10), left - 8, y + tall / 2, {
        ...look,
        textAlign: "right",
      });
    const wide = data.texts[at] ? Math.max(length, 1) : 0;
    pen.globalAlpha = chosen ? 1 : 0.45;
    fillBox(
      pen,
      data.colour,
      left + zero - (number < 0 ? length : 0),
      y + tall * 0.16,
      wide,
      tall * 0.68,
    );
    pen.globalAlpha = 1;
    const after = left + zero + (number < 0 ? 0 : length) + 5;
    if (told) writeText(pen, data.texts[at], after, y + tall / 2, { ...look, textAlign: "left" });
    if (!chosen) continue;
    pen.globalAlpha = data.framed ? 1 : 0.5;
    frameBox(pen, colours.text, data.framed ? 2 : 1, left - 4, y + 1, width - left, tall - 2);
    pen.globalAlpha = 1;
  }
}

function drawTable(scene, panel) {
  const { pen, width, height } = fitted(panel.canvas);
  const { data } = panel;
  const { type, colours } = scene.data;
  const [left, top] = [width * 0.16, scene.above];
  const [w, h] = [width * 0.68, Math.min(height - top - 4, scene.tallest)];
  const place = (id) => top + (h * (id + 0.5)) / data.rowCount;
  panel.geometry = { left, right: left + w, top, place };
  fillBox(pen, colours.panel, left, top, w, h);
  frameBox(pen, colours.line, 1, left, top, w, h);
  const faint = { font: fontOf(scene), fillStyle: colours.faint, textAlign: "left" };
  writeText(pen, "0", left, top - 4, { ...faint, textBaseline: "alphabetic" });
  if (top + h + type * 1.2 < height)
    writeText(pen, data.rowCount - 1, left, top + h + 3, { textBaseline: "top" });
  for (const [at, id] of data.ids.entries()) {
    const chosen = at === data.at[0];
    const look = {
      strokeStyle: data.colour,
      lineWidth: chosen ? 4 : 2,
      globalAlpha: chosen ? 1 : 0.5,
    };
    strokeLines(pen, look, [left, place(id), left + w, place(id)]);
  }
  pen.globalAlpha = 1;
  const y = place(data.ids[data.at[0]]);
  const below = y < top + type * 2;
  const [wide, at] = [widthOf(scene, data.rowText, 700) + 8, y + (below ? type : -type)];
  fillBox(pen, colours.panel, left + w / 2 - wide / 2, at - type * 0.65, wide, type * 1.3);
  const look = {
    font: fontOf(scene, 700),
    fillStyle: colours.text,
    textAlign: "center",
    textBaseline: "middle",
  };
  writeText(pen, data.rowText, left + w / 2, at, look);
}
