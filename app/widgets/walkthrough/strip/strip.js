// All steps of a run as dots, by stack and sub-layer; a click jumps, hover names a step.

const strips = new WeakMap();

function made(kind, name, text) {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

function send(strip, event, value) {
  strip.sent = (strip.sent ?? 0) + 1;
  strip.send(event, { ...value, nonce: `${performance.now()}-${strip.sent}` });
}

// The name of a step stands below its dot, as far as the strip reaches.
function place(strip, tag, button) {
  const box = strip.node.getBoundingClientRect();
  const dot = button.getBoundingClientRect();
  const middle = dot.left + dot.width / 2 - box.left - tag.offsetWidth / 2;
  tag.style.left = `${Math.max(0, Math.min(middle, box.width - tag.offsetWidth))}px`;
}

function mark(strip) {
  for (const { button, step } of strip.dots) {
    const here = step.id === strip.data.current;
    if (here) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    if (!here) continue;
    strip.tag.textContent = step.name;
    place(strip, strip.tag, button);
  }
}

function dot(strip, step) {
  const button = made("button");
  button.type = "button";
  button.dataset.step = step.id;
  button.setAttribute("aria-label", step.name);
  button.append(made("i"));
  button.onclick = () => {
    strip.data = { ...strip.data, current: step.id };
    mark(strip);
    send(strip, "go", { step: step.id });
  };
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
    button.onclick = () => send(strip, "layer", { stack: stack.name, layer });
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
    const here = group.steps.some((step) => step.id === strip.data.current);
    const part = made("div", here ? "group now" : "group");
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

function draw(strip) {
  strip.dots = [];
  strip.tag = made("div", "tag");
  strip.over = made("div", "tag over");
  strip.over.hidden = true;
  strip.node.setAttribute("aria-label", strip.data.label);
  strip.node.style.setProperty("--grey", strip.data.grey);
  strip.node.replaceChildren(...strip.data.stacks.map((stack) => drawStack(strip, stack)), strip.tag, strip.over);
  mark(strip);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let strip = strips.get(parentElement);
  if (!strip) {
    strip = { node: parentElement.querySelector(".strip"), dots: [], data };
    new ResizeObserver(() => strip.dots.length && mark(strip)).observe(strip.node);
    strips.set(parentElement, strip);
  }
  strip.send = setTriggerValue;
  strip.data = data;
  const drawn = JSON.stringify(data);
  if (drawn !== strip.drawn) draw(strip);
  strip.drawn = drawn;
}
