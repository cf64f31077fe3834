// A list of experiments; a click sends the id of one.

function makeCard(list, { id, name, note, sentences }) {
  const { chosen: now, texts } = list.data;
  const chosen = id === now;
  const title = [...sentences, chosen ? texts.back : texts.take].join("\n");
  return make(
    "button.card",
    { title, data: { id }, is: { chosen }, "aria-pressed": chosen, onclick: () => list.send("pick", { id }) },
    make("span.name", name),
    make("span.corner", chosen ? make("span.back", `⟲ ${texts.back}`) : null),
    make("span.note", note),
    make("span.sentence.cut", sentences.join("  |  ")),
  );
}

// The card that has the keyboard keeps it when the list is written again.
function focusedCard({ root }) {
  const active = root.getRootNode().activeElement;
  return active && root.contains(active) ? active.dataset.id : null;
}

export default component(".cards", {
  draw(list, { groups }) {
    const { root } = list;
    const { scrollTop } = root;
    const focused = focusedCard(list);
    const cards = groups.flatMap((group) => [make("h4", group.title), ...group.cards.map((card) => makeCard(list, card))]);
    root.replaceChildren(...cards);
    root.scrollTop = scrollTop;
    if (focused) list.find(`[data-id="${focused}"]`)?.focus({ preventScroll: true });
    if (!scrollTop) list.find(".chosen")?.scrollIntoView({ block: "nearest" });
  },
});
