// One step of the walk: panels of what goes in and what comes out, the operation between them.

const DRAW = { map: drawPicture, narrow: drawPicture, bars: drawBars, table: drawTable };

const send = (scene, event, value) => walk.send(scene.trigger, event, value);

function picks(items, act) {
  return make(
    "span.picks",
    items.map((item, at) => {
      const { colour, name, on, title } = item;
      return make(
        "button.outlined",
        { title, "aria-pressed": on, style: { "--hue": colour }, onclick: () => act(at, item) },
        name,
      );
    }),
  );
}

function header(scene) {
  const {
    blocks,
    colours,
    counter,
    heads,
    note,
    play,
    playHelp,
    tensors,
    texts,
    title,
    where,
    wrong,
  } = scene.data;
  const again = { name: `↻ ${texts.again}`, title: texts.again, on: false, colour: colours.line };
  return [
    make(
      "header.top",
      make("span.title", title),
      make("span.where.cut", { title: where }, where),
      blocks ? picks([again], () => fly(scene)) : null,
      tensors.length ? picks(tensors, (_, { key }) => send(scene, "tensor", { key })) : null,
      heads.length ? picks(heads, (head) => send(scene, "head", { head })) : null,
      play
        ? make(
            "button.outlined.play",
            { title: playHelp, onclick: () => send(scene, "play") },
            `▶ ${play}`,
          )
        : null,
      make("span.counter.cut", counter),
    ),
    make(".note.cut", { title: note, is: { wrong } }, note),
  ];
}

function footer(scene) {
  const { blocks, hint, readout, texts, unfold, unfoldHelp } = scene.data;
  const [title, symbol, place, number] = readout;
  scene.hint = make("span.hint", blocks ? texts.blocks_note : hint);
  const what = [
    make("span.faint", `${title}:`),
    symbolOf("b", symbol),
    make("span.what.faint.cut", place),
  ];
  const parts = [...what, "=", make("span.number", number)];
  const button = unfold
    ? make(
        "button.outlined",
        { title: unfoldHelp, onclick: () => send(scene, "unfold", {}) },
        unfold,
      )
    : null;
  return make("footer.foot.lined", make("span.readout", parts), button, scene.hint);
}

function captionOf({ address, colour, letters, shape: size, symbol, words }, legend) {
  const told = make("span.words.cut", { title: words ?? letters }, letters ?? words);
  return make(
    "figcaption",
    { style: { "--role": colour } },
    make(".line", symbolOf("span.symbol", symbol), told, legend),
    make(".line", make("span.shape.cut", { title: size }, size)),
    make(".address.cut", { title: address }, make("bdi", address)),
  );
}

function legendOf(scene, panel) {
  const { data, palette, stops } = panel;
  if (!palette || data.kind === "narrow" || data.whole) return null;
  const shades = stops.map(([at, colour]) => `${colour} ${at * 100}%`).join(", ");
  const bar = make("i", { style: { background: `linear-gradient(90deg, ${shades})` } });
  const end = written(data.limit, 2);
  const [low, high] = data.beyond;
  const title = low || high ? scene.data.texts.clipped : "";
  return make(
    "span.legend",
    { title },
    data.positive ? "0" : `${low ? "≤ " : ""}−${end}`,
    bar,
    `${high ? "≥ " : ""}${end}`,
  );
}

