// One step of the walk: panels of what goes in and what comes out, the operation between them.

const scenes = new WeakMap();
const KINDS = {
  map: [preparePicture, drawPicture],
  narrow: [preparePicture, drawPicture],
  bars: [prepareBars, drawBars],
  table: [prepareTable, drawTable],
};

function send(scene, event, value) {
  walk.send(scene.send, event, value);
}

function picks(scene, items, event, value) {
  const row = made("span", "picks");
  for (const [at, item] of items.entries()) {
    const button = made("button", "", item.name);
    button.type = "button";
    button.title = item.title;
    button.style.setProperty("--hue", item.colour);
    button.setAttribute("aria-pressed", String(item.on));
    button.onclick = () => send(scene, event, value(at, item));
    row.append(button);
  }
  return row;
}

function header(scene) {
  const { data } = scene;
  const top = made("header", "top");
  top.append(made("span", "title", data.title), made("span", "where", data.where));
  if (data.blocks) {
    const again = { name: `↻ ${data.texts.again}`, title: data.texts.again, on: false, colour: data.colours.line };
    const button = picks(scene, [again], "", () => ({}));
    button.firstChild.onclick = () => fly(scene);
    top.append(button);
  }
  if (data.tensors.length) top.append(picks(scene, data.tensors, "tensor", (_, item) => ({ key: item.key })));
  if (data.heads.length) top.append(picks(scene, data.heads, "head", (head) => ({ head })));
  top.append(made("span", "counter", data.counter));
  const note = made("div", data.wrong ? "note wrong" : "note", data.note);
  note.title = data.note;
  return [top, note];
}

function footer(scene) {
  const { data } = scene;
  const [title, symbol, place, number] = data.readout;
  const foot = made("footer", "foot");
  const readout = made("span", "readout");
  readout.append(made("span", "faint", `${title}:`), symbolOf("b", "", symbol), made("span", "what faint", place), "=", made("span", "number", number));
  foot.append(readout);
  if (data.unfold) {
    const button = made("button", "", data.unfold);
    button.type = "button";
    button.title = data.unfoldHelp;
    button.onclick = () => send(scene, "unfold", {});
    foot.append(button);
  }
  scene.hint = made("span", "hint", data.blocks ? data.texts.blocks_note : data.hint);
  foot.append(scene.hint);
  return foot;
}

function captionOf(scene, data, legend) {
  const caption = made("figcaption");
  caption.style.setProperty("--role", data.colour);
  const [first, second, third] = [made("div", "line"), made("div", "address"), made("div", "line")];
  const words = made("span", "words", data.letters ?? data.words);
  words.title = data.words ?? data.letters;
  first.append(symbolOf("span", "symbol", data.symbol), words);
  if (legend) first.append(legend);
  second.append(made("bdi", "", data.address));
  second.title = data.address;
  const shape = made("span", "shape", data.shape);
  shape.title = data.shape;
  third.append(shape);
  caption.append(first, third, second);
  return caption;
}

function legendOf(scene, panel) {
  const { data } = panel;
  if (!panel.palette || data.kind === "narrow" || data.whole) return null;
  const legend = made("span", "legend");
  const bar = made("i");
  bar.style.background = `linear-gradient(90deg, ${panel.stops.map(([at, colour]) => `${colour} ${at * 100}%`).join(", ")})`;
  const end = written(data.limit, 2);
  const [low, high] = data.beyond;
  legend.append(data.positive ? "0" : `${low ? "≤ " : ""}−${end}`, bar, `${high ? "≥ " : ""}${end}`);
  if (low || high) legend.title = scene.data.texts.clipped;
  return legend;
}

function makePanel(scene, data) {
  const panel = { data, node: made("figure", "panel"), canvas: made("canvas") };
  panel.node.dataset.key = data.key;
  panel.canvas.setAttribute("role", "img");
  panel.canvas.setAttribute("aria-label", data.alt);
  KINDS[data.kind][0](scene, panel);
  const live = data.kind !== "table" && data.picks !== false;
  panel.canvas.classList.toggle("live", live);
  if (live) listen(scene, panel);
  const place = made("div", "canvas");
  place.append(panel.canvas);
  panel.node.append(captionOf(scene, data, legendOf(scene, panel)), place);
  return panel;
}

