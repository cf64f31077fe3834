// A row a word, a column a hidden unit; where units are narrower than a pixel, the most active one
// of each pixel is drawn. Hover reads a number, a click chooses word and unit, the arrows move.

const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const BRIGHTER = 0.6; // power of the level: weak units would not be seen
const maps = new WeakMap();

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function written(value, digits) {
  if (value === 0) return "0";
  return Number(value.toPrecision(digits)).toString().replace("-", "−");
}

function mixed(scale, share) {
  const after = Math.max(1, scale.findIndex(([at]) => at >= share));
  const [low, high] = [scale[after - 1], scale[after]];
  const part = (share - low[0]) / (high[0] - low[0]);
  const channel = (hex, at) => parseInt(hex.slice(at, at + 2), 16);
  const parts = [1, 3, 5].map((at) => Math.round(channel(low[1], at) + (channel(high[1], at) - channel(low[1], at)) * part));
  return `rgb(${parts.join(",")})`;
}

function paint(map) {
  const { canvas, data, values, largest } = map;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  if (!width || !height) return;
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  const [rows, columns] = [data.rows.length, data.units.length];
  pen.fillStyle = data.look.panel;
  pen.fillRect(0, 0, width, height);
  const wide = width / columns;
  const gap = wide > 5 * ratio ? ratio : 0;
  const order = [...values.keys()].filter((at) => values[at] > 0).sort((a, b) => values[a] - values[b]);
  const tall = height / rows;
  for (const at of order) {
    const [row, column] = [Math.floor(at / columns), at % columns];
    pen.fillStyle = map.palette[Math.round(255 * (values[at] / largest) ** BRIGHTER)];
    const left = gap ? column * wide : Math.floor(column * wide);
    const right = gap ? (column + 1) * wide - gap : Math.max(Math.ceil((column + 1) * wide), left + 1);
    pen.fillRect(left, row * tall, right - left, Math.max(1, tall - ratio));
  }
}

function mark(map) {
  const [row, unit] = map.focus;
  const column = map.data.units.indexOf(unit);
  for (const [at, word] of [...map.words.children].entries()) {
    word.classList.toggle("now", at === row);
    word.setAttribute("aria-pressed", String(at === row));
  }
  map.mark.hidden = column < 0;
  map.mark.style.display = column < 0 ? "none" : "";
  const share = 100 / map.data.units.length;
  map.mark.style.left = `calc(${column * share}% - 3px)`;
  map.mark.style.width = `calc(${share}% + 6px)`;
  say(map, row, column);
}

function say(map, row, column) {
  const { data, values } = map;
  if (column < 0 || row < 0) {
    map.said.textContent = "";
    return;
  }
  const value = written(values[row * data.units.length + column], data.precision);
  const named = { row: data.rows[row], unit: data.units[column] + 1, value };
  map.said.textContent = data.texts.hover.replace(/\{(\w+)\}/g, (whole, name) => named[name] ?? whole);
}

function under(map, event) {
  const box = map.canvas.getBoundingClientRect();
  const at = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
  return [
    at((event.clientY - box.top) / box.height, map.data.rows.length),
    at((event.clientX - box.left) / box.width, map.data.units.length),
  ];
}

function pick(map, row, unit) {
  map.focus = [row, unit ?? map.focus[1]];
  mark(map);
  map.picks += 1;
  map.send("pick", { row, unit, nonce: `${performance.now()}-${map.picks}` });
}

function step(map, event) {
  const move = KEYS[event.key];
  if (!move) return;
  event.preventDefault();
  const { data } = map;
  const row = map.focus[0] + move[0];
  const column = Math.max(0, data.units.indexOf(map.focus[1])) + move[1];
  if (row < 0 || row >= data.rows.length || column < 0 || column >= data.units.length) return;
  pick(map, row, data.units[column]);
}

function draw(map) {
  const { data, node } = map;
  for (const [name, value] of Object.entries(data.look)) node.style.setProperty(`--${name}`, value);
  const bytes = Uint8Array.from(atob(data.values), (letter) => letter.charCodeAt(0));
  map.values = new Float32Array(bytes.buffer);
  map.largest = map.values.reduce((most, value) => Math.max(most, value), 1e-9);
  // Many words scroll: a row keeps the height of its word.
  node.style.gridTemplateRows = `auto minmax(${1.1 * data.rows.length}rem, 1fr) 1.4rem`;
  map.palette = Array.from({ length: 256 }, (_, level) => mixed(data.scale, level / 255));
  node.querySelector(".corner").textContent = data.texts.rows;
  node.querySelector(".above").textContent = data.texts.columns;
  node.querySelector(".shares-title").textContent = data.texts.shares;
  map.canvas.setAttribute("aria-label", data.texts.label);
  map.words.replaceChildren(
    ...data.rows.map((word, row) => {
      const made = element("button", data.sinks.includes(row) ? "sink" : "", word);
      made.type = "button";
      made.onclick = () => pick(map, row, null);
      return made;
    }),
  );
  const most = Math.max(...data.shares.map(([share]) => share), 1e-9);
  map.shares.replaceChildren(
    ...data.shares.map(([share, text]) => {
      const made = element("div", "share");
      const track = element("u", "");
      const filled = element("i", "");
      filled.style.width = `${(100 * share) / most}%`;
      track.append(filled);
      made.append(track, element("span", "", text));
      return made;
    }),
  );
}

function start(root) {
  const node = root.querySelector(".neurons");
  const map = { node, picks: 0, drawn: "", focus: [0, null] };
  for (const name of ["words", "shares", "said", "mark"]) map[name] = node.querySelector(`.${name}`);
  map.canvas = node.querySelector("canvas");
  map.canvas.addEventListener("mousemove", (event) => say(map, ...under(map, event)));
  map.canvas.addEventListener("mouseleave", () => mark(map));
  map.canvas.addEventListener("click", (event) => {
    const [row, column] = under(map, event);
    pick(map, row, map.data.units[column]);
  });
  map.canvas.addEventListener("keydown", (event) => step(map, event));
  new ResizeObserver(() => map.values && paint(map)).observe(map.canvas);
  maps.set(root, map);
  return map;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const map = maps.get(parentElement) ?? start(parentElement);
  Object.assign(map, { data, send: setTriggerValue });
  const { focus, ...picture } = data;
  const drawn = JSON.stringify(picture);
  if (drawn !== map.drawn) {
    draw(map);
    paint(map);
  }
  map.drawn = drawn;
  map.focus = focus;
  mark(map);
}
