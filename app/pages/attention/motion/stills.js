// Where every box of the movement stands when it rests at a station: a Map from its id to its place
// (x, y, w, h), its opacity, its text and how it looks. Between two stations lies the movement.

const FAINT = 0.75; // what stays where a number has been
const LANES = ["scores", "scaled", "masked", "weights"]; // rows 1 to 4 below the words
const [SCORES, VALUES, HEADS] = [5, 9, 12]; // stations at which another picture begins
const [LEAST, TIGHT] = [14, 1.85]; // pixels of type; rows in sizes of type
const [Q_ROW, K_ROW, PRODUCT_ROW, SCORE_ROW] = [1.3, 2.3, 3.6, 4.8];
const [VALUE_ROW, SUM_ROW, ROWS] = [5, 6.55, 7.5];

// Sizes that all stations share, in pixels. Type grows with the room, and is read from the last
// row.
function geometry({ clientHeight, clientWidth }, { columns, dimensions, type: plain }) {
  const count = Math.max(columns.length, dimensions.length);
  const type = Math.max(
    LEAST,
    Math.min(clientHeight / ROWS / TIGHT, clientWidth / (7.2 + count * 4.6), 1.6 * plain),
  );
  const left = 7.2 * type;
  const width = Math.max(clientWidth, left + count * 4.3 * type);
  const step = Math.max(TIGHT * type, Math.min(clientHeight / ROWS, 3 * type));
  const pitch = (many) => Math.min((width - left) / many, 6.5 * type);
  return {
    left,
    width,
    step,
    pitch,
    type,
    tall: 1.65 * type,
    height: ROWS * step,
    row: (at) => at * step,
  };
}

function lane(still, g, at, text, role = "faint") {
  still.set(`lane ${text}`, {
    kind: "lane",
    x: 0,
    y: g.row(at),
    w: g.left - 8,
    h: g.tall,
    text,
    role,
  });
}

// The heads' pictures side by side, with their names where they stand apart.
function strips(still, g, { head, heads }, picture, y, apart, role) {
  const wide = (g.width - g.left - 8) / heads.length;
  for (const [at, text] of heads.entries()) {
    const [x, focus] = [g.left + at * wide, at === head];
    const w = wide - (apart ? 0.8 * g.type : 0);
    still.set(`${picture}${at}`, {
      kind: "strip",
      picture,
      line: at,
      x,
      y,
      w,
      h: 2.4 * g.type,
      focus: apart && focus,
      role,
    });
    if (apart)
      still.set(`${picture} name ${at}`, {
        kind: "lane",
        x,
        y: y - g.tall,
        w,
        h: g.tall,
        text,
        role: focus ? role : "faint",
      });
  }
}

// Stations 0 to 4: q of the row, cut into heads, met by one key, multiplied, added up.
function queryAndKey(at, { columns, dimensions, head, heads, lanes, pictures, sum }, g) {
  const still = new Map();
  const pitch = g.pitch(dimensions.length);
  const band = { kind: "strip", x: g.left, w: pitch * dimensions.length - 6, h: 0.6 * g.type };
  lane(still, g, at < 2 ? 1.6 : Q_ROW, lanes.q, "query");
  if (at < 2) strips(still, g, { head, heads }, "q", g.row(1.6), at === 1, "query");
  else {
    still.set(`q${head}`, {
      ...band,
      picture: "q",
      line: head,
      y: g.row(Q_ROW) - 0.8 * g.type,
      role: "query",
    });
    still.set("k", {
      ...band,
      picture: "k",
      line: 0,
      y: g.row(K_ROW) + g.tall + 0.2 * g.type,
      role: "key",
    });
    lane(still, g, 0, lanes.dimension);
    lane(still, g, K_ROW, `× ${lanes.k}`, "key");
  }
  if (at >= 3) lane(still, g, PRODUCT_ROW, `= ${lanes.product}`);
  const head0 = g.left + ((g.width - g.left - 8) / heads.length) * head;
  const end = { x: g.left, y: g.row(SCORE_ROW), w: pitch - 6, h: g.tall };
  for (const [i, { k, name, product, q }] of dimensions.entries()) {
    const part = Number.isNaN(Number(name)) ? 0.5 : (name - 0.5) / pictures.q.width;
    const cell = {
      kind: "number",
      x: g.left + i * pitch,
      w: pitch - 6,
      h: g.tall,
      late: i / dimensions.length,
    };
    const inHead = {
      x: head0 + part * ((g.width - g.left - 8) / heads.length - g.type) - pitch / 2,
      y: g.row(1.6),
      o: 0,
    };
    still.set(`q ${i}`, {
      ...cell,
      y: g.row(Q_ROW),
      text: q,
      role: "query",
      ...(at < 2 ? inHead : {}),
    });
    if (at < 2) continue;
    still.set(`dim ${i}`, { ...cell, kind: "lane", y: 0, text: name, role: "faint", middle: true });
    still.set(`k ${i}`, { ...cell, y: g.row(K_ROW), text: k, role: "key" });
    const product0 = at === 2 ? { y: g.row(1.8), o: 0 } : at === 4 ? { ...end, o: 0 } : {};
    still.set(`p ${i}`, {
      ...cell,
      y: g.row(PRODUCT_ROW),
      text: product,
      role: "weights",
      ...product0,
    });
    if (at === 4)
      still.set(`p stays ${i}`, {
        ...cell,
        y: g.row(PRODUCT_ROW),
        text: product,
        role: "weights",
        o: FAINT,
      });
  }
  if (at === 4) {
    lane(still, g, SCORE_ROW, `Σ = ${lanes.scores}`);
    still.set(`n ${columns.findIndex((each) => each.focus)}`, {
      ...end,
      kind: "number",
      text: sum,
      role: "weights",
      focus: true,
    });
  }
  return still;
}