function listen(scene, panel) {
  const at = (event) => {
    const box = panel.canvas.getBoundingClientRect();
    return cellAt(panel, event.clientX - box.left, event.clientY - box.top);
  };
  panel.canvas.onmousemove = (event) => over(scene, panel, at(event), event);
  panel.canvas.onmouseleave = () => over(scene, panel, null);
  panel.canvas.onclick = (event) => {
    const cell = at(event);
    if (cell) send(scene, "pick", { key: panel.data.key, row: cell.row, column: cell.column });
  };
}

// Hover: the same word and the same feature in all panels, and what the number is.
function over(scene, panel, cell, event) {
  scene.hover = null;
  scene.tip.hidden = true;
  if (cell && panel.data.rows) {
    const { rows, columns } = panel.data;
    scene.hover = { panel, column: cell.label ? null : cell.column };
    if (!cell.label && columns.size > 1) scene.hover[columns.link] = cell.column;
    scene.hover[rows.link] = cell.row;
    if (!cell.label) tell(scene, panel, cell, event);
  }
  for (const each of scene.columns.flat()) if (each.geometry && each.data.rows) drawPicture(scene, each);
}

function lineName(scene, edge, at) {
  if (edge.labels) return edge.labels[at];
  return scene.data.texts[edge.name === "hidden" ? "hidden" : "feature"].replace("§", at + 1);
}

function tell(scene, panel, cell, event) {
  const { rows, columns } = panel.data;
  const at = cell.row * panel.columns + cell.column;
  const names = [lineName(scene, rows, cell.row), ...(columns.size > 1 ? [lineName(scene, columns, cell.column)] : [])];
  const number = panel.values ? (panel.data.whole ? String(panel.values[at]) : written(panel.values[at], scene.data.precision + 2)) : scene.data.texts.too_many;
  const barred = panel.allowed && !panel.allowed[at] ? ` · ${scene.data.texts.masked}` : "";
  scene.tip.textContent = `${names.join(" · ")}\n${number}${barred}`;
  scene.tip.hidden = false;
  const box = scene.stage.getBoundingClientRect();
  const x = Math.min(event.clientX - box.left + 14, box.width - scene.tip.offsetWidth - 4);
  scene.tip.style.left = `${x}px`;
  scene.tip.style.top = `${Math.max(0, event.clientY - box.top - scene.tip.offsetHeight - 10)}px`;
}

function operationOf(sign) {
  const node = made("div", sign.sign ? "operation" : "operation none");
  node.style.setProperty("--role", sign.colour);
  node.append(symbolOf("b", "", sign.sign));
  const note = symbolOf("small", "", sign.note || " ");
  node.append(note);
  return node;
}

function buildColumns(scene) {
  const { data } = scene;
  const table = data.columns.some((column) => column.panels.some((panel) => panel.kind === "table"));
  scene.stage.classList.toggle("dense", data.columns.length > 2);
  scene.columns = data.columns.map((column) => column.panels.map((panel) => makePanel(scene, panel)));
  scene.operations = table ? [] : data.operations.map(operationOf);
  for (const panel of scene.columns.flat()) panel.every = table;
  for (const [at, panels] of scene.columns.entries()) {
    const column = made("div", data.columns[at].narrow ? "column narrow" : "column");
    column.append(...panels.map((panel) => panel.node));
    scene.stage.append(column);
    if (table && at + 1 < scene.columns.length) scene.stage.append(Object.assign(made("div", "operation")));
    if (scene.operations[at] && at + 1 < scene.columns.length) scene.stage.append(scene.operations[at]);
  }
}

