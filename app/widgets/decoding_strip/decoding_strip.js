// A column a step. A click or the slider marks its column at once and then asks Python; while the
// slider is dragged, only the newest place is asked for.

const ROWS = ["number", "reads", "writes", "percent", "bar", "entropy", "spread"];
const PAUSE = 120; // milliseconds between two asks of a slider on the move
const PATIENCE = 1500; // milliseconds in which an older place that arrives does not count
const strips = new WeakMap();

function made(kind, name, text) {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

function ask(strip, event, to) {
  strip.asks += 1;
  if (event === "go") strip.wanted = { to, since: performance.now() };
  strip.send(event, { to, nonce: `${performance.now()}-${strip.asks}` });
}

function start(root) {
  const find = (name) => root.querySelector(name);
  const strip = {
    frame: find(".frame"), names: find(".names"), scroll: find(".scroll"), steps: find(".steps"),
    range: find("input"), drawn: "", asks: 0, timer: 0, send: () => {},
  };
  strip.range.oninput = () => {
    mark(strip, Number(strip.range.value) - 1);
    strip.wanted = { to: Number(strip.range.value) - 1, since: performance.now() };
    clearTimeout(strip.timer);
    strip.timer = setTimeout(() => ask(strip, "go", Number(strip.range.value) - 1), PAUSE);
  };
  strips.set(root, strip);
  return strip;
}

function mark(strip, now) {
  for (const [place, item] of [...strip.steps.children].entries()) {
    item.classList.toggle("later", place > now);
    const button = item.querySelector(".column");
    if (place === now) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  strip.range.value = now + 1;
  reveal(strip, now);
}

// Whether a newer place than this one was asked for here.
function awaits(strip, now) {
  const { wanted } = strip;
  if (!wanted || wanted.to >= strip.data.columns.length) return false;
  if (wanted.to !== now && performance.now() - wanted.since < PATIENCE) {
    mark(strip, wanted.to);
    return true;
  }
  strip.wanted = null;
  return false;
}

function reveal(strip, now) {
  const item = strip.steps.children[now];
  if (!item) return;
  const [left, right] = [item.offsetLeft, item.offsetLeft + item.offsetWidth];
  const from = strip.scroll.scrollLeft;
  const room = strip.scroll.clientWidth;
  if (left < from) strip.scroll.scrollLeft = Math.max(0, left - item.offsetWidth);
  else if (right > from + room) strip.scroll.scrollLeft = right - room + item.offsetWidth;
}

function chip(text, flag) {
  return made("span", flag ? "chip flag" : "chip", text);
}

function meter(style, share) {
  const [outer, inner] = [made("i"), made("b")];
  inner.style[style] = `${100 * share}%`;
  outer.append(inner);
  return outer;
}

function parts(strip, column, place) {
  const { texts } = strip.data;
  const spans = Object.fromEntries(ROWS.map((name) => [name, made("span", name)]));
  spans.number.textContent = place + 1;
  spans.reads.append(chip(column.reads, column.start));
  spans.writes.append(chip(column.writes || texts.end, !column.writes));
  spans.percent.textContent = column.percent;
  spans.bar.append(meter("height", column.share));
  spans.entropy.textContent = column.entropy;
  spans.spread.append(meter("width", column.spread));
  return ROWS.map((name) => spans[name]);
}

function makeStep(strip, column, place) {
  const item = made("li");
  item.classList.toggle("forced", column.forced);
  item.classList.toggle("guarded", column.guarded);
  const button = made("button", "column");
  button.type = "button";
  button.title = column.title;
  button.setAttribute("aria-label", column.title);
  button.append(...parts(strip, column, place));
  button.onclick = () => {
    mark(strip, place);
    ask(strip, "go", place);
  };
  item.append(button);
  if (column.forced) {
    const undo = made("button", "undo", "×");
    undo.type = "button";
    undo.title = strip.data.texts.undo;
    undo.setAttribute("aria-label", strip.data.texts.undo);
    undo.onclick = () => ask(strip, "undo", place);
    item.append(undo);
  }
  return item;
}

function draw(strip) {
  const { columns, texts, colours, bars } = strip.data;
  for (const [name, colour] of Object.entries(colours)) strip.frame.style.setProperty(`--${name}`, colour);
  strip.frame.style.setProperty("--count", columns.length);
  strip.frame.classList.toggle("bars", bars);
  strip.frame.setAttribute("aria-label", texts.label);
  strip.names.replaceChildren(...ROWS.map((name) => made("div", name, texts[name] ?? "")));
  strip.steps.replaceChildren(...columns.map((column, place) => makeStep(strip, column, place)));
  strip.range.max = columns.length;
  strip.range.disabled = columns.length < 2;
  strip.range.setAttribute("aria-label", texts.slider);
  strip.range.title = texts.slider;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return undefined;
  const strip = strips.get(parentElement) ?? start(parentElement);
  Object.assign(strip, { data, send: setTriggerValue });
  const { now, ...picture } = data;
  const drawn = JSON.stringify(picture);
  if (drawn !== strip.drawn) draw(strip);
  strip.drawn = drawn;
  if (!awaits(strip, now)) mark(strip, now);
  return () => clearTimeout(strip.timer);
}
