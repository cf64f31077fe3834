// The tree of a beam search: a column a step, a lane a beginning that goes on. What became of a node
// is told by its shape: a round pill went on, a double square ended, bare words did not go on.
// Every text is set with textContent.

const SVG = "http://www.w3.org/2000/svg";
const SIGNS = { pruned: "×", forbidden: "⊘", guarded: "↻", overruled: "–" };
const GAP = 30; // pixels between two columns: the lines run there
const EDGE = 10;
const trees = new WeakMap();

function made(tag, attributes, parent) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  parent?.append(node);
  return node;
}

function written(text, attributes, parent) {
  const node = made("text", { "dominant-baseline": "central", ...attributes }, parent);
  node.textContent = text;
  return node;
}

function measure(data) {
  const lefts = [];
  let left = EDGE;
  for (const width of data.widths) {
    lefts.push(left);
    left += width + GAP;
  }
  return {
    lefts,
    width: left + 3.6 * data.font,
    height: data.lanes * data.row + EDGE,
    middle: (node) => (node.l + 0.5) * data.row,
  };
}

function drawHead(tree, data, size) {
  data.widths.forEach((width, column) => {
    const x = size.lefts[column] + width / 2;
    const text = column ? String(column) : data.texts.step;
    const place = column ? { x, "text-anchor": "middle" } : { x: EDGE };
    written(text, { class: "head", y: data.font, ...place }, tree.steps);
  });
}

function drawEdge(tree, data, size, node) {
  const parent = tree.nodes.get(node.p);
  if (!parent) return;
  const [x, y] = [size.lefts[parent.c] + data.widths[parent.c], size.middle(parent)];
  const [u, v] = [size.lefts[node.c], size.middle(node)];
  const bend = Math.min(GAP, (u - x) / 2 + 6);
  const edge = made("path", {
    d: `M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`,
    class: `edge ${node.f}${node.b ? " best" : ""}`,
    "stroke-width": (0.8 + 4.4 * node.a).toFixed(2),
    "stroke-opacity": (0.35 + 0.65 * node.a).toFixed(2),
  }, tree.svg);
  edge.dataset.index = node.i;
}

function titleOf(data, node) {
  if (node.f === "start") return data.texts.start;
  const values = {
    word: node.x, chance: node.s, total: node.t, score: node.z, rank: node.r,
    fate: data.texts.fates[node.f],
  };
  const said = data.texts.node.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const given = node.g ? `\n${data.texts.given}` : "";
  return said + given + (node.n ? `\n${data.texts.more.replace("{count}", node.n)}` : "");
}

function drawNode(tree, data, size, node) {
  const out = node.f in SIGNS;
  const [x, y] = [size.lefts[node.c], size.middle(node)];
  const [width, height] = [data.widths[node.c], data.row - 7];
  const group = made("g", {
    class: `node ${node.f}${node.b ? " best" : ""}${out ? " out" : ""}`,
    role: "button", tabindex: node.f === "start" ? -1 : 0, "aria-label": titleOf(data, node),
  }, tree.svg);
  Object.assign(group.dataset, { index: node.i, fate: node.f, word: node.x });
  made("title", {}, group).textContent = titleOf(data, node);
  const square = node.f === "finished";
  if (square) made("rect", { class: "outer", x: x - 3, y: y - height / 2 - 2.5, width: width + 6, height: height + 5 }, group);
  made("rect", { class: "back", x, y: y - height / 2, width, height, rx: square ? 0 : height / 2 }, group);
  const word = `${out ? `${SIGNS[node.f]} ` : ""}${node.w}`;
  if (node.f === "start") written(word, { class: "word", x: x + width / 2, y, "text-anchor": "middle" }, group);
  else {
    written(word, { class: "word", x: x + (out ? 2 : 9), y }, group);
    written(node.s, { class: "share", x: x + width - (out ? 2 : 8), y, "text-anchor": "end" }, group);
  }
  if (node.g) written("✎", { class: "given", x: x + width - 6, y: y - height / 2 }, group);
  if (node.h) written(`#${node.h}  ${node.z}`, { class: "end", x: x + width + 8, y }, group);
  if (node.f === "open") written("⋯", { class: "end", x: x + width + 6, y }, group);
  else if (node.n && !node.h) written(`+${node.n}`, { class: "more", x: x + width + 2, y: y + height * 0.55, "font-size": "0.7em" }, group);
  if (node.f === "start") return;
  group.addEventListener("click", () => pick(tree, node.i));
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick(tree, node.i);
  });
}

function draw(tree, data) {
  const size = measure(data);
  tree.size = size;
  tree.svg.replaceChildren();
  tree.steps.replaceChildren();
  for (const each of [tree.svg, tree.steps]) {
    each.setAttribute("width", size.width);
    each.style.fontSize = `${data.font}px`;
  }
  tree.steps.setAttribute("height", 2 * data.font);
  tree.svg.setAttribute("height", size.height);
  tree.svg.setAttribute("aria-label", data.texts.label);
  for (const [name, value] of Object.entries(data.look)) tree.frame.style.setProperty(`--${name}`, value);
  tree.nodes = new Map(data.nodes.map((node) => [node.i, node]));
  drawHead(tree, data, size);
  for (const node of data.nodes.toReversed()) drawEdge(tree, data, size, node);
  for (const node of data.nodes) drawNode(tree, data, size, node);
}

function mark(tree, focus, path) {
  const along = new Set(path);
  for (const each of tree.svg.querySelectorAll(".node, .edge")) {
    const index = Number(each.dataset.index);
    each.classList.toggle("path", focus !== null && along.has(index) && index > 0);
    each.classList.toggle("now", index === focus);
    if (each.classList.contains("node")) each.setAttribute("aria-pressed", String(index === focus));
  }
}

// Another node than before is brought into sight; the reader's own scrolling stays.
function reveal(tree, data) {
  const node = tree.nodes.get(data.focus);
  if (!node || data.focus === tree.shown) return;
  tree.shown = data.focus;
  const [frame, size] = [tree.frame, tree.size];
  const [left, right] = [size.lefts[node.c] - 2 * GAP, size.lefts[node.c] + data.widths[node.c] + 4 * GAP];
  const head = 2 * data.font;
  const [top, bottom] = [size.middle(node) - 2 * data.row, head + size.middle(node) + data.row];
  if (left < frame.scrollLeft) frame.scrollLeft = left;
  else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (bottom > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom - frame.clientHeight;
}

function pick(tree, index) {
  mark(tree, index, []);
  tree.picks += 1;
  tree.shown = index; // it is where the reader clicked
  tree.send("pick", { index, nonce: `${performance.now()}-${tree.picks}` });
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const find = (name) => parentElement.querySelector(name);
  const tree = trees.get(parentElement) ?? { picks: 0, drawn: "", frame: find(".frame"), svg: find(".tree"), steps: find(".steps") };
  trees.set(parentElement, tree);
  tree.send = setTriggerValue;
  const { focus, path, ...picture } = data;
  const drawn = JSON.stringify(picture);
  if (drawn !== tree.drawn) draw(tree, data);
  tree.drawn = drawn;
  mark(tree, focus, path);
  reveal(tree, data);
}
