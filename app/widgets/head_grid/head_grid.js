// All heads of one kind as thumbnails: a row a layer, a column a head, the mean of the layer last;
// or, sorted by what a head does, one after the other. A click frames the head at once and goes to
// Python; the arrow keys move the frame.

const FORBIDDEN = 255;
const BRIGHTER = 0.6; // power of the level: at this size weak patterns would not be seen
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const grids = new WeakMap();

function startGrid(root) {
  const grid = { node: root.querySelector(".grid"), drawn: "", buttons: [], send: () => {} };
  grid.node.addEventListener("keydown", (event) => step(grid, event));
  grids.set(root, grid);
  return grid;
}

// The levels 0–254 as colours, mixed between the stops of the scale; 255 is forbidden.
// Signed ones are brightened away from the middle, which is no difference.
function bright(share, signed) {
  if (!signed) return share ** BRIGHTER;
  const away = 2 * share - 1;
  return 0.5 + 0.5 * Math.sign(away) * Math.abs(away) ** BRIGHTER;
}

function palette(stops, signed) {
  const colours = new Uint32Array(256);
  const channels = stops.map(([at, hex]) => [at, ...[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]);
  for (let level = 0; level < FORBIDDEN; level += 1) {
    const share = bright(level / (FORBIDDEN - 1), signed);
    const after = Math.max(1, channels.findIndex(([at]) => at >= share));
    const [low, high] = [channels[after - 1], channels[after]];
    const part = (share - low[0]) / (high[0] - low[0]);
    const mixed = [1, 2, 3].map((i) => Math.round(low[i] + (high[i] - low[i]) * part));
    colours[level] = (255 << 24) | (mixed[2] << 16) | (mixed[1] << 8) | mixed[0];
  }
  return colours;
}

function paint(canvas, levels, rows, columns, colours) {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let at = 0; at < levels.length; at += 1) {
    // A forbidden cell stays clear: the hatching behind the canvas shows through.
    pixels[at] = levels[at] === FORBIDDEN ? 0 : colours[levels[at]];
  }
  context.putImageData(image, 0, 0);
}

function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function makeHead(grid, data, item, levels, colours) {
  const button = element("button", item.head === null ? "head mean" : "head");
  button.type = "button";
  button.title = item.title;
  button.setAttribute("aria-label", item.name);
  Object.assign(button.dataset, { layer: item.layer, head: item.head ?? "mean" });
  const canvas = element("canvas");
  canvas.style.background = `repeating-linear-gradient(135deg, ${data.hatch} 0 1px, transparent 1px 4px)`;
  const size = data.rows * data.columns;
  const start = (item.layer * (data.heads + 1) + (item.head ?? data.heads)) * size;
  paint(canvas, levels.subarray(start, start + size), data.rows, data.columns, colours);
  const picture = element("div", "picture");
  picture.append(canvas);
  button.append(picture);
  button.classList.toggle("marked", item.marked);
  button.classList.toggle("off", item.off);
  if (item.share !== null) {
    button.append(element("span", "", item.short), element("span", "share", item.share));
  }
  button.onclick = () => pick(grid, button, true);
  grid.buttons.push({ button, item });
  return button;
}

function drawPlain(grid, data, levels, colours) {
  grid.node.style.gridTemplateColumns = `repeat(${data.heads + 1}, minmax(0, ${data.widest}px))`;
  grid.node.append(...data.columnLabels.map((text) => element("div", "label", text)));
  for (let layer = 0; layer < data.rowLabels.length; layer += 1) {
    grid.node.append(element("div", "label row", data.rowLabels[layer]));
    for (const item of data.items.filter((each) => each.layer === layer)) {
      grid.node.append(makeHead(grid, data, item, levels, colours));
    }
  }
}

function drawRanked(grid, data, levels, colours) {
  grid.node.style.gridTemplateColumns = `repeat(${data.acrossRanked}, minmax(0, 1fr))`;
  grid.node.append(...data.items.map((item) => makeHead(grid, data, item, levels, colours)));
}

function draw(grid, data) {
  grid.node.replaceChildren();
  grid.buttons = [];
  const levels = Uint8Array.from(atob(data.levels), (letter) => letter.charCodeAt(0));
  const colours = palette(data.scale, data.signed);
  grid.node.classList.toggle("ranked", data.ranked);
  (data.ranked ? drawRanked : drawPlain)(grid, data, levels, colours);
}

function frame(grid, layer, head) {
  for (const { button, item } of grid.buttons) {
    const here = item.layer === layer && item.head === head;
    button.setAttribute("aria-pressed", String(here));
    button.tabIndex = here ? 0 : -1;
  }
  for (const [at, label] of grid.node.querySelectorAll(".label.row").entries()) {
    label.classList.toggle("now", at === layer);
  }
}

function pick(grid, button) {
  const { item } = grid.buttons.find((each) => each.button === button);
  frame(grid, item.layer, item.head);
  grid.picks = (grid.picks ?? 0) + 1;
  grid.send("pick", { layer: item.layer, head: item.head, nonce: `${performance.now()}-${grid.picks}` });
}

function step(grid, event) {
  const move = KEYS[event.key];
  const at = grid.buttons.findIndex(({ button }) => button.getAttribute("aria-pressed") === "true");
  if (!move || at < 0) return;
  event.preventDefault();
  const next = at + move[0] * grid.across + move[1];
  if (next < 0 || next >= grid.buttons.length) return;
  grid.buttons[next].button.focus();
  pick(grid, grid.buttons[next].button);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const grid = grids.get(parentElement) ?? startGrid(parentElement);
  grid.send = setTriggerValue;
  grid.across = data.ranked ? data.acrossRanked : data.heads + 1;
  grid.node.setAttribute("aria-label", data.label);
  grid.node.style.setProperty("--role", data.role);
  grid.node.style.setProperty("--grey", data.grey);
  grid.node.style.setProperty("--mark", data.mark);
  grid.node.style.setProperty("--changed", data.changed);
  const { focus, ...picture } = data;
  const drawn = JSON.stringify(picture);
  if (drawn !== grid.drawn) draw(grid, data);
  grid.drawn = drawn;
  frame(grid, focus.layer, focus.head);
}
