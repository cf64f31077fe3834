// The glossary: every term with what is said of it, by topic, to be searched.

const lowered = (text) => written(text).toLowerCase();
const written = (text) => text.replaceAll("_", "");

// A symbol such as d_model: what follows the _ stands lower.
const symbolic = (text) =>
  text.split(/(_\w+)/).map((part) => (part.startsWith("_") ? make("sub", part.slice(1)) : part));

// What the tip and the list show of a term; leave: before the page is turned.
function entry(view, { name, other, symbol, about, paper, equation, page, at, seen }, leave) {
  const { texts } = view.words;
  const place =
    paper &&
    [phrase(texts.paper, { section: paper }), equation && phrase(texts.equation, { equation })]
      .filter(Boolean)
      .join(", ");
  return [
    make(
      "p.title",
      make("strong", name),
      symbol && symbol !== name ? make("span.symbol", symbolic(symbol)) : null,
      make("span.other", other),
    ),
    make("p.about", about),
    make(
      "p.foot",
      make("span", place ?? ""),
      make(
        "button.link",
        {
          onclick() {
            leave();
            turnTo(view, page, at);
          },
        },
        `${seen} →`,
      ),
    ),
  ];
}

// Turns to a page as the browser's back button does: the session goes on, only what is named is
// set.
function turnTo(view, page, changes = {}) {
  const place = new URL(location.href);
  place.pathname = baseOf(view) + (page === "translate" ? "" : page);
  for (const [name, value] of Object.entries(changes)) place.searchParams.set(name, value);
  if (place.href === location.href) return;
  history.pushState({}, "", place);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

const baseOf = (view) => view.data.words.split("scripts/")[0];

// Opens it, at a term if one is named.
function openGlossary(view, words, tour, at) {
  const { texts } = view.words;
  const shown = words.terms.map((term) => {
    const text = lowered(
      [term.name, term.other, term.symbol ?? "", term.about, ...term.words].join(" "),
    );
    return {
      term,
      text,
      node: make(
        "li.entry",
        { data: { id: term.id } },
        entry(view, term, () => dialog.close()),
      ),
    };
  });
  const topics = Object.entries(words.topics).map(([id, title]) => ({
    heading: make("h3", title),
    rows: shown.filter(({ term }) => term.topic === id),
  }));
  const none = make("p.other", { hidden: true, role: "status" }, texts.none);
  const search = make("input.search", {
    type: "search",
    placeholder: texts.search,
    "aria-label": texts.search,
    oninput() {
      const wanted = lowered(search.value.trim());
      for (const { text, node } of shown) node.hidden = !text.includes(wanted);
      for (const { heading, rows } of topics)
        heading.hidden = rows.every(({ node }) => node.hidden);
      none.hidden = shown.some(({ node }) => !node.hidden);
    },
  });
  const close = make("button.push", { ...named(texts.close), onclick: () => dialog.close() }, "×");
  const start = make(
    "button.push",
    {
      onclick() {
        dialog.close();
        tour.start();
      },
    },
    texts.tour_start,
  );
  const list = topics.flatMap(({ heading, rows }) => [
    heading,
    make(
      "ol",
      rows.map(({ node }) => node),
    ),
  ]);
  const dialog = make(
    "dialog",
    {
      "aria-label": texts.title,
      onclose: () => dialog.remove(),
      onclick: ({ target }) => target === dialog && dialog.close(),
    },
    make(".head", make("h2", texts.title), search, start, close),
    make(
      ".list",
      { tabIndex: 0, role: "group", "aria-label": texts.title },
      list,
      none,
      make("p.other", texts.keys),
    ),
  );
  view.root.append(dialog);
  dialog.showModal();
  search.focus();
  const asked = shown.find(({ term }) => term.id === at)?.node;
  asked?.classList.add("asked");
  asked?.scrollIntoView({ block: "center" });
}
