// A list of experiments; a click sends the id of one.

function makeCard(list, { id, name, note, sentences }) {
  const { chosen: now, texts } = list.data;
  const chosen = id === now;
  const title = [...sentences, chosen ? texts.back : texts.take].join("\n");
  return make(
    "button.card.boxed",
    { title, data: { id }, is: { chosen }, "aria-pressed": chosen, onclick: () => list.send("pick", { id }) },
    make("span.name", name),
    make("span.corner", chosen ? make("span.back", `⟲ ${texts.back}`) : null),
    make("span.note", note),
    make("span.sentence.cut", sentences.join("  |  ")),
  );
}

export default component(".cards", {
  draw(list, { groups }) {
    const { root } = list;
    const { scrollTop } = root;
    const cards = groups.flatMap((group) => [make("h4.stays", group.title), ...group.cards.map((card) => makeCard(list, card))]);
    list.keepFocus("id", () => root.replaceChildren(...cards));
    root.scrollTop = scrollTop;
    if (!scrollTop) list.find(".chosen")?.scrollIntoView({ block: "nearest" });
  },
});
