// Lectures as cards by group; a click opens one, a file makes a new one.

function cardOf(board, { id, title, about, facts }) {
  return make(
    "button.card.stacked",
    { data: { id }, onclick: () => board.send("pick", { id }) },
    make("span.title", title),
    make("span.about", about),
    make("span.facts", facts),
  );
}

async function hand(board, input) {
  const [file] = input.files;
  if (!file) return;
  const { size } = file;
  const given = size > board.data.most ? { size } : { text: await file.text() };
  if (!board.isLeft) board.send("file", given); // reading may outlast the page
  input.value = "";
}

function chooser(board) {
  const { texts } = board.data;
  const input = make("input", {
    type: "file",
    accept: ".toml,text/plain",
    hidden: true,
    onchange: () => hand(board, input),
  });
  return make(
    ".stacked.bring",
    make("button.push", { title: texts.import_help, onclick: () => input.click() }, texts.import),
    input,
  );
}

export default component(".board.pane", {
  draw(board, { groups, texts }) {
    board.keepFocus("id", () =>
      board.root.replaceChildren(
        ...groups.flatMap(({ name, cards }, at) => [
          make("h3", name),
          ...cards.map((each) => cardOf(board, each)),
          ...(cards.length ? [] : [make("p.none", texts.none_yet)]),
          ...(at === groups.length - 1 ? [chooser(board)] : []),
        ]),
      ),
    );
  },
});
