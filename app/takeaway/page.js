// Opens the screens of a lecture, each in a frame of its own, and keeps them ready for print.

"use strict";
const LEAST = 720; // pixels of a screen's height
// CSS pixels of a sheet, A4 across without its margins; how large its type is, and what lies
// between.
const PAPER = { wide: 1040, high: 720, type: 0.8, between: 12 };
const STILL = ["strip"];
const REST = 250; // milliseconds between two screens that nobody waits for
const JUST_NOW = 1000; // milliseconds
const SHELL = '<!doctype html><html><head><meta charset="utf-8"></head><body></body></html>';
const root = document.documentElement;
const pictures = [...document.querySelectorAll(".picture")];
const opened = new Map(); // picture → what its opening promises

const isDark = () => root.dataset.theme === "dark";

function decoded(packed) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(packed);
  return Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
}

function unpacked(name) {
  const bytes = decoded(document.getElementById(name).textContent);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

const textOf = (name) => unpacked(name).text();

// What all screens share: loaded once, when the first asks for it.
const once = (make) => {
  let made;
  return () => (made ??= make());
};
const shared = once(() => textOf("shared").then(JSON.parse));
const plotly = once(() => textOf("plotly"));
const type = once(() => unpacked("type").arrayBuffer());

async function setType(inside) {
  if (!document.getElementById("type")) return;
  const face = new inside.FontFace("Source Sans", await type(), { weight: "200 900" });
  inside.document.fonts.add(await face.load());
}

// What differs by theme stands as {"¦": [light, dark]}.
function themed(value) {
  if (Array.isArray(value)) return value.map(themed);
  if (value === null || typeof value !== "object") return value;
  if ("¦" in value) return value["¦"][Number(isDark())];
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, themed(each)]));
}

function frameIn(picture) {
  const frame = document.createElement("iframe");
  frame.title = picture.dataset.title;
  frame.srcdoc = SHELL;
  const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  picture.querySelector("iframe")?.remove();
  picture.append(frame);
  return loaded.then(() => frame);
}

// A script of its own in a frame: the page names its hash, so that it may run there.
function run(home, text) {
  const script = home.createElement("script");
  script.textContent = text;
  home.head.append(script);
}

function styled(home, sheets) {
  for (const sheet of sheets) {
    const style = home.createElement("style");
    style.textContent = sheet;
    home.head.append(style);
  }
}

async function open(picture) {
  const [common, text, frame] = await Promise.all([
    shared(),
    textOf(picture.dataset.screen),
    frameIn(picture),
  ]);
  const { html, parts, sheets } = themed(JSON.parse(text));
  const home = frame.contentDocument;
  const inside = frame.contentWindow;
  home.documentElement.lang = root.lang;
  home.documentElement.dataset.theme = root.dataset.theme;
  styled(home, [common.base, ...sheets.map((at) => themed(common.sheets[at]))]);
  await setType(inside);
  home.body.innerHTML = html;
  inside.glass = {};
  const places = [...home.querySelectorAll("[data-part]")].map((place) => [
    place,
    parts[place.dataset.part],
  ]);
  const [charts, others] = [true, false].map((is) =>
    places.filter(([, { name }]) => (name === "chart") === is),
  );
  let touched = -Infinity;
  for (const act of ["pointerdown", "keydown", "input"])
    inside.addEventListener(act, () => (touched = performance.now()), { capture: true });
  // Components also tell by themselves, of their size for one: nobody is told of that.
  const asked = () => performance.now() - touched < JUST_NOW && sayAlive(picture);
  for (const name of new Set(others.map(([, part]) => part.name))) run(home, common.scripts[name]);
  for (const [place, part] of others) fill(place, part, inside, asked);
  // plotly.js takes longer to begin than all else to draw: that is seen before.
  if (charts.some(([, { data }]) => data !== null)) {
    const drawing = await plotly();
    await moment();
    run(home, drawing);
    run(home, common.scripts.chart);
    for (const [place, part] of charts) fill(place, part, inside, asked);
  }
  for (const { math } of parts) if (math) typeset(home, math);
  await drawn(home);
  fit(picture, frame);
}

