// The switches of the experiment; × takes one out.

function makeChip(view, { greyed, id, text }) {
  const { takeOut } = view.data;
  const node = make(".chip.lined", {
    role: "listitem", title: greyed ? `${text}\n${greyed}` : text, is: { greyed },
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
  start: (view) => set(view.root, { role: "list" }),
  mark(view, { chips, empty }) {
    const made = chips.map((chip) => makeChip(view, chip));
    view.root.replaceChildren(...(made.length ? made : [make(".empty", empty)]));
  },
});
