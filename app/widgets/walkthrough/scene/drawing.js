// What all drawings share: canvases, colours, numbers, labels.

const SLANTED = 0.71; // sine and cosine of 45°

function made(kind, name, text) {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

// "E_w" with its w lowered; what follows an underscore, up to a blank or a bracket, stands lower.
function symbolOf(kind, name, text) {
  const element = made(kind, name);
  for (const [at, part] of text.split("_").entries()) {
    if (at === 0) {
      element.append(part);
      continue;
    }
    const end = part.search(/[\s,)·]/);
    element.append(made("sub", "", end < 0 ? part : part.slice(0, end)));
    if (end >= 0) element.append(part.slice(end));
  }
  return element;
}

function numbersOf(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

// Significant digits, a true minus; beyond 0.0001 … 999999 with a power of ten.
function written(value, digits) {
  if (value === null || Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (value === 0) return "0";
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent > -5 && exponent < 6) {
    return value.toFixed(Math.max(digits - 1 - exponent, 0)).replace("-", "−");
  }
  const raised = String(exponent).replace(/[-0-9]/g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
  return `${mantissa}×10${raised}`.replace("-", "−");
}

// The levels 0–254 as colours, mixed between the stops of a scale.
function paletteOf(stops) {
  const channels = stops.map(([at, hex]) => [at, ...[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]);
  const colours = new Uint32Array(256);
  for (let level = 0; level < 255; level += 1) {
    const share = level / 254;
    const after = Math.max(1, channels.findIndex(([at]) => at >= share));
    const [low, high] = [channels[after - 1], channels[after]];
    const part = (share - low[0]) / (high[0] - low[0]);
    const mixed = [1, 2, 3].map((i) => Math.round(low[i] + (high[i] - low[i]) * part));
    colours[level] = (255 << 24) | (mixed[2] << 16) | (mixed[1] << 8) | mixed[0];
  }
  return colours;
}

function pixelOf(hex) {
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return (255 << 24) | (blue << 16) | (green << 8) | red;
}

function isDark(pixel) {
  return 0.299 * (pixel & 255) + 0.587 * ((pixel >> 8) & 255) + 0.114 * ((pixel >> 16) & 255) < 140;
}

// A canvas as sharp as the screen; returns its pen and its size in CSS pixels.
function fitted(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const sizes = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== sizes[0]) canvas.width = sizes[0];
  if (canvas.height !== sizes[1]) canvas.height = sizes[1];
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

function fontOf(scene, weight = 400, size = scene.data.type) {
  return `${weight} ${size}px ${scene.family}`;
}

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

function isWide(text) {
  return /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/.test(text);
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
  const found = step === 1 ? [] : [0];
  for (let number = step; number <= count; number += step) {
    if (step === 1 || (number - 1) * room >= need) found.push(number - 1);
  }
  return found;
}
