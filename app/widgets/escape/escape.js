// Tells Python of the Escape key, unless it belongs to something smaller: a field, or an open menu,
// list or dialog, which Escape closes. Heard on the way down, while those are still open.

const OPEN = '[role="menu"], [role="listbox"], [role="dialog"]';
const FIELD = "input, textarea, select, [contenteditable]";
const heard = new WeakMap();

function belongsElsewhere(event) {
  const [target] = event.composedPath(); // also the field inside a component
  return event.isComposing || target.matches?.(FIELD) || document.querySelector(OPEN) !== null;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const forget = () => document.removeEventListener("keydown", heard.get(parentElement), true);
  const listen = (event) => {
    if (event.key !== "Escape" || !data?.inside || belongsElsewhere(event)) return;
    setTriggerValue("out", performance.now());
  };
  forget();
  heard.set(parentElement, listen);
  document.addEventListener("keydown", listen, true);
  document.body.dataset.escape = data?.inside ? "heard" : "idle"; // tests wait for it
  return forget;
}
