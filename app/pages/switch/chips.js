// The switches of the experiment; × takes one out.

function makeChip(view, { greyed, id, text }) {
  const { takeOut } = view.data;
  const node = make(".chip.lined", {
    role: "listitem",
    title: greyed ? `${text}\n${greyed}` : text,
    is: { greyed },
  });
  const onclick = () => {
    node.classList.add("leaving");
    view.trigger("out", id);
  };
  const out = make("button", { title: takeOut, "aria-label": `${takeOut}: ${text}`, onclick }, "×");
  node.append(make("span.cut", text), out);
  return node;
}

export default component(".chips.wrapped", {
  mark(view, { chips, empty }) {
    const made = chips.map((chip) => makeChip(view, chip));
    set(view.root, { role: made.length ? "list" : null }).replaceChildren(
      ...(made.length ? made : [make(".empty", empty)]),
    );
  },
});
