// Paints the plan that Python made and answers pointer and keyboard. Everything that is drawn,
// also the tooltips, is text set with textContent: tokens are never read as HTML.

const SVG = "http://www.w3.org/2000/svg";
const maps = new WeakMap();

function startMap(root) {
  const map = {
    frame: root.querySelector(".map"),
    svg: root.querySelector("svg"),
    tip: root.querySelector(".tip"),
    drawn: "",
  };
  const blockOf = (event) => event.target.closest(".block");
  map.svg.addEventListener("pointerover", (event) => {
    if (!rests(map, event)) showTip(map, blockOf(event));
  });
  map.svg.addEventListener("pointerleave", () => showTip(map, null));
  map.svg.addEventListener("focusin", (event) => {
    if (event.target.matches(":focus-visible")) showTip(map, blockOf(event));
  });
  map.svg.addEventListener("focusout", () => showTip(map, null));
  map.svg.addEventListener("click", (event) => {
    map.clicked = event.detail ? [event.clientX, event.clientY] : null; // null: by keyboard
    showTip(map, null);
    pick(map, blockOf(event));
  });
  map.svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") showTip(map, null);
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick(map, blockOf(event));
  });
  maps.set(root, map);
  return map;
}

function pick(map, block) {
  if (block) map.send("pick", { block: block.dataset.block, nonce: performance.now() });
}

// Whether the pointer is still where it clicked: what was clicked is looked at, not explained.
// A click is told in whole pixels, a pointer in parts of them.
function rests(map, event) {
  const [x, y] = map.clicked ?? [NaN, NaN];
  return Math.abs(x - event.clientX) < 2 && Math.abs(y - event.clientY) < 2;
}

function element(kind, attributes) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function paint(item) {
  if (item.kind === "button") return paintBlock(item);
  const { kind, text, after, after_fill: fill, ...attributes } = item;
  const made = element(kind, attributes);
  if (text !== undefined) made.textContent = text;
  if (after !== undefined) {
    const second = element("tspan", { dx: 8, fill });
    second.textContent = after;
    made.append(second);
  }
  return made;
}

function paintBlock(item) {
  const made = element("g", {
    class: "block", role: "button", tabindex: 0,
    "aria-label": item.label, "aria-pressed": item.pressed, "data-block": item.id,
  });
  made.tip = item.tip;
  made.append(...item.items.map(paint));
  const ring = paint(item.ring);
  ring.classList.add("ring");
  made.append(ring);
  return made;
}

function showTip(map, block) {
  map.tip.hidden = !block;
  if (!block) return;
  const lines = block.tip.filter(Boolean).map((line, at) => {
    const made = document.createElement("p");
    made.textContent = line;
    if (at > 1) made.className = "fact";
    return made;
  });
  map.tip.replaceChildren(...lines);
  const frame = map.frame.getBoundingClientRect();
  const place = block.getBoundingClientRect();
  const tip = map.tip.getBoundingClientRect();
  const middle = place.left + place.width / 2 - frame.left - tip.width / 2;
  const left = Math.min(Math.max(middle, 0), frame.width - tip.width);
  const [above, below] = [place.top - frame.top - tip.height - 8, place.bottom - frame.top + 8];
  const free = [above, below].filter((top) => top >= 0 && !covers(map, frame, left, top, tip));
  map.tip.style.left = `${left}px`;
  map.tip.style.top = `${free[0] ?? (above >= 0 ? above : below)}px`;
}

// Whether a tip placed there would lie on the block that is open.
function covers(map, frame, left, top, tip) {
  const open = map.svg.querySelector('.block[aria-pressed="true"]')?.getBoundingClientRect();
  if (!open) return false;
  const [x, y] = [open.left - frame.left, open.top - frame.top];
  return left < x + open.width && x < left + tip.width && top < y + open.height && y < top + tip.height;
}

function draw(map, data) {
  const drawn = JSON.stringify(data);
  if (drawn === map.drawn) return;
  map.drawn = drawn;
  const focused = map.svg.getRootNode().activeElement?.dataset?.block;
  map.svg.setAttribute("viewBox", `0 0 ${data.width} ${data.height}`);
  map.svg.setAttribute("aria-label", data.label);
  map.svg.classList.toggle("large", data.large);
  map.svg.replaceChildren(...data.items.map(paint));
  showTip(map, null);
  if (focused !== undefined) {
    map.svg.querySelector(`[data-block="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  // A mount may bring new HTML under the same parent: a map is ours while its drawing is in it.
  const known = maps.get(parentElement);
  const map = known?.svg.isConnected ? known : startMap(parentElement);
  map.send = setTriggerValue;
  draw(map, data);
}
