// Every head is a switch. A click turns it off or on, a double-click leaves it alone in its
// attention, a Shift-click, a long press or an arrow key only brings it into focus. A single click
// waits a moment for the second one; what it will do is shown at once.

const FORBIDDEN = 255;
const BRIGHTER = 0.6; // power of the level: at this size weak patterns would not be seen
const SECOND_CLICK = 220; // milliseconds
const LONG_PRESS = 500;
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const boards = new WeakMap();

function startBoard(root) {
  const board = { node: root.querySelector(".switches"), drawn: "", heads: [], groups: [], sent: 0 };
  board.node.addEventListener("keydown", (event) => moveFocus(board, event));
  boards.set(root, board);
  return board;
}

function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

// The levels 0–254 as colours, mixed between the stops of the scale; 255 is forbidden.
function palette(stops) {
  const colours = new Uint32Array(256);
  const channels = stops.map(([at, hex]) => [at, ...[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]);
  for (let level = 0; level < FORBIDDEN; level += 1) {
    const share = (level / (FORBIDDEN - 1)) ** BRIGHTER;
    const after = Math.max(1, channels.findIndex(([at]) => at >= share));
    const [low, high] = [channels[after - 1], channels[after]];
    const part = (share - low[0]) / (high[0] - low[0]);
    const mixed = [1, 2, 3].map((i) => Math.round(low[i] + (high[i] - low[i]) * part));
    colours[level] = (255 << 24) | (mixed[2] << 16) | (mixed[1] << 8) | mixed[0];
  }
  return colours;
}

function paint(canvas, levels, picture, colours) {
  canvas.width = picture.columns;
  canvas.height = picture.rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(picture.columns, picture.rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let at = 0; at < levels.length; at += 1) {
    // A forbidden cell stays clear: the hatching behind the canvas shows through.
    pixels[at] = levels[at] === FORBIDDEN ? 0 : colours[levels[at]];
  }
  context.putImageData(image, 0, 0);
}

function send(board, act, about) {
  board.sent += 1;
  const { kind, layer = null, head = null } = about;
  board.send("act", { act, kind, layer, head, nonce: `${performance.now()}-${board.sent}` });
}

function listen(board, button, item) {
  let press = 0;
  let held = false;
  button.onpointerdown = () => {
    held = false;
    press = setTimeout(() => {
      held = true;
      focusOn(board, item);
    }, LONG_PRESS);
  };
  button.onpointerup = button.onpointerleave = () => clearTimeout(press);
  button.onclick = (event) => {
    if (held) {
      held = false;
    } else if (event.shiftKey) {
      focusOn(board, item);
    } else if (event.detail < 2) {
      clearTimeout(board.waiting);
      const toggle = () => send(board, "toggle", item);
      button.classList.toggle("off");
      frame(board, item);
      board.waiting = setTimeout(toggle, event.detail === 0 ? 0 : SECOND_CLICK);
    }
  };
  button.ondblclick = (event) => {
    if (event.shiftKey) return;
    clearTimeout(board.waiting);
    send(board, "alone", item);
  };
}

function focusOn(board, item) {
  frame(board, item);
  send(board, "focus", item);
}

const same = (one, other) => one.kind === other.kind && one.layer === other.layer && one.head === other.head;

function frame(board, focus) {
  for (const { button, item } of board.heads) {
    const here = same(item, focus);
    button.classList.toggle("focused", here);
    button.tabIndex = here || (item === board.heads[0].item && !board.anyFocus) ? 0 : -1;
  }
  for (const label of board.node.querySelectorAll(".label.row")) {
    const here = label.dataset.kind === focus.kind && Number(label.dataset.layer) === focus.layer;
    label.classList.toggle("now", here);
  }
}

// Arrow keys go to the nearest head in that direction, as it stands on screen.
function moveFocus(board, event) {
  const move = KEYS[event.key];
  const now = board.heads.find(({ button }) => button === event.target);
  if (!move || !now) return;
  event.preventDefault();
  const from = now.button.getBoundingClientRect();
  const far = ({ button }) => {
    const to = button.getBoundingClientRect();
    const [down, right] = [to.top - from.top, to.left - from.left];
    const ahead = down * move[0] + right * move[1];
    return ahead > 4 ? ahead + 5 * Math.abs(down * move[1] + right * move[0]) : Infinity;
  };
  const next = board.heads.reduce((best, each) => (far(each) < far(best) ? each : best), now);
  if (next === now) return;
  next.button.focus();
  focusOn(board, next.item);
}

function headButton(board, item, className) {
  const button = element("button", className);
  button.type = "button";
  Object.assign(button.dataset, { kind: item.kind, layer: item.layer, head: item.head });
  const picture = element("span", "picture");
  const canvas = element("canvas");
  picture.append(canvas);
  button.append(picture);
  listen(board, button, item);
  board.heads.push({ button, canvas, item });
  return button;
}

function allButton(board, text, about) {
  const button = element("button", "all", text);
  button.type = "button";
  button.onclick = () => send(board, "all", about);
  board.groups.push({ button, about });
  return button;
}

function drawKind(board, data, kind) {
  const node = element("div", "kind");
  node.style.gridTemplateColumns = `4.3rem repeat(${data.heads}, minmax(16px, var(--thumb))) max-content`;
  node.append(element("div", "label title", kind.title));
  for (let head = 1; head <= data.heads; head += 1) node.append(element("div", "label", String(head)));
  node.append(allButton(board, data.texts.kindOff, { kind: kind.name }));
  kind.rows.forEach((text, layer) => {
    const label = element("div", "label row", text);
    Object.assign(label.dataset, { kind: kind.name, layer });
    node.append(label);
    for (const item of data.items.filter((each) => each.kind === kind.name && each.layer === layer)) {
      node.append(headButton(board, item, "head"));
    }
    node.append(allButton(board, data.texts.layerOff, { kind: kind.name, layer }));
  });
  return node;
}

function drawLine(board, item) {
  const button = headButton(board, item, "head line");
  const bar = element("span", "bar");
  const fill = element("i");
  fill.style.width = `${item.share * 100}%`;
  bar.append(fill);
  const word = element("span", "word");
  word.append(element("b", "", item.word), ` ${item.change}`);
  button.append(element("span", "name", item.short), bar, element("span", "value", item.harm), word);
  return button;
}

function draw(board, data) {
  board.node.replaceChildren();
  board.heads = [];
  board.groups = [];
  if (data.ranked) {
    const header = element("div", "line header");
    header.append(...data.texts.header.map((text) => element("span", "", text)));
    header.children[3].className = "value";
    board.node.append(header, ...data.items.map((item) => drawLine(board, item)));
  } else {
    board.node.append(...data.kinds.map((kind) => drawKind(board, data, kind)));
  }
}

// What changes with every switch: pictures, marks, names for screen readers.
function refresh(board, data) {
  const colours = palette(data.scale);
  const pictures = Object.fromEntries(
    data.kinds.map((kind) => [kind.name, Uint8Array.from(atob(kind.levels), (one) => one.charCodeAt(0))]),
  );
  const kinds = Object.fromEntries(data.kinds.map((kind) => [kind.name, kind]));
  for (const each of board.heads) {
    const { button, canvas } = each;
    const item = data.items.find((one) => same(one, each.item));
    each.item = item;
    const kind = kinds[item.kind];
    const size = kind.side[0] * kind.side[1];
    const start = (item.layer * (data.heads + 1) + item.head) * size;
    const picture = { rows: kind.side[0], columns: kind.side[1] };
    paint(canvas, pictures[item.kind].subarray(start, start + size), picture, colours);
    for (const mark of ["off", "alone", "steered"]) button.classList.toggle(mark, item[mark]);
    button.classList.toggle("mean", item.mean);
    button.title = item.title;
    button.setAttribute("aria-label", item.name);
    button.setAttribute("aria-pressed", String(item.off));
  }
  for (const { button, about } of board.groups) {
    const mine = data.items.filter(
      (item) => item.kind === about.kind && (about.layer === undefined || item.layer === about.layer),
    );
    const layer = about.layer === undefined ? "" : ` · ${kinds[about.kind].rows[about.layer]}`;
    button.setAttribute("aria-pressed", String(mine.every((item) => item.off)));
    button.setAttribute("aria-label", `${kinds[about.kind].title}${layer}: ${button.textContent}`);
    button.title = data.texts.allHelp;
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const board = boards.get(parentElement) ?? startBoard(parentElement);
  board.send = setTriggerValue;
  board.node.setAttribute("aria-label", data.texts.label);
  for (const [name, value] of Object.entries(data.style)) board.node.style.setProperty(`--${name}`, value);
  const shape = JSON.stringify([data.ranked, data.heads, data.texts,
    data.kinds.map((kind) => [kind.name, kind.title, kind.rows]),
    data.items.map(({ kind, layer, head, short, share, harm, word, change }) => [kind, layer, head, short, share, harm, word, change])]);
  if (shape !== board.drawn) draw(board, data);
  board.drawn = shape;
  refresh(board, data);
  board.anyFocus = board.heads.some(({ item }) => same(item, data.focus));
  frame(board, data.focus);
}