// What asks for another screen cannot be answered here: who pressed it is told where it is.
function sayAlive(picture) {
  if (picture.querySelector(".alive")) return;
  const said = Object.assign(document.createElement("p"), { className: "alive", role: "status" });
  said.textContent = document.body.dataset.alive;
  picture.append(said);
  setTimeout(() => said.remove(), 5000);
}

function fill(place, { name, data }, inside, setTriggerValue) {
  if (data === null) return;
  const parentElement = "isolated" in place.dataset ? place.attachShadow({ mode: "open" }) : place;
  inside.glass[name]({ data, parentElement, setTriggerValue });
  // What only the server could answer; its keys would empty the screen.
  if (!STILL.includes(name)) return;
  place.inert = true;
  inside.addEventListener("keydown", (event) => event.stopImmediatePropagation(), {
    capture: true,
  });
}

// Formulas that a component wants set by Streamlit's scripts: they came as MathML.
function typeset(home, math) {
  const set = () => {
    for (const code of home.querySelectorAll("code.math-inline")) {
      if (math[code.textContent]) code.outerHTML = math[code.textContent];
    }
  };
  new MutationObserver(set).observe(home.body, { childList: true, subtree: true });
  set();
}

const moment = (milliseconds = 30) => new Promise((done) => setTimeout(done, milliseconds));

async function drawn(home) {
  const end = performance.now() + 20_000;
  const waits = () =>
    [...home.querySelectorAll(".chart-place")].some((each) => each.dataset.chart !== "drawn");
  while (waits() && performance.now() < end) await moment();
  await moment();
}

// As high as what it shows; and how much smaller it is on paper, below the words of its scene.
function fit(picture, frame) {
  const { scrollHeight } = frame.contentDocument.querySelector(".stMain");
  const wide = picture.clientWidth;
  const high = Math.max(LEAST, scrollHeight);
  const others = [...picture.parentElement.children].filter((each) => each !== picture);
  const words = others.reduce((sum, each) => sum + PAPER.type * each.offsetHeight, PAPER.between);
  const shrink = Math.min(
    PAPER.wide / wide,
    (PAPER.high - Math.min(words, PAPER.high / 2)) / high,
    1,
  );
  frame.style.height = `${high}px`;
  // In a notebook's frame the page is one picture.
  if ("alone" in root.dataset && window.frameElement)
    window.frameElement.style.height = `${root.scrollHeight}px`;
  for (const [name, value] of [
    ["wide", `${wide}px`],
    ["high", `${high}px`],
    ["shrink", shrink],
  ]) {
    picture.style.setProperty(`--${name}`, value);
  }
}

// One after the other: what is in sight is not kept waiting by what is not.
let last = Promise.resolve();

function opening(picture) {
  if (!opened.has(picture)) {
    const tell = (state) => () => (picture.dataset.state = state);
    last = last
      .then(() => open(picture))
      .then(tell("drawn"), (error) => {
        console.error(error);
        tell("failed")();
      });
    opened.set(picture, last);
  }
  return opened.get(picture);
}

// The reader may scroll and click between two screens; paper does not wait.
async function openAll(rest = 0) {
  for (const picture of pictures) {
    await last;
    await moment(rest);
    await opening(picture);
  }
}

function setTheme(theme) {
  if (root.dataset.theme === theme) return;
  root.dataset.theme = theme;
  const before = [...opened.keys()];
  for (const picture of before) delete picture.dataset.state;
  opened.clear();
  before.forEach(opening);
}

// On paper it is light, whatever the screen is.
async function print() {
  const before = root.dataset.theme;
  setTheme("light");
  await openAll();
  window.addEventListener("afterprint", () => setTheme(before), { once: true });
  window.print();
}

setType(window);
if (document.getElementById("plotly")) plotly(); // unpacked while the rest is drawn
root.dataset.theme ??= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document
  .getElementById("theme")
  .addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
document.getElementById("print").addEventListener("click", print);
document.addEventListener("keydown", (event) => {
  if (event.key !== "p" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  print();
});
// What is in sight comes first, the others while nothing else is to do.
const eye = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) if (isIntersecting) opening(target);
});
pictures.forEach((picture) => eye.observe(picture));
openAll(REST);
