// A row a step. What a row says does not change with the step in view: rows are drawn once, and
// only the mark moves.

function makeRow(table, { parts, step }, place) {
  const { language, texts } = table.data;
  const words = parts.map(([text, kept]) => make(kept ? "b" : "span", text));
  const said = make("span.said.cut", { lang: language }, words.length ? words : make("i", texts.nothing));
  const go = () => {
    setCurrent(table.rows.children, place);
    table.send("go", { to: place });
  };
  return make("button.row", { title: said.textContent, onclick: go }, make("span.step", step), said);
}

export default component(".steps", {
  moving: ["now"],
  draw(table, { rows, texts }) {
    table.rows = make(".rows", rows.map((row, place) => makeRow(table, row, place)));
    const head = make(".head", make("span.step", texts.step), make("span.said", texts.translation));
    table.root.replaceChildren(head, table.rows);
  },
  mark: (table, { now }) => setCurrent(table.rows.children, now),
});