// Where a pointer is on a canvas.
function within(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function makePanel(scene, data) {
  const live = data.kind !== "table" && data.picks !== false;
  const canvas = make("canvas", { role: "img", "aria-label": data.alt, is: { live } });
  const panel = {
    data,
    canvas,
    rows: data.rows?.size ?? data.labels?.length ?? 0,
    columns: data.columns?.size ?? 1,
  };
  if (data.rows) preparePicture(scene, panel);
  const at = (event) => cellAt(panel, ...within(canvas, event));
  if (live) {
    set(canvas, {
      onmousemove: (event) => over(scene, panel, at(event), event),
      onmouseleave: () => over(scene, panel, null),
      onclick(event) {
        const cell = at(event);
        if (cell) pickCell(scene, panel, cell);
      },
    });
    if (data.rows) keyed(scene, panel);
  }
  const caption = captionOf(data, legendOf(scene, panel));
  panel.node = make("figure.panel", { data: { key: data.key } }, caption, make(".canvas", canvas));
  return panel;
}

const pickCell = (scene, { data: { key } }, { row, column }) =>
  send(scene, "pick", { key, row, column });

// By keyboard: what the pointer would read is said; Enter picks.
function keyed(scene, panel) {
  const { canvas, columns, data, rows } = panel;
  const show = () => {
    const { left, top } = canvas.getBoundingClientRect();
    const g = panel.geometry;
    const [row, column] = panel.cursor;
    over(
      scene,
      panel,
      { row, column },
      {
        clientX: left + g.left + (column + 0.5) * g.room,
        clientY: top + g.top + (row + 0.5) * g.tall,
      },
    );
    panel.told = scene.hover;
  };
  panel.cursor = [data.at[0] ?? 0, data.at[1] ?? 0];
  panel.resume = ({ cursor, told }, hover) => {
    if (!told || told !== hover) return; // after a click the arrows turn the page
    canvas.focus({ preventScroll: true });
    panel.cursor = cursor.map((at, axis) => Math.min(at, [rows, columns][axis] - 1));
    show();
  };
  byKeys(
    canvas,
    (way) => {
      const to = panel.cursor.map((at, axis) => at + way[axis]);
      if (to[0] < 0 || to[0] >= rows || to[1] < 0 || to[1] >= columns) return;
      panel.cursor = to;
      show();
    },
    () => pickCell(scene, panel, { row: panel.cursor[0], column: panel.cursor[1] }),
  );
  set(canvas, { role: "application", onblur: () => over(scene, panel, null) });
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
  for (const each of scene.columns.flat())
    if (each.geometry && each.data.rows) drawPicture(scene, each);
}

function lineName({ texts }, edge, at) {
  return edge.labels
    ? edge.labels[at]
    : texts[edge.name === "hidden" ? "hidden" : "feature"].replace("§", at + 1);
}

function tell(scene, panel, cell, event) {
  const { data, stage, tip } = scene;
  const { columns, rows, whole } = panel.data;
  const at = cell.row * panel.columns + cell.column;
  const names = [lineName(data, rows, cell.row)];
  if (columns.size > 1) names.push(lineName(data, columns, cell.column));
  const value = panel.values?.[at];
  const number = !panel.values
    ? data.texts.too_many
    : whole
      ? String(value)
      : written(value, data.precision + 2);
  const barred = panel.allowed && !panel.allowed[at] ? ` · ${data.texts.masked}` : "";
  set(tip, { textContent: `${names.join(" · ")}\n${number}${barred}`, hidden: false });
  const box = stage.getBoundingClientRect();
  const left = `${Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 4)}px`;
  const top = `${Math.max(0, event.clientY - box.top - tip.offsetHeight - 10)}px`;
  set(tip, { style: { left, top } });
}

function operationOf({ colour, note, sign }) {
  const given = { style: { "--role": colour }, is: { none: !sign } };
  return make(".operation.stacked", given, symbolOf("b", sign), symbolOf("small", note || " "));
}

function buildColumns(scene) {
  const { columns, operations } = scene.data;
  const table = columns.some((column) => column.panels.some((panel) => panel.kind === "table"));
  scene.stage.classList.toggle("dense", columns.length > 2);
  scene.columns = columns.map((column) => column.panels.map((panel) => makePanel(scene, panel)));
  scene.operations = table ? [] : operations.map(operationOf);
  for (const panel of scene.columns.flat()) panel.every = table;
  for (const [at, panels] of scene.columns.entries()) {
    const nodes = panels.map((panel) => panel.node);
    const given = { is: { narrow: columns[at].narrow }, style: { "--panels": panels.length } };
    scene.stage.append(make(".column", given, nodes));
    const between = table ? make(".operation.stacked") : scene.operations[at];
    if (between && at + 1 < columns.length) scene.stage.append(between);
  }
}

function buildBlocks(scene) {
  const { blocks } = scene.data;
  Object.assign(scene, { columns: [], operations: [] });
  prepareBlocks(scene, blocks);
  const captions = make(
    ".blocks",
    blocks.stages.map((stage) => captionOf(stage, null)),
  );
  if (blocks.forms[0] === "heads") captions.style.gridTemplateColumns = "26fr 38fr 36fr";
  const { key } = blocks.stages[blocks.forms.indexOf("heads")];
  const canvas = make("canvas.live", {
    role: "img",
    "aria-label": blocks.stages.map((stage) => stage.letters).join(" → "),
    onclick(event) {
      const cell = blockAt(scene, ...within(canvas, event));
      if (cell) send(scene, "pick", { key, ...cell });
    },
  });
  scene.blocks = { canvas };
  scene.stage.append(make(".whole.stacked.fills", captions, make(".canvas", canvas)));
}

function build(scene) {
  const { data, root } = scene;
  set(root, { data: { step: walk.here } });
  Object.assign(scene, {
    hover: null,
    blocks: null,
    svg: shape("svg"),
    tip: make(".tip", { "aria-live": "polite", hidden: true }),
  });
  scene.stage = make(".stage", scene.svg, scene.tip);
  (data.blocks ? buildBlocks : buildColumns)(scene);
  root.replaceChildren(...header(scene), scene.stage, footer(scene));
}

// Whether a panel has its row labels beside it: those of the one before, and the same row chosen.
function isBare(panels, at) {
  const [before, { data }] = [panels[at - 1]?.data, panels[at]];
  const told = ({ rows, at: [row] }) => JSON.stringify([rows?.labels, row]);
  return isStaged() && Boolean(before) && told(before) === told(data);
}

function paint(scene) {
  if (!scene.stage?.clientWidth) return;
  scene.family = getComputedStyle(scene.root).fontFamily;
  if (scene.blocks) {
    drawBlocks(scene);
    return;
  }
  const panels = scene.columns.flat();
  const { type } = scene.data;
  const labels = panels.flatMap((panel) => panel.data.rows?.labels ?? []);
  scene.left = Math.min(
    Math.max(24, ...labels.map((label) => widthOf(scene, label, 700))) + 12,
    type * 9,
  );
  scene.above = type * 1.5;
  for (const each of scene.columns) each.forEach((panel, at) => (panel.bare = isBare(each, at)));
  const most = Math.max(1, ...panels.map((panel) => panel.rows));
  const table = panels.some((panel) => panel.data.kind === "table");
  scene.tallest = table ? most * type * CELL.map[1] : Infinity;
  for (const panel of panels) DRAW[panel.data.kind](scene, panel);
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
  const text = said.length ? said.join(" ") : hint;
  set(scene.hint, { textContent: text, title: text });
}

// A step that nothing was sent of yet: what it is called is known, its picture is not.
function wait(scene) {
  const step = walk.names?.get(walk.here);
  scene.root.classList.toggle("waiting", Boolean(step));
  const top = scene.find(".top");
  if (!step || !top || scene.shown === walk.here) return;
  scene.shown = walk.here;
  const parts = ["title", "where", "counter"].map((name) =>
    make(`span.${name}.cut`, name === "title" ? step.name : step[name]),
  );
  top.replaceWith(make("header.top", parts));
}

function show(scene) {
  const data = walk.content("scene");
  if (!data) return wait(scene);
  scene.root.classList.remove("waiting");
  const shown = JSON.stringify(data);
  if (shown === scene.shown) return;
  const entered = scene.data?.step !== data.step;
  Object.assign(scene, { shown, data });
  if (entered) scene.flight = 1;
  // Whoever reads by keys goes on where they are when the same step is drawn anew.
  const active = scene.root.getRootNode().activeElement;
  const before = entered ? null : scene.columns.flat().find(({ canvas }) => canvas === active);
  const { hover } = scene;
  build(scene);
  return () => {
    if (entered && scene.blocks) fly(scene);
    paint(scene);
    const again = ({ data: { key } }) => key === before.data.key;
    if (before) scene.columns.flat().find(again)?.resume?.(before, hover);
  };
}

// The wires: from the chosen row of what goes in, through the operation, to that of what comes out.

function drawWires({ columns, operations, stage, svg }) {
  const box = stage.getBoundingClientRect();
  svg.replaceChildren(
    ...columns.slice(1).flatMap((panels, at) => {
      const operation = operations[at];
      if (operation?.classList.contains("none")) return [];
      const [from, to] = [anchors(columns[at], "right", box), anchors(panels, "left", box)];
      // Without an operation between: row to row, the words of a sentence to their rows of the
      // table.
      if (!operation)
        return from.flatMap((each) =>
          to.filter(({ row }) => row === each.row).map((other) => wire(each, other, each)),
        );
      const { left, right, top } = operation.getBoundingClientRect();
      const [enters, leaves] = [left, right].map((x) => ({
        x: x - box.left,
        y: top + 16 - box.top,
      }));
      return [
        ...from.map((each) => wire(each, enters, each)),
        ...to.map((each) => wire(leaves, each, each, true)),
      ];
    }),
  );
}

// Where wires begin or end: at the chosen row; of a table, and of what it joins, at every row.
function anchors(panels, side, box) {
  const ends = panels.map(({ canvas }) => canvas.getBoundingClientRect()[side]);
  const end = Math[side === "right" ? "max" : "min"](...ends);
  return panels
    .filter(({ geometry }, at) => geometry && Math.abs(ends[at] - end) < 1) // no wire over another
    .flatMap(({ canvas, data, every, geometry: g, rows: count }) => {
      const { left, top } = canvas.getBoundingClientRect();
      const [x, y] = [
        left - box.left + (data.ids ? g[side] : side === "right" ? g.right + 3 : 0),
        top - box.top,
      ];
      const heights = data.ids
        ? data.ids.map(g.place)
        : Array.from({ length: count }, (_, row) => g.top + (row + 0.5) * g.tall);
      const all = heights.map((height, row) => ({
        x,
        y: y + height,
        row,
        colour: data.colour,
        chosen: row === data.at[0],
      }));
      return data.ids || every ? all : all.filter(({ chosen }) => chosen);
    });
}

function wire({ x, y }, { x: u, y: v }, { chosen, colour }, arrow = false) {
  const bend = Math.max(12, (u - x) / 2);
  const head = arrow ? "m-6 -4l6 4l-6 4" : "";
  const d = `M${x} ${y}C${x + bend} ${y} ${u - bend} ${v} ${u} ${v}${head}`;
  return shape("path", {
    d,
    fill: "none",
    stroke: colour,
    "stroke-width": chosen ? 2 : 1,
    opacity: chosen ? 0.95 : 0.35,
  });
}

export default component("section.scene", {
  start(view) {
    const scene = {
      root: view.root,
      flight: 1,
      ruler: make("canvas").getContext("2d"),
      find: (name) => view.find(name),
    };
    view.scene = scene;
    view.watch(view.root, () => paint(scene));
  },
  mark({ scene, trigger }) {
    scene.trigger = trigger;
    walk.follow("scene", scene.root, () => show(scene));
  },
});
