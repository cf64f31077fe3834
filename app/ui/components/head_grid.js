// Heads of attention as thumbnails: of each kind a row a layer and a column a head; or sorted, as
// tiles or as a line each. A click frames a head at once and goes to Python; the arrow keys move
// the frame.
//
// With `switches` a click turns a head off or on, a double-click leaves it alone in its attention,
// a Shift-click, a long press or an arrow key only brings it into focus. A single click waits a
// moment for the second one; what it will do is shown at once.

const SECOND_CLICK = 220; // milliseconds
const LONG_PRESS = 500;
const ACROSS = 5; // thumbnails that stand on one line of a narrow column
const CROWDED = 9; // columns: of more, nothing stands around a thumbnail
const FEW = 3; // layers: of more, a line each

const same = (one, other) =>
  one.kind === other.kind && one.layer === other.layer && one.head === other.head;

const act = (grid, name, { kind, layer = null, head = null }) =>
  grid.send("act", { act: name, kind, layer, head });

function pick(grid, item) {
  frame(grid, item);
  if (grid.data.switches) act(grid, "focus", item);
  else grid.send("pick", { layer: item.layer, head: item.head });
}

function switching(grid, item) {
  let press = 0;
  let held = false;
  const lift = () => clearTimeout(press);
  return {
    onpointerdown() {
      held = false;
      press = grid.later(() => {
        held = true;
        pick(grid, item);
      }, LONG_PRESS);
    },
    onpointerup: lift,
    onpointerleave: lift,
    onclick({ currentTarget, detail, shiftKey }) {
      if (held) held = false;
      else if (shiftKey) pick(grid, item);
      else if (detail < 2) {
        clearTimeout(grid.waiting);
        currentTarget.classList.toggle("off");
        frame(grid, item);
        grid.waiting = grid.later(() => act(grid, "toggle", item), detail ? SECOND_CLICK : 0);
      }
    },
    ondblclick({ shiftKey }) {
      if (shiftKey) return;
      clearTimeout(grid.waiting);
      act(grid, "alone", item);
    },
  };
}

function frame(grid, focus) {
  const framed = grid.heads.find(({ item }) => same(item, focus)) ?? grid.heads[0];
  for (const each of grid.heads) {
    const here = same(each.item, focus);
    set(each.button, { is: { focused: here }, tabIndex: each === framed ? 0 : -1 });
    if (!grid.data.switches) each.button.setAttribute("aria-pressed", here);
  }
  for (const label of grid.root.querySelectorAll(".label.row")) {
    const { kind, layer } = label.dataset;
    label.classList.toggle("now", kind === focus.kind && Number(layer) === focus.layer);
  }
}

// Arrow keys go to the nearest head in that direction, as it stands on screen.
function step(grid, event) {
  const move = ARROWS[event.key];
  const now = grid.heads.find(({ button }) => button === event.target);
  if (!move || !now) return;
  event.preventDefault();
  const from = now.button.getBoundingClientRect();
  const far = ({ button }) => {
    const to = button.getBoundingClientRect();
    const [down, right] = [to.top - from.top, to.left - from.left];
    const ahead = down * move[0] + right * move[1];
    return ahead > 4 ? ahead + 5 * Math.abs(down * move[1] + right * move[0]) : Infinity;
  };
  const next = grid.heads.reduce((best, each) => (far(each) < far(best) ? each : best), now);
  if (next === now) return;
  next.button.focus();
  pick(grid, next.item);
}

function makeHead(grid, item, column = null) {
  const { kind, layer, head, line, share, short } = item;
  const canvas = make("canvas.pixels");
  const acts = grid.data.switches ? switching(grid, item) : { onclick: () => pick(grid, item) };
  const given = { data: { kind, layer, head: head ?? "mean" }, ...acts };
  const button = make("button.head.framed.stacked", given, make("span.picture", canvas));
  if (line) {
    const word = make("span.word.cut", make("b", line.word), ` ${line.change}`);
    button.append(
      make("span.name.cut", short),
      meter(line.share),
      make("span.value", line.harm),
      word,
    );
    button.classList.add("line");
  } else if (column) button.append(make("span.cut", column));
  else if (share) button.append(make("span.cut", short), make("span.share.cut", share));
  grid.heads.push({ button, canvas, item });
  return button;
}

function allButton(grid, text, about) {
  const button = make("button.all.outlined", { onclick: () => act(grid, "all", about) }, text);
  grid.groups.push({ button, about });
  return button;
}

