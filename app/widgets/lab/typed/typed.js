// Inputs that send what is in them while one types. The browser owns the values until the server's
// stamp changes (another example, a reset, a preset); an answer on its way holds the next one back.

const PAUSE = 120; // ms without a key before it is sent
const PATIENCE = 3000; // ms to wait for an answer
const boards = new WeakMap();

function make(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

function symbol(text) {
  const bold = make("b");
  const [main, ...rest] = text.split("_");
  bold.append(main);
  if (rest.length) bold.append(make("sub", "", rest.join("_")));
  return bold;
}

function send(board) {
  clearTimeout(board.timer);
  const wait = board.waiting ? PATIENCE - (performance.now() - board.since) : 0;
  if (wait > 0) {
    board.timer = setTimeout(() => send(board), Math.min(wait, 40));
    return;
  }
  board.count += 1;
  board.waiting = `${performance.timeOrigin}-${board.count}`;
  board.since = performance.now();
  board.trigger("typed", { values: board.values, nonce: board.waiting });
}

function later(board) {
  clearTimeout(board.timer);
  board.timer = setTimeout(() => send(board), PAUSE);
}

function reset(board) {
  clearTimeout(board.timer);
  board.count += 1;
  board.waiting = `${performance.timeOrigin}-${board.count}`;
  board.since = performance.now();
  board.trigger("typed", { reset: true, nonce: board.waiting });
}

// One number, a word, or several words.
function line(board, field, name) {
  const input = make("input", name);
  input.type = "text";
  input.value = board.values[field.name];
  input.spellcheck = false;
  input.autocomplete = "off";
  input.setAttribute("aria-label", field.label);
  input.oninput = () => {
    board.values[field.name] = input.value;
    later(board);
  };
  if (field.step) {
    input.onkeydown = (event) => {
      if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
      const now = Number(input.value.replace("−", "-"));
      if (!Number.isFinite(now)) return;
      event.preventDefault();
      const moved = now + (event.key === "ArrowUp" ? 1 : -1) * field.step;
      const held = Math.min(field.high ?? moved, Math.max(field.low ?? moved, moved));
      input.value = String(Number(held.toPrecision(12)));
      input.oninput();
    };
  }
  return input;
}

function slider(board, field) {
  const both = make("div", "slide");
  const range = make("input");
  Object.assign(range, { type: "range", min: field.low, max: field.high, step: field.step });
  range.value = board.values[field.name];
  range.setAttribute("aria-label", field.label);
  const input = line(board, field, "number");
  const typed = input.oninput;
  input.oninput = () => {
    typed();
    range.value = input.value;
  };
  range.oninput = () => {
    input.value = range.value;
    typed();
  };
  both.append(range, input);
  return both;
}

function choice(board, field) {
  const row = make("div", "choice");
  for (const [key, label] of field.options) {
    const button = make("button", "", label);
    button.type = "button";
    button.setAttribute("aria-pressed", String(board.values[field.name] === key));
    button.onclick = () => {
      for (const each of row.children) each.setAttribute("aria-pressed", String(each === button));
      board.values[field.name] = key;
      send(board);
    };
    row.append(button);
  }
  return row;
}

// The rows of all blocks of a grid, whatever its axes.
function blocksOf(board, field) {
  const value = board.values[field.name];
  if (field.kind === "row") return [[value]];
  return field.kind === "block" ? value : [value];
}

function keep(board, field, blocks) {
  if (field.kind === "row") board.values[field.name] = blocks[0][0];
  else board.values[field.name] = field.kind === "block" ? blocks : blocks[0];
}

function pasted(board, field, text) {
  const rows = text.replace(/[[\](){}]/g, " ").split(/[;；\n\r]+/).map((row) => row.trim());
  const cells = rows.filter(Boolean).map((row) => row.split(/[\s,，、]+/).filter(Boolean));
  if (field.kind === "block" || (cells.length < 2 && (cells[0] ?? []).length < 2)) return false;
  keep(board, field, field.kind === "row" ? [[cells.flat()]] : [cells]);
  return true;
}

function move(event, input, blocks) {
  const [at, row, column] = input.place;
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[event.key];
  if (!step) return;
  const inside = step[1] < 0 ? input.selectionStart > 0 : input.selectionEnd < input.value.length;
  if (step[1] && inside && input.selectionStart === input.selectionEnd) return;
  const next = input.cells[at]?.[row + step[0]]?.[column + step[1]];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.select?.();
}

function cell(board, field, blocks, place, cells, redraw) {
  const [at, row, column] = place;
  const value = blocks[at][row][column];
  const where = `${field.label} ${[...(blocks.length > 1 ? [at + 1] : []), row + 1, column + 1].join(", ")}`;
  if (field.kind === "flags") {
    const flag = make("button", "flag", Number(value) ? "1" : "0");
    flag.type = "button";
    flag.setAttribute("aria-label", where);
    flag.setAttribute("aria-pressed", String(Boolean(Number(value))));
    flag.onclick = () => {
      blocks[at][row][column] = Number(blocks[at][row][column]) ? 0 : 1;
      flag.textContent = String(blocks[at][row][column]);
      flag.setAttribute("aria-pressed", String(Boolean(blocks[at][row][column])));
      keep(board, field, blocks);
      send(board);
    };
    return flag;
  }
  const input = make("input", field.words ? "cell word" : "cell");
  Object.assign(input, { type: "text", value, spellcheck: false, autocomplete: "off", place, cells });
  input.setAttribute("aria-label", where);
  input.onfocus = () => input.select();
  input.onkeydown = (event) => move(event, input, blocks);
  input.oninput = () => {
    blocks[at][row][column] = input.value;
    keep(board, field, blocks);
    if (wide(input.value) > input.parentElement.longest) widen(input.parentElement, wide(input.value));
    later(board);
  };
  input.onpaste = (event) => {
    if (!pasted(board, field, event.clipboardData.getData("text"))) return;
    event.preventDefault();
    redraw();
    later(board);
  };
  return input;
}

// Letters that a text is wide: Chinese characters count twice.
function wide(text) {
  return [...String(text)].reduce((sum, each) => sum + (/[\u2e80-\uffef]/.test(each) ? 2 : 1), 0);
}

function widen(grid, longest) {
  grid.longest = Math.min(longest, 12);
  grid.style.setProperty("--cell", `calc(${Math.max(grid.longest, 2)}ch + 0.9rem)`);
}

function gridOf(board, field, redraw) {
  const blocks = blocksOf(board, field);
  const cells = blocks.map(() => []);
  const all = make("div", "blocks");
  for (const [at, rows] of blocks.entries()) {
    const grid = make("div", "grid");
    const across = Math.max(...rows.map((row) => row.length));
    const named = Boolean(field.rows?.length);
    grid.style.gridTemplateColumns = `${named ? "auto " : ""}repeat(${across}, auto)`;
    widen(grid, Math.max(...rows.flat().map(wide)));
    if (field.columns?.length) {
      if (named) grid.append(make("span", "label", ""));
      for (let column = 0; column < across; column++) grid.append(make("span", "label", field.columns[column] ?? column + 1));
    }
    for (const [row, values] of rows.entries()) {
      if (named) grid.append(make("span", "label row", field.rows[row] ?? row + 1));
      cells[at].push(values.map((_, column) => cell(board, field, blocks, [at, row, column], cells[at], redraw)));
      for (const each of cells[at][row]) each.cells = cells;
      grid.append(...cells[at][row]);
      for (let column = values.length; column < across; column++) grid.append(make("span"));
    }
    const block = make("div", `block ${field.kind}`);
    block.append(grid);
    all.append(block);
  }
  return all;
}

function resize(board, name, side, step) {
  const field = board.fields.find((each) => each.name === name);
  const fill = field.kind === "flags" ? 1 : field.words ? "…" : "0";
  const blocks = blocksOf(board, field);
  for (let left = Math.abs(step); left > 0; left--) {
    for (const rows of blocks) {
      if (side === "rows" && step > 0) rows.push(rows[0].map(() => fill));
      if (side === "rows" && step < 0) rows.pop();
      if (side === "columns") for (const row of rows) step > 0 ? row.push(fill) : row.pop();
    }
  }
  keep(board, field, blocks);
}

// − and + for the rows of a grid (below it) or its columns (beside it).
function growth(board, field, side, redraw) {
  const bar = make("span", `grow ${side}`);
  const blocks = blocksOf(board, field);
  const size = side === "rows" ? blocks[0].length : blocks[0][0].length;
  for (const step of [-1, 1]) {
    const button = make("button", "", step < 0 ? "−" : "+");
    button.type = "button";
    button.title = board.texts[`${step < 0 ? "less" : "more"}_${side}`];
    button.setAttribute("aria-label", `${button.title}: ${field.label}`);
    button.disabled = step < 0 ? size - field.by < field.least : size + field.by > field.most;
    button.onclick = () => {
      const tied = board.ties.find((tie) => tie.some(([name, of]) => name === field.name && of === side));
      for (const [name, of] of tied ?? [[field.name, side]]) resize(board, name, of, step * field.by);
      redraw();
      send(board);
    };
    bar.append(button);
  }
  return bar;
}

function draw(board, field) {
  const box = make("div", "field");
  box.dataset.name = field.name;
  box.style.setProperty("--role", field.colour);
  const name = make("div", "name");
  if (field.label) name.append(symbol(field.label));
  if (field.about) name.append(make("span", "size", field.about));
  if (name.childNodes.length) box.append(name);
  const gridded = ["row", "table", "block", "flags"].includes(field.kind);
  const redraw = () => drawAll(board);
  if (gridded) {
    const all = gridOf(board, field, redraw);
    box.append(all);
    for (const side of field.grow) {
      const bar = growth(board, field, side, redraw);
      if (side === "columns") all.lastChild.append(bar);
      else box.append(bar);
    }
  } else if (field.kind === "choice") box.append(choice(board, field));
  else if (field.kind === "slider") box.append(slider(board, field));
  else {
    const input = line(board, field, field.kind === "number" ? "number" : "words");
    input.style.setProperty("--wide", `${field.wide}rem`);
    box.append(input);
  }
  return box;
}

function drawAll(board) {
  board.place.replaceChildren(...board.fields.map((field) => draw(board, field)));
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const find = (name) => parentElement.querySelector(name);
  const board = boards.get(parentElement) ?? { drawn: "", count: 0, waiting: null };
  boards.set(parentElement, board);
  Object.assign(board, { trigger: setTriggerValue, texts: data.texts, fields: data.fields, ties: data.ties, place: find(".fields") });
  if (data.seen === board.waiting) board.waiting = null;
  const drawn = JSON.stringify([data.stamp, data.texts, data.fields.map((each) => ({ ...each, value: 0, wrong: 0 }))]);
  if (drawn !== board.drawn) {
    if (data.stamp !== board.stamp || !board.values) {
      board.values = Object.fromEntries(data.fields.map((each) => [each.name, structuredClone(each.value)]));
    }
    for (const each of data.fields) board.values[each.name] ??= structuredClone(each.value);
    board.stamp = data.stamp;
    drawAll(board);
    board.drawn = drawn;
  }
  for (const field of data.fields) {
    const box = [...find(".fields").children].find((each) => each.dataset.name === field.name);
    box?.classList.toggle("wrong", Boolean(field.wrong));
  }
  find(".typed").style.setProperty("--bad", data.texts.bad);
  find(".typed").style.setProperty("--faint", data.texts.faint);
  find(".message").textContent = data.message;
  find(".message").classList.toggle("error", data.error);
  const button = find(".reset");
  button.textContent = data.texts.reset;
  button.disabled = !data.edited;
  button.onclick = () => reset(board);
  return () => clearTimeout(board.timer);
}
