// One head, a map a step. The maps are drawn once; only the frame moves with the step in view.

const FORBIDDEN = 255;
const BRIGHTER = 0.6; // power of the level: at this size weak patterns would not be seen
const strips = new WeakMap();

// The levels 0–254 as colours, mixed between the stops of the scale; 255 is forbidden.
function palette(stops) {
  const channels = stops.map(([at, hex]) => [at, ...[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]);
  return Array.from({ length: FORBIDDEN }, (_, level) => {
    const share = (level / (FORBIDDEN - 1)) ** BRIGHTER;
    const after = Math.max(1, channels.findIndex(([at]) => at >= share));
    const [low, high] = [channels[after - 1], channels[after]];
    const part = (share - low[0]) / (high[0] - low[0]);
    return [1, 2, 3].map((i) => Math.round(low[i] + (high[i] - low[i]) * part));
  });
}

function paint(canvas, shot, levels, colours) {
  canvas.width = shot.columns;
  canvas.height = shot.rows;
  const context = canvas.getContext("2d");
  const image = context.createImageData(shot.columns, shot.rows);
  for (let at = 0; at < levels.length; at += 1) {
    // A forbidden cell stays clear: the hatching behind the canvas shows through.
    if (levels[at] !== FORBIDDEN) image.data.set([...colours[levels[at]], 255], 4 * at);
  }
  context.putImageData(image, 0, 0);
}

function element(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

// The words of the cell under the mouse and its weight, where the map has a cell a pair of words.
function cellAt(strip, shot, levels, event) {
  const box = event.target.getBoundingClientRect();
  const row = Math.floor(((event.clientY - box.top) / box.height) * shot.rows);
  const column = Math.floor(((event.clientX - box.left) / box.width) * shot.columns);
  const [from, to] = [strip.data.rows[row], strip.data.columns[column]];
  const level = levels[row * shot.columns + column];
  if (from === undefined || to === undefined || level === undefined || level === FORBIDDEN) return "";
  return `${shot.step} · ${from} → ${to} · ${(level / (FORBIDDEN - 1)).toFixed(2)}`;
}

function makeShot(strip, shot, place, colours) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "shot";
  button.dataset.step = shot.step;
  button.setAttribute("aria-label", shot.title);
  const line = document.createElement("div");
  line.className = "line";
  line.append(element("b", shot.step), element("span", shot.note));
  const canvas = document.createElement("canvas");
  canvas.style.background = `repeating-linear-gradient(135deg, ${strip.data.hatch} 0 1px, transparent 1px 6px)`;
  const levels = Uint8Array.from(atob(shot.levels), (letter) => letter.charCodeAt(0));
  paint(canvas, shot, levels, colours);
  canvas.onmousemove = (event) => { strip.says.textContent = cellAt(strip, shot, levels, event); };
  canvas.onmouseleave = () => { strip.says.textContent = ""; };
  button.append(line, canvas);
  button.onclick = () => {
    mark(strip, place);
    strip.clicks += 1;
    strip.send("go", { to: place, nonce: `${performance.now()}-${strip.clicks}` });
  };
  return button;
}

function mark(strip, now) {
  for (const [place, shot] of [...strip.shots.children].entries()) {
    if (place === now) shot.setAttribute("aria-current", "step");
    else shot.removeAttribute("aria-current");
  }
}

function draw(strip) {
  const { data } = strip;
  const colours = palette(data.scale);
  const at = (share) => `rgb(${colours[Math.round(share * (FORBIDDEN - 1))].join(" ")}) ${100 * share}%`;
  strip.bar.style.background = `linear-gradient(90deg, ${[0, 0.1, 0.25, 0.5, 0.75, 1].map(at).join(", ")})`;
  strip.shots.setAttribute("aria-label", data.label);
  strip.shots.style.setProperty("--across", Math.ceil(data.shots.length / 2));
  strip.shots.replaceChildren(...data.shots.map((shot, place) => makeShot(strip, shot, place, colours)));
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const find = (name) => parentElement.querySelector(name);
  const strip = strips.get(parentElement) ?? {
    shots: find(".shots"), bar: find(".legend i"), says: find("output"), drawn: "", clicks: 0,
  };
  strips.set(parentElement, strip);
  Object.assign(strip, { data, send: setTriggerValue });
  find(".strip").style.setProperty("--role", data.role);
  find(".strip").style.setProperty("--grey", data.grey);
  find(".says").textContent = data.legend;
  const { now, ...picture } = data;
  const drawn = JSON.stringify(picture);
  if (drawn !== strip.drawn) draw(strip);
  strip.drawn = drawn;
  mark(strip, now);
}
