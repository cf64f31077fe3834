// Inputs that send what is in them while one types. The browser owns the values until the server's
// stamp changes (another example, a reset, a preset); an answer on its way holds the next one back.

const PAUSE = 120; // ms without a key before it is sent
const PATIENCE = 3000; // ms to wait for an answer
const PLAIN = { type: "text", spellcheck: false, autocomplete: "off" };
const GRIDS = ["row", "table", "block", "flags"];
const MARKUP = `<div class="typed">
  <div class="fields"></div>
  <div class="foot"><span class="message" role="status"></span><button type="button" class="reset"></button></div>
</div>`;

function symbol(text) {
  const [main, ...rest] = text.split("_");
  return make("b", main, rest.length ? make("sub", rest.join("_")) : null);
}

function ask(board, value) {
  clearTimeout(board.timer);
  board.count += 1;
  board.waiting = `${performance.timeOrigin}-${board.count}`;
  board.since = performance.now();
  board.trigger("typed", { ...value, nonce: board.waiting });
}

function send(board) {
  clearTimeout(board.timer);
  const wait = board.waiting ? PATIENCE - (performance.now() - board.since) : 0;
  if (wait > 0) board.timer = board.later(() => send(board), Math.min(wait, 40));
  else ask(board, { values: board.values });
}

function later(board) {
  clearTimeout(board.timer);
  board.timer = board.later(() => send(board), PAUSE);
}

// One number, a word, or several words.
function line(board, { high, label, low, name, step }, kind) {
  const input = make(`input.${kind}`, { ...PLAIN, value: board.values[name], "aria-label": label });
  input.oninput = () => {
    board.values[name] = input.value;
    later(board);
  };
  if (!step) return input;
  input.onkeydown = (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const now = Number(input.value.replace("−", "-"));
    if (!Number.isFinite(now)) return;
    event.preventDefault();
    const moved = now + (event.key === "ArrowUp" ? 1 : -1) * step;
    const held = Math.min(high ?? moved, Math.max(low ?? moved, moved));
    input.value = String(Number(held.toPrecision(12)));
    input.oninput();
  };
  return input;
}

// What is known of the result with another value is drawn at once (answers.js).
function foretell({ key }, name, value) {
  window.knownAnswers?.answer(key, name, { value });
}

function slider(board, field) {
  const { high, label, low, name, step } = field;
  const range = make("input", { type: "range", min: low, max: high, step, "aria-label": label });
  range.value = board.values[name];
  const input = line(board, field, "number");
  const typed = input.oninput;
  input.oninput = () => {
    typed();
    range.value = input.value;
  };
  range.oninput = () => {
    input.value = range.value;
    typed();
    foretell(board, name, range.value);
  };
  return make(".slide", range, input);
}

function choice(board, { name, options }) {
  const row = make(".choice.segments");
  for (const [key, label] of options) {
    const button = make("button", { "aria-pressed": board.values[name] === key }, label);
    button.onclick = () => {
      for (const each of row.children) each.setAttribute("aria-pressed", each === button);
      board.values[name] = key;
      foretell(board, name, key);
      send(board);
    };
    row.append(button);
  }
  return row;
}

// The rows of all blocks of a grid, whatever its axes.
function blocksOf({ values }, { kind, name }) {
  if (kind === "row") return [[values[name]]];
  return kind === "block" ? values[name] : [values[name]];
}

function keep({ values }, { kind, name }, blocks) {
  if (kind === "row") values[name] = blocks[0][0];
  else values[name] = kind === "block" ? blocks : blocks[0];
}

function pasted(board, field, text) {
  const rows = text
    .replace(/[[\](){}]/g, " ")
    .split(/[;；\n\r]+/)
    .map((row) => row.trim());
  const cells = rows.filter(Boolean).map((row) => row.split(/[\s,，、]+/).filter(Boolean));
  if (field.kind === "block" || (cells.length < 2 && (cells[0] ?? []).length < 2)) return false;
  keep(board, field, field.kind === "row" ? [[cells.flat()]] : [cells]);
  return true;
}

function move(event, cells, [at, row, column]) {
  const { selectionEnd, selectionStart, value } = event.target;
  const step = { ...ARROWS, Enter: [1, 0] }[event.key];
  if (!step) return;
  const inside = step[1] < 0 ? selectionStart > 0 : selectionEnd < value.length;
  if (step[1] && inside && selectionStart === selectionEnd) return;
  const next = cells[at]?.[row + step[0]]?.[column + step[1]];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.select?.();
}

function flag(board, label, value, write) {
  const look = (one) => ({
    textContent: String(one),
    "aria-pressed": Boolean(one),
    "aria-label": `${label}: ${one}`,
  });
  const button = make("button.flag", look(Number(value) ? 1 : 0));
  button.onclick = () => {
    const now = 1 - Number(button.textContent);
    write(now);
    set(button, look(now));
    send(board);
  };
  return button;
}