function makeKind(grid, { columns, name, rows, title }) {
  const { items, switches, widest } = grid.data;
  // Many heads of few layers take two lines, each with its number below.
  const folded = !switches && columns.length > ACROSS && rows.length <= FEW;
  const across = folded ? Math.ceil(columns.length / 2) : columns.length;
  const gridTemplateColumns = switches
    ? `4.3rem repeat(${columns.length}, minmax(16px, var(--thumb))) max-content`
    : `repeat(${across}, minmax(0, ${widest}px))`;
  const all = (text, about) => (switches ? allButton(grid, text, { kind: name, ...about }) : null);
  return make(
    ".kind",
    { is: { crowded: !switches && across > CROWDED }, style: { gridTemplateColumns } },
    title ? make(".label.title", title) : null,
    folded ? [] : columns.map((text) => make(".label", text)),
    all(switches?.kind_off),
    rows.flatMap((text, layer) => [
      make(".label.row", { data: { kind: name, layer } }, text),
      ...items
        .filter((each) => each.kind === name && each.layer === layer)
        .map((item) => makeHead(grid, item, folded ? columns.at(item.head ?? -1) : null)),
      all(switches?.layer_off, { layer }),
    ]),
  );
}

function build(grid, { items, kinds, ranked, switches }) {
  Object.assign(grid, { heads: [], groups: [] });
  const header =
    switches && ranked
      ? switches.header.map((text, at) => make(at === 3 ? "span.value" : "span", text))
      : null;
  const heads = ranked
    ? items.map((item) => makeHead(grid, item))
    : kinds.map((kind) => makeKind(grid, kind));
  grid.root.replaceChildren(...(header ? [make(".line.header.stays", header)] : []), ...heads);
}

// Differences are brightened away from the middle, which is none.
const brightDifference = (share) =>
  0.5 + 0.5 * Math.sign(2 * share - 1) * bright(Math.abs(2 * share - 1));

function paint(grid, { kinds, scale, signed }) {
  const palette = paletteOf(scale, signed ? brightDifference : bright);
  const levels = Object.fromEntries(
    kinds.map((kind) => [kind.name, numbersOf(kind.levels, Uint8Array)]),
  );
  for (const { canvas, item } of grid.heads) {
    const {
      heads,
      side: [rows, columns],
    } = kinds.find(({ name }) => name === item.kind);
    const start = (item.layer * (heads + 1) + (item.head ?? heads)) * rows * columns;
    paintCells(
      canvas,
      levels[item.kind].subarray(start, start + rows * columns),
      rows,
      columns,
      palette,
    );
  }
}

// What may change with every click: marks, names for screen readers.
function refresh(grid, { items, kinds, switches }) {
  for (const each of grid.heads) {
    each.item = items.find((one) => same(one, each.item));
    const { alone, head, marked, mean, name, off, steered, title } = each.item;
    set(each.button, {
      is: { off, alone, steered, marked, mean: mean || head === null },
      title,
      "aria-label": spoken([each.button], name),
    });
    if (switches) each.button.setAttribute("aria-pressed", off);
  }
  for (const {
    button,
    about: { kind, layer },
  } of grid.groups) {
    const mine = items.filter(
      (item) => item.kind === kind && (layer === undefined || item.layer === layer),
    );
    const { rows, title } = kinds.find(({ name }) => name === kind);
    const label = `${layer === undefined ? title : `${title} · ${rows[layer]}`}: ${button.textContent}`;
    set(button, {
      "aria-pressed": mine.every((item) => item.off),
      "aria-label": label,
      title: switches.all_help,
    });
  }
}

// A head in the colours of a large map, as far as a thumbnail knows them. greyed: its rows and
// columns that are grey; apart: they do not count for the largest weight either.
function pictureOf(grid, { kind = "", layer, head }, { greyed, apart, scales }) {
  const { heads, levels, side } = grid.data.kinds.find(({ name }) => name === kind);
  const [rows, columns] = side;
  const start = (layer * (heads + 1) + (head ?? heads)) * rows * columns;
  const cells = numbersOf(levels, Uint8Array).subarray(start, start + rows * columns);
  const isGrey = (_, at) =>
    greyed[0].includes(Math.floor(at / columns)) || greyed[1].includes(at % columns);
  const counted = cells.filter((level, at) => level < FORBIDDEN && !(apart && isGrey(level, at)));
  const most = Math.max(1, ...counted);
  const palettes = scales.map((scale) =>
    paletteOf(scale, (share) => Math.min(1, (254 * share) / most)),
  );
  const canvas = make("canvas", { width: columns, height: rows });
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(columns, rows);
  new Uint32Array(image.data.buffer).set(
    Array.from(cells, (level, at) => palettes[Number(isGrey(level, at))][level]),
  );
  pen.putImageData(image, 0, 0);
  return canvas;
}

export default component(".heads", {
  moving: ["focus"],
  start(grid) {
    set(grid.root, { role: "group", onkeydown: (event) => step(grid, event) });
    grid.pictureOf = (head, look) => pictureOf(grid, head, look);
  },
  draw(grid, data) {
    const { items, kinds, label, ranked, switches } = data;
    set(grid.root, { "aria-label": label, is: { grid: !switches, switches, ranked } });
    const places = items.map(({ kind, layer, head, line, share, short }) => [
      kind,
      layer,
      head,
      line,
      share,
      short,
    ]);
    const names = kinds.map(({ columns, name, rows }) => [name, rows, columns]);
    if (grid.differs("heads", ranked, switches, places, names)) build(grid, data);
    paint(grid, data);
  },
  mark(grid, data) {
    refresh(grid, data);
    frame(grid, data.focus);
  },
});
