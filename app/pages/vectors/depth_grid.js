// A row a word, a column a place along depth. A click, or the arrow keys, choose a cell; a click on
// a word chooses the word.

// From the middle of the base line: to the right is the direction of the end, upwards a right
// angle.
function arrow([length, cosine], ink) {
  const given = {
    viewBox: "-1 -1 2 1.08",
    preserveAspectRatio: "xMidYMax meet",
    "aria-hidden": true,
  };
  const drawn = shape("svg", { ...given, style: { "--ink": ink } });
  drawn.append(shape("line.base", { x1: -1, y1: 0, x2: 1, y2: 0 }));
  if (!Number.isFinite(cosine) || length <= 0) return drawn;
  const sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  const [x, y] = [length * cosine, -length * sine];
  const size = Math.min(0.22, length * 0.6);
  const [u, v] = [x - size * 1.3 * cosine, y + size * 1.3 * sine];
  const [wide, high] = [size * 0.6 * sine, size * 0.6 * cosine];
  drawn.append(shape("line.shaft", { x1: 0, y1: 0, x2: u, y2: v }));
  drawn.append(
    shape("polygon.tip", { points: `${x},${y} ${u + wide},${v + high} ${u - wide},${v - high}` }),
  );
  return drawn;
}

// Black or white, whichever stands out more: at this luminance both do alike (4.6 : 1).
function inkOn(colour) {
  const [red, green, blue] = channelsOf(colour).map((each) => (each / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#FFFFFF";
}

function cell(grid, row, column) {
  const { cells, rows, texts } = grid.data;
  const [main, sub] = [cells.main[row][column], cells.sub?.[row][column] ?? ""];
  const background = cells.colours[row][column];
  const color = inkOn(background);
  const title = phrase(texts.hover, {
    row: rows[row],
    column: texts.columns[column].filter(Boolean).join(" · "),
    main,
    sub,
  });
  const numbers = [make("span.main", main), ...(cells.sub ? [make("span.sub", sub)] : [])];
  return make(
    "button.cell.centred",
    {
      title,
      "aria-label": spoken(numbers, title),
      data: { row, column },
      style: { background, color },
      onclick: () => pick(grid, row, column),
    },
    cells.arrows ? arrow(cells.arrows[row][column], color) : null,
    make("span.numbers.stacked", apart(numbers)),
  );
}

function heads({ columns, rows }) {
  const made = [make(".corner.stays", rows)];
  for (let at = 0, end; at < columns.length; at = end) {
    end = at + 1;
    while (end < columns.length && columns[end][0] && columns[end][0] === columns[at][0]) end += 1;
    const style = { gridRow: 1, gridColumn: `${at + 2} / ${end + 2}` };
    made.push(make(".group.stays", { style, is: { none: !columns[at][0] } }, columns[at][0]));
  }
  columns.forEach(([, name], column) => {
    made.push(
      make(
        ".name.stays",
        { data: { column }, style: { gridRow: 2, gridColumn: column + 2 } },
        name,
      ),
    );
  });
  return made;
}

function makeRow(grid, text, row) {
  const { sinks, texts } = grid.data;
  const given = {
    title: text,
    data: { row },
    style: { gridColumn: 1 },
    onclick: () => pick(grid, row, null),
  };
  const word = make("button.word.cut", { ...given, is: { sink: sinks.includes(row) } }, text);
  return [word, ...texts.columns.map((_, column) => cell(grid, row, column))];
}

function frame(grid, [row, column]) {
  grid.focus = [row, column];
  for (const node of grid.root.querySelectorAll(".cell, .word, .name")) {
    const own = node.dataset.row === undefined || Number(node.dataset.row) === row;
    const now =
      own && (node.dataset.column === undefined || Number(node.dataset.column) === column);
    const inside = node.classList.contains("cell");
    set(node, { is: { now, row: inside && own } });
    if (node.tagName === "BUTTON")
      set(node, { tabIndex: now && inside ? 0 : -1, "aria-pressed": now });
  }
}

function pick(grid, row, column) {
  frame(grid, [row, column ?? grid.focus[1]]);
  grid.send("pick", { row, column });
}

function step(grid, event) {
  const move = ARROWS[event.key];
  if (!move) return;
  event.preventDefault();
  const [row, column] = grid.focus.map((at, axis) => at + move[axis]);
  const next = grid.find(`.cell[data-row="${row}"][data-column="${column}"]`);
  if (!next) return;
  pick(grid, row, column);
  next.focus();
}

export default component(".grid.pane", {
  moving: ["focus"],
  start: (grid) => set(grid.root, { role: "group", onkeydown: (event) => step(grid, event) }),
  draw(grid, { cells, rows, texts }) {
    const gridTemplateColumns = `minmax(3rem, max-content) repeat(${texts.columns.length}, minmax(0, 1fr))`;
    const gridTemplateRows = `max-content max-content repeat(${rows.length}, minmax(1.35rem, 1fr))`;
    const style = { gridTemplateColumns, gridTemplateRows };
    set(grid.root, { "aria-label": texts.label, is: { arrows: cells.arrows }, style });
    grid.root.replaceChildren(
      ...heads(texts),
      ...rows.flatMap((text, row) => makeRow(grid, text, row)),
    );
  },
  mark: (grid, { focus }) => frame(grid, focus),
});