function cell(board, field, blocks, place, cells) {
  const [at, row, column] = place;
  const value = blocks[at][row][column];
  const label = `${field.label} ${[...(blocks.length > 1 ? [at + 1] : []), row + 1, column + 1].join(", ")}`;
  const write = (now) => {
    blocks[at][row][column] = now;
    keep(board, field, blocks);
  };
  if (field.kind === "flags") return flag(board, label, value, write);
  return make("input.cell", {
    ...PLAIN,
    value,
    "aria-label": label,
    is: { word: field.words },
    onfocus: ({ target }) => target.select(),
    onkeydown: (event) => move(event, cells, place),
    oninput({ target }) {
      write(target.value);
      const grid = target.parentElement;
      if (wide(target.value) > grid.longest) widen(grid, wide(target.value));
      later(board);
    },
    onpaste(event) {
      if (!pasted(board, field, event.clipboardData.getData("text"))) return;
      event.preventDefault();
      drawAll(board);
      later(board);
    },
  });
}

// Letters that a text is wide: Chinese characters count twice.
const wide = (text) =>
  [...String(text)].reduce((sum, each) => sum + (/[\u2e80-\uffef]/.test(each) ? 2 : 1), 0);

function widen(grid, longest) {
  grid.longest = Math.min(longest, 12);
  grid.style.setProperty("--cell", `calc(${Math.max(grid.longest, 2)}ch + 0.9rem)`);
}

function gridOf(board, field) {
  const blocks = blocksOf(board, field);
  const cells = blocks.map(() => []);
  return make(
    ".blocks",
    blocks.map((rows, at) => {
      const across = Math.max(...rows.map((row) => row.length));
      const grid = make(".grid", { style: { gridTemplateColumns: `repeat(${across}, auto)` } });
      widen(grid, Math.max(...rows.flat().map(wide)));
      for (const [row, values] of rows.entries()) {
        cells[at].push(
          values.map((_, column) => cell(board, field, blocks, [at, row, column], cells)),
        );
        grid.append(
          ...Array.from({ length: across }, (_, column) => cells[at][row][column] ?? make("span")),
        );
      }
      return make(`.block.${field.kind}`, grid);
    }),
  );
}

function resize(board, name, side, step) {
  const field = board.data.fields.find((each) => each.name === name);
  const empty = field.kind === "flags" ? 1 : field.words ? "…" : "0";
  const blocks = blocksOf(board, field);
  for (let left = Math.abs(step); left > 0; left--) {
    for (const rows of blocks) {
      if (side === "columns") for (const row of rows) step > 0 ? row.push(empty) : row.pop();
      else if (step > 0) rows.push(rows[0].map(() => empty));
      else rows.pop();
    }
  }
  keep(board, field, blocks);
}

// − and + for the rows of a grid (below it) or its columns (beside it).
function growth(board, field, side) {
  const { texts, ties } = board.data;
  const blocks = blocksOf(board, field);
  const size = side === "rows" ? blocks[0].length : blocks[0][0].length;
  const button = (step) => {
    const title = texts[`${step < 0 ? "less" : "more"}_${side}`];
    const disabled = step < 0 ? size - field.by < field.least : size + field.by > field.most;
    const onclick = () => {
      const tied = ties.find((tie) => tie.some(([name, of]) => name === field.name && of === side));
      for (const [name, of] of tied ?? [[field.name, side]])
        resize(board, name, of, step * field.by);
      drawAll(board);
      send(board);
    };
    return make(
      "button",
      { title, "aria-label": `${title}: ${field.label}`, disabled, onclick },
      step < 0 ? "−" : "+",
    );
  };
  return make(`span.grow.${side}`, button(-1), button(1));
}

function inputs(board, field) {
  if (GRIDS.includes(field.kind)) {
    const all = gridOf(board, field);
    const bars = field.grow.map((side) => [side, growth(board, field, side)]);
    for (const [side, bar] of bars) if (side === "columns") all.lastChild.append(bar);
    return [all, ...bars.filter(([side]) => side !== "columns").map(([, bar]) => bar)];
  }
  if (field.kind === "choice") return [choice(board, field)];
  if (field.kind === "slider") return [slider(board, field)];
  const input = line(board, field, field.kind === "number" ? "number" : "words");
  return [set(input, { style: { "--wide": `${field.wide}rem` } })];
}

function draw(board, field) {
  const { about, colour, kind, label, name } = field;
  const title = make(
    ".name",
    label ? symbol(label) : null,
    about ? make("span.size", about) : null,
  );
  const given = { data: { kind, name }, style: { "--role": colour } };
  return make(".field", given, title.childNodes.length ? title : null, inputs(board, field));
}

function drawAll(board) {
  board.find(".fields").replaceChildren(...board.data.fields.map((field) => draw(board, field)));
}

function fill(board, { fields, stamp, texts }) {
  if (
    !board.differs(
      "fields",
      stamp,
      texts,
      fields.map((each) => ({ ...each, value: 0, wrong: 0 })),
    )
  )
    return;
  if (stamp !== board.stamp) board.values = {};
  for (const { name, value } of fields) board.values[name] ??= structuredClone(value);
  board.stamp = stamp;
  drawAll(board);
}

export default component(MARKUP, {
  start: (board) => Object.assign(board, { count: 0, waiting: null, values: {} }),
  draw(board, data) {
    if (data.seen === board.waiting) board.waiting = null;
    fill(board, data);
    data.fields.forEach(({ wrong }, at) =>
      board.find(".fields").children[at].classList.toggle("wrong", Boolean(wrong)),
    );
    set(board.find(".message"), { textContent: data.message, is: { error: data.error } });
    const onclick = () => ask(board, { reset: true });
    set(board.find(".reset"), { textContent: data.texts.reset, disabled: !data.edited, onclick });
  },
  end: (board) => clearTimeout(board.timer),
});
