// The scenes of a lecture in their order. A click or the arrows choose one, Alt with an arrow moves
// it, Enter opens its screen.

function rowOf(list, { title, facts, asks }, at) {
  const { texts, chosen, own, scenes } = list.data;
  const act = (name) => (event) => {
    event.stopPropagation();
    list.send("act", { [name]: at });
  };
  const button = (name, sign, off = false) =>
    make(
      "button.sign",
      {
        ...named(`${texts[name]}: ${title}`),
        onclick: act(name),
        disabled: off,
        data: { act: `${name}-${at}` },
      },
      sign,
    );
  const row = make(
    "li.row.lined",
    { data: { row: at }, is: { chosen: at === chosen } },
    make(
      "button.choose.fills",
      {
        "aria-current": at === chosen ? "step" : null,
        data: { act: `choose-${at}` },
        onclick: act("choose"),
      },
      make("span.number", `${at + 1}`),
      make(
        "span.said",
        make("span.title", title),
        make("span.facts", facts, asks ? make("b", ` · ${texts.question}`) : null),
      ),
    ),
    button("open", "▶"),
    ...(own
      ? [
          button("up", "↑", at === 0),
          button("down", "↓", at === scenes.length - 1),
          button("remove", "✕"),
        ]
      : []),
  );
  return row;
}

function heard(list, event) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const { chosen, own, scenes } = list.data;
  if (!by || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const to = chosen + by;
  if (to < 0 || to >= scenes.length) return;
  list.wanted = `choose-${to}`;
  list.send("act", event.altKey && own ? { [by < 0 ? "up" : "down"]: chosen } : { choose: to });
}

export default component("ol.scenes.pane", {
  start: (list) => list.hear(list.root, "keydown", (event) => heard(list, event)),
  draw(list, { scenes }) {
    list.keepFocus("act", () =>
      list.root.replaceChildren(...scenes.map((each, at) => rowOf(list, each, at))),
    );
    if (list.wanted) list.find(`[data-act="${list.wanted}"]`)?.focus();
    list.wanted = null;
    list.find(".chosen")?.scrollIntoView({ block: "nearest" });
  },
});
