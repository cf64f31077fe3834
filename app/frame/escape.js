// Tells Python of the Escape key, unless it belongs to something smaller: a field, or an open menu,
// list or dialog, which Escape closes. Heard on the way down, while those are still open.

const OPEN = '[role="menu"], [role="listbox"], [role="dialog"]';
const FIELD = "input, textarea, select, [contenteditable]";

function belongsElsewhere(event) {
  const [target] = event.composedPath(); // also the field inside a component
  return event.isComposing || target.matches?.(FIELD) || document.querySelector(OPEN) !== null;
}

export default component("", {
  start(view) {
    const out = (event) => {
      if (event.key !== "Escape" || !view.data.inside || belongsElsewhere(event)) return;
      view.trigger("out", performance.now());
    };
    view.hear(document, "keydown", out, { capture: true });
  },
  mark(view, { inside }) {
    document.body.dataset.escape = inside ? "heard" : "idle"; // tests wait for it
  },
});
