// The sentences of a padded batch as rows of a table: a column is a position of the tensor. A row
// is picked with a click, with Enter, or with the arrow keys.

const STEPS = { ArrowDown: 1, ArrowUp: -1, Enter: 0, " ": 0 };

function headings({ lines, texts }) {
  const sides = lines[0].sides.flatMap(({ words }, at) => [
    make("th.stays", { colSpan: words.length }, texts.sides[at]),
    make("td.stays"),
  ]);
  const numbers = texts.numbers.map(([text, title]) => make("th.stays.number", { title }, text));
  return make("tr", make("td.stays"), sides, numbers);
}

function wordsOf({ seen, texts }, { real, words }, at) {
  const cells = words.map((word, place) => {
    const pad = place >= real;
    const title = pad ? (seen[at] ? texts.seen : texts.masked) : "";
    return make("td", make("span.chip", { title, is: { pad, seen: pad && seen[at] } }, word));
  });
  return [...cells, make("td.gap")];
}

function sentence(batch, { numbers, sides }, number) {
  const { chosen, lines } = batch.data;
  const onkeydown = (event) => {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    pick(batch, Math.min(Math.max(number + STEPS[event.key], 0), lines.length - 1));
  };
  return make(
    "tr.line",
    {
      tabIndex: 0,
      data: { row: number },
      "aria-selected": number === chosen,
      onclick: () => pick(batch, number),
      onkeydown,
    },
    make("td.place", String(number + 1)),
    sides.map((side, at) => wordsOf(batch.data, side, at)).flat(),
    numbers.map(([text, moved]) => make("td.number", { is: { moved } }, text)),
  );
}

function pick(batch, number) {
  for (const [at, row] of batch.root.querySelectorAll("tr.line").entries()) {
    row.setAttribute("aria-selected", at === number);
    if (at === number) row.focus();
  }
  batch.trigger("pick", number);
}

// The chosen row is in sight, below the headings that stay.
function showChosen({ drawnRow, root }) {
  if (drawnRow) reveal(root, drawnRow, { before: root.querySelector("th").offsetHeight });
}

export default component(`<div class="batch"><table></table></div>`, {
  // it gets its height after the first drawing
  start: (batch) => batch.watch(batch.root, () => showChosen(batch)),
  draw(batch, data) {
    const table = batch.find("table");
    table.setAttribute("aria-label", data.texts.label);
    const focused = table.contains(table.getRootNode().activeElement);
    table.replaceChildren(
      headings(data),
      ...data.lines.map((line, number) => sentence(batch, line, number)),
    );
    batch.drawnRow = batch.find('tr[aria-selected="true"]');
    if (focused) batch.drawnRow?.focus();
    showChosen(batch);
  },
});
