// A row a strategy, a column a step: the same step of all stands in one column.

const at = (node, gridRow, gridColumn) => set(node, { style: { gridRow, gridColumn } });

function makeWord(panel, { name }, word, step) {
  return make(
    "button.word.boxed",
    {
      title: word.title,
      data: { name, step },
      is: { new: word.new, end: word.end },
      onclick: () => pick(panel, name, step),
    },
    make("span.text", word.text),
    meter(word.share),
    make("span.said", word.said),
    word.given ? make("span.hand", { title: panel.data.texts.given }, "✎") : null,
  );
}

const numbers = (texts, row, steps, kind) =>
  at(
    make(
      `.${kind}.numbers`,
      texts.map((text) => make(".number", text)),
    ),
    row,
    `${steps + 3} / -1`,
  );

function makeLine(panel, line, row, steps) {
  const name = make(
    ".line.name",
    { data: { name: line.name } },
    make("b", line.title),
    make("span", line.about),
  );
  const made = line.words.map((word, step) => makeWord(panel, line, word, step));
  const words = panel.data.flow
    ? [at(make(".cell", made), row, 2)]
    : made.map((word, step) => at(make(".cell", word), row, step + 2));
  return [
    at(make(".line"), row, "1 / -1"),
    at(name, row, 1),
    ...words,
    numbers(line.numbers, row, steps, "line"),
  ];
}

function mark({ rows }, [name, step]) {
  for (const word of rows.querySelectorAll(".word")) {
    word.setAttribute(
      "aria-pressed",
      word.dataset.name === name && Number(word.dataset.step) === step,
    );
  }
  for (const each of rows.querySelectorAll(".name[data-name]"))
    each.classList.toggle("focused", each.dataset.name === name);
}

// Another word than before is brought into sight between the columns that stay.
function show({ root, rows }) {
  const word = rows.querySelector('.word[aria-pressed="true"]');
  if (!word) return;
  const before =
    rows.querySelector(".name").getBoundingClientRect().right - root.getBoundingClientRect().left;
  const [{ width }, { width: right }] = [word, rows.querySelector(".numbers")].map((each) =>
    each.getBoundingClientRect(),
  );
  reveal(root, word, { sideways: true, before, after: right + width });
}

function pick(panel, name, step) {
  mark(panel, [name, step]);
  panel.differs("focus", [name, step]); // it is where the reader clicked
  panel.send("pick", { name, step });
}

export default component(`<div class="frame"><div class="rows" role="group"></div></div>`, {
  moving: ["focus"],
  start: (panel) => {
    panel.rows = panel.find(".rows");
  },
  draw(panel, { flow, font, lines, texts }) {
    const steps = Math.max(1, ...lines.map((line) => line.words.length));
    const gridTemplateColumns = flow
      ? "max-content 1fr"
      : `max-content repeat(${steps}, max-content) 1fr repeat(2, max-content)`;
    const gridTemplateRows = `max-content repeat(${lines.length}, minmax(max-content, 1fr))`;
    const { rows } = panel;
    set(rows, {
      "aria-label": texts.label,
      is: { flow },
      style: { "--type": `${font}px`, gridTemplateColumns, gridTemplateRows },
    });
    rows.replaceChildren(
      at(make(".head.name", texts.step), 1, 1),
      ...Array.from({ length: steps }, (_, step) => at(make(".head", step + 1), 1, step + 2)),
      numbers(texts.numbers, 1, steps, "head"),
      ...lines.flatMap((line, place) => makeLine(panel, line, place + 2, steps)),
    );
  },
  mark(panel, { focus }) {
    mark(panel, focus);
    if (panel.differs("focus", focus)) show(panel);
  },
});