function buildBlocks(scene) {
  const { blocks } = scene.data;
  scene.columns = [];
  scene.operations = [];
  prepareBlocks(scene, blocks);
  const whole = made("div", "whole");
  const captions = made("div", "blocks");
  captions.append(...blocks.stages.map((stage) => captionOf(scene, stage)));
  if (blocks.forms[0] === "heads") captions.style.gridTemplateColumns = "26fr 38fr 36fr";
  const place = made("div", "canvas");
  scene.blocks = { canvas: made("canvas", "live") };
  scene.blocks.canvas.setAttribute("role", "img");
  scene.blocks.canvas.setAttribute("aria-label", blocks.stages.map((stage) => stage.letters).join(" → "));
  place.append(scene.blocks.canvas);
  const own = blocks.stages[blocks.forms.indexOf("heads")].key;
  scene.blocks.canvas.onclick = (event) => {
    const box = scene.blocks.canvas.getBoundingClientRect();
    const cell = blockAt(scene, event.clientX - box.left, event.clientY - box.top);
    if (cell) send(scene, "pick", { key: own, ...cell });
  };
  whole.append(captions, place);
  scene.stage.append(whole);
}

function build(scene) {
  const { data, node } = scene;
  for (const name of ["text", "faint", "line", "panel", "page", "wrong"]) {
    node.style.setProperty(`--${name}`, data.colours[name]);
  }
  scene.family = getComputedStyle(node).fontFamily;
  scene.hover = null;
  scene.blocks = null;
  scene.stage = made("div", "stage");
  scene.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  scene.tip = made("div", "tip");
  scene.tip.hidden = true;
  scene.stage.append(scene.svg, scene.tip);
  (data.blocks ? buildBlocks : buildColumns)(scene);
  node.dataset.step = walk.here;
  node.replaceChildren(...header(scene), scene.stage, footer(scene));
}

function paint(scene) {
  if (!scene.stage?.clientWidth) return;
  if (scene.blocks) {
    drawBlocks(scene);
    return;
  }
  const panels = scene.columns.flat();
  const { type } = scene.data;
  const labels = panels.flatMap((panel) => panel.data.rows?.labels ?? []);
  scene.left = Math.min(Math.max(24, ...labels.map((label) => widthOf(scene, label, 700))) + 12, type * 9);
  scene.above = type * 1.5;
  const most = Math.max(1, ...panels.map((panel) => panel.rows));
  const table = panels.some((panel) => panel.data.kind === "table");
  scene.tallest = table ? most * type * CELL.map[1] : Infinity;
  for (const panel of panels) KINDS[panel.data.kind][1](scene, panel);
  drawWires(scene);
  hints(scene, panels);
}

// What the pictures leave out is said where the hint stands: numbers without room, clipped colours.
function hints(scene, panels) {
  const { texts, hint } = scene.data;
  const said = [
    panels.some((panel) => panel.thinned) && texts.thinned,
    panels.some((panel) => !panel.data.whole && panel.data.beyond?.some(Boolean)) && texts.clipped,
  ].filter(Boolean);
  scene.hint.textContent = said.length ? said.join(" ") : hint;
  scene.hint.title = scene.hint.textContent;
}

// A step that nothing was sent of yet: what it is called is known, its picture is not.
function wait(scene) {
  const step = walk.names?.get(walk.here);
  scene.node.classList.toggle("waiting", Boolean(step));
  if (!step || !scene.drawn) return;
  scene.drawn = "";
  const top = made("header", "top");
  top.append(made("span", "title", step.name), made("span", "where", step.where), made("span", "counter", step.counter));
  scene.node.querySelector(".top").replaceWith(top);
}

function show(scene) {
  if (!scene.node.isConnected) return;
  const data = walk.content("scene");
  if (!data) return wait(scene);
  scene.node.classList.remove("waiting");
  const drawn = JSON.stringify(data);
  if (drawn === scene.drawn) return;
  const entered = scene.data?.step !== data.step;
  Object.assign(scene, { drawn, data });
  if (entered) scene.flight = 1;
  build(scene);
  if (entered && scene.blocks) fly(scene);
  paint(scene);
}

export default function (component) {
  const { parentElement, setTriggerValue } = component;
  let scene = scenes.get(parentElement);
  if (!scene) {
    scene = { node: parentElement.querySelector(".scene"), flight: 1 };
    scene.ruler = document.createElement("canvas").getContext("2d");
    scene.watch = new ResizeObserver(() => paint(scene));
    scene.watch.observe(scene.node);
    scenes.set(parentElement, scene);
  }
  scene.send = setTriggerValue;
  walk.follow("scene", () => show(scene));
}
