// The tree of a beam search: a column a step, a lane a beginning that goes on. What became of a
// node is told by its shape: a round pill went on, a double square ended, bare words did not go on.

const SIGNS = { pruned: "×", forbidden: "⊘", guarded: "↻", overruled: "–" };
const GAP = 30; // pixels between two columns: the lines run there
const EDGE = 10;
const MARKUP = `<div class="frame"><svg class="steps" aria-hidden="true"></svg><svg class="tree" role="group"></svg></div>`;

const label = (kind, text, given) =>
  shape(`text.${kind}`, { "dominant-baseline": "central", ...given }, text);

function measure({ font, lanes, row, widths }) {
  const lefts = widths.map((_, at) =>
    widths.slice(0, at).reduce((left, width) => left + width + GAP, EDGE),
  );
  const width = lefts.at(-1) + widths.at(-1) + GAP + 3.6 * font;
  return { lefts, width, height: lanes * row + EDGE, middle: ({ l: lane }) => (lane + 0.5) * row };
}

function heads({ first, font, texts, widths }, { lefts }) {
  return widths.map((width, column) => {
    const x = lefts[column] + width / 2;
    const said = first && !column ? `${texts.step} ${first}` : first + column;
    return first + column
      ? label("head", said, { y: font, x, "text-anchor": "middle" })
      : label("head", texts.step, { y: font, x: EDGE });
  });
}

function edge({ data: { widths }, nodes, size }, node) {
  const parent = nodes.get(node.p);
  if (!parent) return null;
  const [x, y] = [size.lefts[parent.c] + widths[parent.c], size.middle(parent)];
  const [u, v] = [size.lefts[node.c], size.middle(node)];
  const bend = Math.min(GAP, (u - x) / 2 + 6);
  return shape(`path.edge.${node.f}`, {
    d: `M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}`,
    "stroke-width": (0.8 + 4.4 * node.a).toFixed(2),
    "stroke-opacity": (0.35 + 0.65 * node.a).toFixed(2),
    is: { best: node.b },
    data: { index: node.i },
  });
}

function titleOf({ texts }, { f: fate, g: given, n: more, r, s, t, x, z }) {
  if (fate === "start") return texts.start;
  const values = { word: x, chance: s, total: t, score: z, rank: r, fate: texts.fates[fate] };
  return [
    phrase(texts.node, values),
    given && texts.given,
    more && phrase(texts.more, { count: more }),
  ]
    .filter(Boolean)
    .join("\n");
}

function wordsOf(node, x, y, width, height) {
  const out = node.f in SIGNS;
  const word = `${out ? `${SIGNS[node.f]} ` : ""}${node.w}`;
  if (node.f === "start")
    return [label("word", word, { x: x + width / 2, y, "text-anchor": "middle" })];
  const made = [label("word", word, { x: x + (out ? 2 : 9), y })];
  made.push(label("share", node.s, { x: x + width - (out ? 2 : 8), y, "text-anchor": "end" }));
  if (node.g) made.push(label("given", "✎", { x: x + width - 6, y: y - height / 2 }));
  if (node.h) made.push(label("end", `#${node.h}  ${node.z}`, { x: x + width + 8, y }));
  if (node.f === "open") made.push(label("end", "⋯", { x: x + width + 6, y }));
  else if (node.n && !node.h)
    made.push(
      label("more", `+${node.n}`, { x: x + width + 2, y: y + height * 0.55, "font-size": "0.7em" }),
    );
  return made;
}

function group(tree, node) {
  const { data, size } = tree;
  const [x, y] = [size.lefts[node.c], size.middle(node)];
  const [width, height] = [data.widths[node.c], data.row - 7];
  const start = node.f === "start";
  const square = node.f === "finished";
  const onkeydown = (event) => presses(event) && pick(tree, node.i);
  const title = titleOf(data, node);
  const words = wordsOf(node, x, y, width, height);
  return shape(
    `g.node.${node.f}`,
    {
      role: "button",
      tabindex: start ? -1 : 0,
      "aria-label": spoken(words, title),
      is: { best: node.b, out: node.f in SIGNS },
      data: { index: node.i, fate: node.f, word: node.x },
      ...(start ? {} : { onclick: () => pick(tree, node.i), onkeydown }),
    },
    shape("title", title),
    square
      ? shape("rect.outer", {
          x: x - 3,
          y: y - height / 2 - 2.5,
          width: width + 6,
          height: height + 5,
        })
      : null,
    shape("rect.back", { x, y: y - height / 2, width, height, rx: square ? 0 : height / 2 }),
    apart(words),
  );
}

function mark({ svg }, focus, path) {
  const along = new Set(path);
  for (const each of svg.querySelectorAll(".node, .edge")) {
    const index = Number(each.dataset.index);
    set(each, {
      is: { path: focus !== null && along.has(index) && index > 0, now: index === focus },
    });
    if (each.classList.contains("node")) each.setAttribute("aria-pressed", index === focus);
  }
}

function pick(tree, index) {
  mark(tree, index, []);
  tree.shown = index; // it is where the reader clicked
  tree.send("pick", { index });
}

export default component(MARKUP, {
  moving: ["focus", "path"],
  start: (tree) => Object.assign(tree, { svg: tree.find(".tree"), steps: tree.find(".steps") }),
  draw(tree, data) {
    const size = measure(data);
    const style = { fontSize: `${data.font}px` };
    Object.assign(tree, { size, nodes: new Map(data.nodes.map((node) => [node.i, node])) });
    set(tree.steps, { width: size.width, height: 2 * data.font, style }).replaceChildren(
      ...heads(data, size),
    );
    const edges = data.nodes
      .toReversed()
      .map((node) => edge(tree, node))
      .filter(Boolean);
    set(tree.svg, {
      width: size.width,
      height: size.height,
      style,
      "aria-label": data.texts.label,
    });
    tree.svg.replaceChildren(...edges, ...data.nodes.map((node) => group(tree, node)));
  },
  mark(tree, { focus, font, path, row }) {
    mark(tree, focus, path);
    // Another node than before is brought into sight; the reader's own scrolling stays.
    const node = tree.find(".node.now .back");
    if (!node || focus === tree.shown) return;
    tree.shown = focus;
    reveal(tree.root, node, { sideways: true, before: 2 * GAP, after: 4 * GAP });
    reveal(tree.root, node, { before: 2 * font + row, after: row });
  },
});
