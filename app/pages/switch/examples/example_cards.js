// A list of experiments; a click sends the id of one.

const said = (parts, lang) =>
  make(
    "span.said",
    { lang },
    ...parts.map(([text, changed]) => (changed ? make("mark", text) : text)),
  );

function makeCard(list, { id, language, name, note, results, sentences }, group) {
  const { chosen: now, texts } = list.data;
  const chosen = id === now;
  const title = [...sentences, chosen ? texts.back : texts.take].join("\n");
  return make(
    "button.card.boxed",
    {
      title,
      data: { id },
      is: { chosen },
      "aria-pressed": chosen,
      onclick: () => list.send("pick", { id }),
    },
    make("span.name", name),
    make(
      "span.corner",
      chosen
        ? make("span.back", `⟲ ${texts.back}`)
        : make("span.group", results.length ? group : ""),
    ),
    ...(results.length ? [make("span.sentence.cut", sentences.join("  |  "))] : []),
    ...results.map((parts, at) =>
      make(
        "span.result",
        make("i", { "aria-hidden": "true" }, at ? "→" : ""),
        said(parts, language),
      ),
    ),
    make("span.note", note),
    ...(results.length ? [] : [make("span.sentence.cut", sentences.join("  |  "))]),
  );
}

export default component(".cards", {
  draw(list, { groups }) {
    const { root } = list;
    const { scrollTop } = root;
    const gallery = groups.some(({ cards: each }) => each.some((card) => card.results.length));
    set(root, { is: { gallery } });
    const cards = groups.flatMap(({ title, cards: each }) => [
      ...(gallery ? [] : [make("h4.stays", title)]),
      ...each.map((card) => makeCard(list, card, title)),
    ]);
    // What changes a word comes before what, tellingly, changes none.
    if (gallery)
      cards.sort(
        (one, other) => Boolean(other.querySelector("mark")) - Boolean(one.querySelector("mark")),
      );
    list.keepFocus("id", () => root.replaceChildren(...cards));
    root.scrollTop = scrollTop;
    if (!scrollTop) list.find(".chosen")?.scrollIntoView({ block: "nearest" });
  },
});
