// Rows of texts, numbers and bars.

function bar(column, value) {
  const zero = column.signed ? 50 : 0;
  const place = (number) => zero + ((100 - zero) * number) / column.end;
  const reach = Math.max(-column.end, Math.min(column.end, value ?? 0));
  const [from, to] = [zero, place(reach)].sort((a, b) => a - b);
  const line = (kind, at) => make(kind, { style: { left: `${at}%` } });
  const role = column.signed ? (reach < 0 ? "query" : "key") : column.colour;
  const filled = make("i", {
    style: { left: `${from}%`, width: `${to - from}%`, background: roleOf(role) },
  });
  const marks =
    column.mark === null ? [] : column.signed ? [column.mark, -column.mark] : [column.mark];
  return make(
    "span.bar",
    filled,
    line("u", zero),
    marks.map((at) => line("b", place(at))),
  );
}

function makeRow(view, row) {
  const { clicks, columns } = view.data;
  const live = clicks && !row.head;
  const pressed = {
    "aria-pressed": row.chosen,
    onclick: () => view.send("pick", { key: row.key }),
  };
  return make(
    `${live ? "button" : ""}.row.subgrid`,
    {
      title: row.title,
      data: { key: row.key },
      is: { chosen: row.chosen, head: row.head },
      ...(live ? pressed : {}),
    },
    columns.map((column, at) => {
      if (column.links && !row.head && row.values[at] !== null)
        return make(
          "button.text.cut.link",
          { title: row.title, onclick: () => view.send("link", { key: row.key, column: at }) },
          row.texts[at],
        );
      if (column.end === null || row.head)
        return make("span.text.cut", { title: row.texts[at] }, row.texts[at]);
      return make("span.barred", bar(column, row.values[at]), make("span.number", row.texts[at]));
    }),
  );
}

export default component("div.table", {
  draw(view, { columns, rows }) {
    view.root.style.gridTemplateColumns = columns.map((column) => column.width).join(" ");
    const titles = columns.map((column) =>
      make("span.title", { title: column.help, is: { named: column.links } }, column.title),
    );
    view.root.replaceChildren(...titles, ...rows.map((row) => makeRow(view, row)));
  },
});
