// The steps of a training, a row of text each or a map of one head. They are drawn once: only the
// mark moves with the step in view.

function makeStep(view, kind, place, given, ...inside) {
  const onclick = () => {
    setCurrent(view.steps.children, place);
    view.send("go", { to: place });
  };
  return make(`button.${kind}`, { ...given, onclick }, ...inside);
}

function makeRow(view, { parts, step }, place) {
  const { language, texts } = view.data;
  const words = parts.map(([text, kept]) => make(kept ? "b" : "span", text));
  const said = make(
    "span.said.cut",
    { lang: language },
    words.length ? words : make("i", texts.nothing),
  );
  return makeStep(view, "row", place, { title: said.textContent }, make("span.step", step), said);
}

function drawRows(view, { rows, texts }) {
  view.steps = make(
    ".rows",
    rows.map((row, place) => makeRow(view, row, place)),
  );
  const head = make(".head", make("span.step", texts.step), make("span.said", texts.translation));
  view.root.replaceChildren(head, view.steps);
}

// The words of the cell under the mouse and its weight, where the map has a cell a pair of words.
function cellAt({ rows, columns }, shot, levels, event) {
  const box = event.target.getBoundingClientRect();
  const row = Math.floor(((event.clientY - box.top) / box.height) * shot.size[0]);
  const column = Math.floor(((event.clientX - box.left) / box.width) * shot.size[1]);
  const level = levels[row * shot.size[1] + column];
  const known = rows[row] !== undefined && columns[column] !== undefined && level !== undefined;
  if (!known || level === FORBIDDEN) return "";
  return `${shot.step} · ${rows[row]} → ${columns[column]} · ${(level / 254).toFixed(2)}`;
}

function makeShot(view, shot, place, palette, said) {
  const levels = numbersOf(shot.levels, Uint8Array);
  const canvas = make("canvas.pixels", {
    onmousemove: (event) => {
      said.textContent = cellAt(view.data, shot, levels, event);
    },
    onmouseleave: () => {
      said.textContent = "";
    },
  });
  const line = make(
    ".line",
    make("b", shot.step),
    make("span.cut", { title: shot.note }, shot.note),
  );
  // Its name is what is seen on it, for who speaks to the page.
  const given = { title: shot.title, data: { step: shot.step } };
  return makeStep(
    view,
    "shot.framed",
    place,
    given,
    line,
    paintCells(canvas, levels, ...shot.size, palette),
  );
}

function drawShots(view, { label, legend, scale, shots }) {
  const said = make("output");
  const stop = (at) => `rgb(${mixed(scale, bright(at)).join(" ")}) ${100 * at}%`;
  const background = `linear-gradient(90deg, ${[0, 0.1, 0.25, 0.5, 0.75, 1].map(stop).join(", ")})`;
  const palette = paletteOf(scale, bright);
  const given = {
    role: "group",
    "aria-label": label,
    style: { "--across": Math.ceil(shots.length / 2) },
  };
  view.steps = make(
    ".shots.fills",
    given,
    shots.map((shot, place) => makeShot(view, shot, place, palette, said)),
  );
  const shades = [make("span", "0"), make("i", { style: { background } }), make("span", "1")];
  view.root.replaceChildren(
    view.steps,
    make(".legend", shades, make("span.says.cut", { title: legend }, legend), said),
  );
}

export default component(".steps", {
  moving: ["now"],
  draw: (view, data) => (data.shots ? drawShots : drawRows)(view, data),
  mark: (view, { now }) => setCurrent(view.steps.children, now),
});