// Stations 5 to 11: the row of scores on its way to weights, the values, their sum.
function rowOfKeys(at, { columns, head, lanes, pictures, result, ...data }, g) {
  const still = new Map();
  const pitch = g.pitch(columns.length);
  const names = [lanes.scores, lanes.scaled, lanes.masked, lanes.weights];
  const now = Math.min(at - SCORES, LANES.length - 1);
  lane(still, g, 0, `${data.row} →`, "query");
  for (const [row, text] of names.entries())
    if (row <= now) lane(still, g, row + 1, text, row === now && at < VALUES ? "text" : "faint");
  if (at >= VALUES) lane(still, g, VALUE_ROW + 0.35, lanes.value, "value");
  const sum = { x: g.left, y: g.row(SUM_ROW), w: pitch - 6, h: g.tall };
  for (const [c, column] of columns.entries()) {
    const { focus, hidden, key, share, word } = column;
    const cell = {
      x: g.left + c * pitch,
      w: pitch - 6,
      h: g.tall,
      focus,
      late: c / columns.length,
    };
    const shown = (row) => ({
      text: hidden && row === 2 ? data.texts.hidden : column[LANES[row]],
      share: row === 3 ? share : 0,
      hidden: hidden && row >= 2,
      role: "weights",
      kind: "number",
    });
    still.set(`word ${c}`, { ...cell, kind: "word", y: 0, text: word, role: "key", key });
    for (let row = 0; row < now + (at > VALUES); row += 1) {
      still.set(`${LANES[row]} ${c}`, {
        ...cell,
        ...shown(row),
        y: g.row(row + 1),
        o: row === 3 ? 1 : FAINT,
      });
    }
    if (at <= VALUES) still.set(`n ${c}`, { ...cell, ...shown(now), y: g.row(now + 1) });
    if (at === VALUES + 1)
      still.set(`n ${c}`, { ...cell, ...shown(3), y: g.row(VALUE_ROW + 0.35), o: 0 });
    if (at < VALUES - 1) continue;
    // The values come from their words, and leave for the sum.
    const way = at < VALUES ? { y: 0, o: 0 } : at === VALUES + 2 ? { ...sum, o: 0 } : {};
    const weighed = at > VALUES ? Math.max(0.15, share) : 1;
    const number = {
      ...cell,
      kind: "number",
      y: g.row(VALUE_ROW + 0.35),
      text: at > VALUES ? column.part : column.value,
      role: "value",
    };
    if (key !== null)
      still.set(`v ${c}`, {
        ...cell,
        kind: "strip",
        picture: "v",
        line: key,
        y: g.row(VALUE_ROW),
        h: 0.6 * g.type,
        role: "value",
        o: weighed,
        ...way,
      });
    still.set(`value ${c}`, { ...number, ...way });
    if (at === VALUES + 2) still.set(`value stays ${c}`, { ...number, o: FAINT });
  }
  if (at === VALUES + 2) {
    lane(still, g, SUM_ROW, `Σ = ${data.heads[head]}`, "value");
    still.set("result", { ...sum, kind: "number", text: result, role: "value", focus: true });
    still.set(`context${head}`, {
      kind: "strip",
      picture: "context",
      line: head,
      x: g.left + pitch,
      y: sum.y,
      w: Math.min(6 * pitch, g.width - g.left - pitch - 8),
      h: g.tall,
      role: "value",
    });
  }
  return still;
}

// Stations 12 to 14: what all heads found, joined, mixed.
function joined(at, data, g) {
  const still = new Map();
  lane(still, g, 1.6, at > HEADS ? "Concat" : "", "value");
  strips(still, g, data, "context", g.row(1.6), at === HEADS, "value");
  if (at === HEADS) return still;
  const down = at > HEADS + 1;
  if (down) lane(still, g, 4, `· W_O = ${data.lanes.output}`, "data");
  const place = {
    x: g.left,
    w: g.width - g.left - 8,
    h: 2.4 * g.type,
    y: g.row(down ? 4 : 1.6),
    o: down ? 1 : 0,
  };
  still.set("output", { kind: "strip", picture: "output", line: 0, role: "data", ...place });
  return still;
}

const stillAt = (at, data, g) =>
  (at < SCORES ? queryAndKey : at < HEADS ? rowOfKeys : joined)(at, data, g);
