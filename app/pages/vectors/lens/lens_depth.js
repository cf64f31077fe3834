// A row a state of the decoder, from its input down to what the generator really reads. The ranks
// of the final word are joined by a line over the rows.

const COLUMNS = "max-content minmax(6rem, 3.4fr) minmax(3.4rem, 1.5fr) minmax(6.5rem, 0.9fr)";

// A place that is null breaks the line.
function path(kind, points) {
  const drawn = points.map(([x, y], at) =>
    x === null ? "" : `${at && points[at - 1][0] !== null ? "L" : "M"}${x},${y}`,
  );
  return shape(`path.${kind}`, { d: drawn.join("") });
}

// One drawing behind the cells of the ranks; the rows are all of one height.
function ranks({ axis, rows }) {
  const middles = (places) => places.map((place, at) => [place, at + 0.5]);
  const drawing = shape(
    "svg",
    { viewBox: `0 0 1 ${rows.length}`, preserveAspectRatio: "none", "aria-hidden": true },
    axis.ticks.map(([at]) =>
      path("grid", [
        [at, 0],
        [at, rows.length],
      ]),
    ),
    axis.others.map((line) => path("other", middles(line))),
    path("own", middles(rows.map((row) => row.place))),
  );
  return make(".ranks", { style: { gridRow: `3 / span ${rows.length}` } }, drawing);
}

function wordCell([word, percent, probability, final]) {
  const share = Math.round(48 * Math.sqrt(probability)); // weak words would not be seen
  const background = `color-mix(in srgb, var(--weights) ${share}%, transparent)`;
  const given = { title: `${word} ${percent}`, is: { final }, style: { background } };
  return make("span.word.fills", given, make("b.cut", word), make("i", percent));
}

function rankCell({ place, rank }) {
  const number = make("b", rank);
  if (place === null) return make("span.rank", number);
  const [side, away] = place > 0.6 ? ["right", 1 - place] : ["left", place];
  number.style[side] = `calc(${100 * away}% + 0.6rem)`;
  return make("span.rank", make("i", { style: { left: `${100 * place}%` } }), number);
}

function makeRow(view, row, at) {
  const { chosen } = view.data;
  return make(
    "button.row.subgrid",
    {
      title: row.title,
      "aria-pressed": at === chosen,
      onclick: () => view.send("pick", { row: at }),
      data: { row: at },
      style: { gridRow: at + 3 },
      is: { chosen: at === chosen },
    },
    make("span.name", row.group ? make("i", row.group) : null, make("b", row.name)),
    make("span.words.lined", row.words.map(wordCell)),
    rankCell(row),
    make("span.entropy", meter(row.spread), make("span", row.entropy)),
  );
}

function titles({ texts, axis }) {
  const all = [
    [""],
    [texts.words],
    [texts.rank, texts.rank_help],
    [texts.entropy, texts.entropy_help],
  ];
  const ticks = axis.ticks.map(([at, text]) =>
    make("span", { style: { left: `${100 * at}%` } }, text),
  );
  return [
    ...all.map(([text, title = ""], at) =>
      make("span.title", { title, style: { gridColumn: at + 1 } }, text),
    ),
    make("span.ticks", { style: { gridColumn: 3 } }, ticks),
  ];
}

export default component(".lens.pane", {
  draw(view, data) {
    const gridTemplateRows = `auto auto repeat(${data.rows.length}, minmax(1.5rem, 1fr))`;
    const style = { gridTemplateColumns: COLUMNS, gridTemplateRows };
    set(view.root, { role: "group", "aria-label": data.texts.label, style });
    view.root.replaceChildren(
      ...titles(data),
      ranks(data),
      ...data.rows.map((row, at) => makeRow(view, row, at)),
    );
  },
});
