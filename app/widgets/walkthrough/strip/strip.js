// All steps of a run as dots, by stack and sub-layer; a click jumps, hover names a step.

const SAID = 300; // milliseconds without a move, then the step is said
const KEYS = { ArrowLeft: -1, PageUp: -1, ArrowRight: 1, PageDown: 1, Home: -Infinity, End: Infinity };
const FIELD = "input:not([type=checkbox], [type=button]), textarea, select, [contenteditable]";
const OWN = "[role=slider], [role=listbox], [role=combobox], [role=menu], [role=dialog]";
const strips = new WeakMap();

function made(kind, name, text) {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

// The name of a step stands below its dot, as far as the strip reaches.
function place(strip, tag, button) {
  const box = strip.node.getBoundingClientRect();
  const dot = button.getBoundingClientRect();
  const middle = dot.left + dot.width / 2 - box.left - tag.offsetWidth / 2;
  tag.style.left = `${Math.max(0, Math.min(middle, box.width - tag.offsetWidth))}px`;
}

// The step here, its group, and whether there is one on either side; said once the keys rest.
function mark(strip) {
  const at = walk.order.indexOf(walk.here);
  for (const { button, step } of strip.dots) {
    const here = step.id === walk.here;
    if (!here) button.removeAttribute("aria-current");
    else button.setAttribute("aria-current", "step");
    if (!here) continue;
    strip.tag.textContent = step.name;
    place(strip, strip.tag, button);
    clearTimeout(strip.saying);
    strip.saying = setTimeout(() => {
      strip.said.textContent = `${step.counter}: ${step.name}. ${step.where}`;
    }, SAID);
  }
  for (const { node, steps } of strip.groups) node.classList.toggle("now", steps.some((step) => step.id === walk.here));
  strip.ways[0].disabled = at <= 0;
  strip.ways[1].disabled = at < 0 || at + 1 >= walk.order.length;
  document.body.dataset.walk = walk.here === strip.data.current ? "drawn" : "ahead";
}

function dot(strip, step) {
  const button = made("button");
  button.type = "button";
  button.dataset.step = step.id;
  button.setAttribute("aria-label", step.name);
  button.append(made("i"));
  button.onclick = () => walk.move(step.id);
  button.onmouseenter = () => {
    strip.over.textContent = step.name;
    strip.over.hidden = false;
    strip.tag.hidden = true;
    place(strip, strip.over, button);
  };
  button.onmouseleave = () => {
    strip.over.hidden = true;
    strip.tag.hidden = false;
  };
  strip.dots.push({ button, step });
  return button;
}

function layers(strip, stack) {
  const picks = made("span", "layers", strip.data.around[0]);
  for (let layer = 0; layer < stack.layers; layer += 1) {
    const button = made("button", "", String(layer + 1));
    button.type = "button";
    button.title = stack.picks[layer];
    button.setAttribute("aria-pressed", String(layer === stack.chosen));
    button.onclick = () => walk.send(strip.send, "layer", { stack: stack.name, layer });
    picks.append(button);
  }
  picks.append(strip.data.around[1]);
  return picks;
}

function drawStack(strip, stack) {
  const node = made("div", "stack");
  node.style.flex = `${stack.groups.reduce((all, group) => all + group.steps.length, 0)} 1 auto`;
  const title = made("div", "title", stack.title);
  if (stack.layers > 1) title.append(layers(strip, stack));
  const groups = made("div", "groups");
  for (const group of stack.groups) {
    const part = made("div", "group");
    strip.groups.push({ node: part, steps: group.steps });
    part.style.flex = `${group.steps.length} 1 auto`;
    part.style.setProperty("--role", group.colour);
    const dots = made("div", "dots");
    dots.append(...group.steps.map((step) => dot(strip, step)));
    part.append(made("div", "name", group.title), dots);
    groups.append(part);
  }
  node.append(title, groups);
  return node;
}

// The steps in their order, with all that can be said of them before the server was asked.
function steps(data) {
  const groups = data.stacks.flatMap((stack) => stack.groups);
  const all = groups.flatMap((group) => group.steps.map((step) => Object.assign(step, { where: group.where })));
  return all.map((step, at) => Object.assign(step, { counter: data.counter.replace("§", at + 1) }));
}

function draw(strip) {
  const { data } = strip;
  const all = steps(data);
  walk.order = all.map((step) => step.id);
  walk.names = new Map(all.map((step) => [step.id, step]));
  [strip.dots, strip.groups] = [[], []];
  strip.tag = made("div", "tag");
  strip.over = made("div", "tag over");
  strip.over.hidden = true;
  strip.node.setAttribute("aria-label", data.label);
  strip.node.style.setProperty("--grey", data.grey);
  strip.node.replaceChildren(...data.stacks.map((stack) => drawStack(strip, stack)), strip.tag, strip.over);
  for (const [at, { name, key, help }] of data.ways.entries()) {
    strip.ways[at].replaceChildren(name, Object.assign(made("kbd", "", key), { ariaHidden: "true" }));
    strip.ways[at].title = help;
    strip.ways[at].onclick = () => walk.turn(at ? 1 : -1);
  }
}

// Keys act wherever the focus is, but for fields and what the arrows work in: heard before the page
// scrolls. A clicker sends Page Up and Page Down.
function hear(event) {
  const target = event.composedPath()[0];
  const by = KEYS[event.key];
  if (!by || event.defaultPrevented || event.isComposing || target.matches?.(FIELD) || target.closest?.(OWN)) return;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  walk.turn(by);
}

function listen(strip) {
  const alive = (act) => (event) => {
    if (strip.node.isConnected) act(event);
  };
  document.addEventListener("keydown", alive(hear));
  // What is clicked next, a link to another page also, finds the server told.
  document.addEventListener("pointerdown", alive(() => walk.tell()), true);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let strip = strips.get(parentElement);
  if (!strip) {
    const find = (name) => parentElement.querySelector(name);
    strip = { node: find(".strip"), said: find(".said"), ways: [find(".previous"), find(".next")], dots: [], groups: [] };
    new ResizeObserver(() => strip.dots.length && mark(strip)).observe(strip.node);
    strips.set(parentElement, strip);
    listen(strip);
  }
  strip.send = walk.goes = setTriggerValue;
  strip.data = data;
  const drawn = JSON.stringify({ ...data, current: "" });
  if (drawn !== strip.drawn) draw(strip);
  strip.drawn = drawn;
  walk.follow("strip", () => strip.node.isConnected && mark(strip));
  walk.draw();
}
