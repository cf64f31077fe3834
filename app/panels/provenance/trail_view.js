// Rows of terms with their factors and signed bars, or the list of the numbers visited.

function link(view, kind, cell, colour, title, ...inside) {
  const act = cell ? { onclick: () => view.send("go", cell) } : { tabIndex: -1 };
  return make(
    `button${cell ? ".go" : ""}${kind}`,
    { title, style: { "--role": colour }, ...act },
    ...inside,
  );
}

function factor(view, { colour, exact, go, name, number, sign }) {
  const own = [make("span.sign", sign), make("span", number)];
  return [
    link(view, "", go[0], colour, `${name}: ${exact}`, own),
    ...go.slice(1).map((cell) => link(view, "", cell, colour, cell.address, "↳")),
  ];
}

function bar(value, largest) {
  const part = Number.isFinite(value) && largest > 0 ? (50 * Math.abs(value)) / largest : 0;
  const [left, background] = value < 0 ? [`${50 - part}%`, "var(--query)"] : ["50%", "var(--key)"];
  return make("span.bar", make("i", { style: { width: `${part}%`, left, background } }));
}

function terms(view, { rows }) {
  const largest = Math.max(...rows.map((row) => Math.abs(row.value)).filter(Number.isFinite), 0);
  return rows.flatMap((row) => {
    const factors = row.factors.map((each, at) => [
      at ? make("span", "·") : null,
      factor(view, each),
    ]);
    return [
      make("span.label.cut", { title: row.label, is: { own: row.own } }, row.label),
      make("span.factors", factors.flat(2)),
      bar(row.value, largest),
      make("span.number", row.number),
    ];
  });
}

function stops(view, { way }) {
  return way.map(({ colour, go, name, place, value, where }, at) => {
    const kind = at === way.length - 1 ? ".stop.here" : ".stop";
    const inside = [
      make("span.name", name),
      make("span.where.cut", where),
      make("span.number", value),
    ];
    return set(link(view, kind, go, colour, place, inside), {
      is: { go: false },
      style: { cursor: "pointer" },
    });
  });
}

export default component(".trail", {
  draw(view, data) {
    const list = data.way
      ? make(".list.way", stops(view, data))
      : make(".list.rows", terms(view, data));
    view.root.replaceChildren(make(".title", data.title), list);
    if (data.way) list.scrollTop = list.scrollHeight;
  },
});
