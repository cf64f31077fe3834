// Fields of one line for texts that have lines (lines.py): ⏎ stands for a break, goes into the
// clipboard as one and comes from it so. While one is typed into, its lines hang below it.

const BREAK = "⏎";
const ENDS = /\r\n?|\n/g;
// can be undone, unlike a new value
const put = (text) => document.execCommand("insertText", false, text);

function take(event) {
  const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
  if (!text.match(ENDS)) return;
  event.preventDefault();
  put(text.replace(ENDS, BREAK));
}

function press(view, event) {
  if (event.key === "Escape" || event.key === "Enter") view.root.hidePopover();
  if (event.key !== "Enter" || !event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation(); // Streamlit would run the text
  put(BREAK);
}

function give(event, { value, selectionStart, selectionEnd }) {
  const chosen = value.slice(selectionStart, selectionEnd);
  if (!chosen.includes(BREAK)) return;
  event.preventDefault();
  event.clipboardData.setData("text/plain", chosen.replaceAll(BREAK, "\n"));
  if (event.type === "cut") document.execCommand("delete");
}

function show(view, event, field) {
  // its text is run, or the lines were sent away
  if (event.key === "Enter" || event.key === "Escape") return;
  const lines = field.value.split(BREAK);
  view.root.togglePopover(lines.length > 1 && field === document.activeElement);
  const at = field.value.slice(0, field.selectionStart).split(BREAK).length - 1;
  const ended = (line, place) => line + (place + 1 < lines.length ? BREAK : "");
  view.root.replaceChildren(
    ...lines.map((line, place) => make(".line", { is: { now: place === at } }, ended(line, place))),
  );
  const { left, bottom, width } = field.getBoundingClientRect();
  set(view.root, { style: { left: `${left}px`, top: `${bottom + 4}px`, minWidth: `${width}px` } });
  view.root.children[at].scrollIntoView({ block: "nearest" });
}

export default component('<div class="lines" popover="manual" aria-hidden="true"></div>', {
  start(view) {
    const heard = (events, act) => {
      const hear = (event) => event.target.matches?.(view.data.fields) && act(event, event.target);
      view.hear(document, events, hear, { capture: true });
    };
    heard("beforeinput", take);
    heard("keydown", (event) => press(view, event));
    heard("copy cut", give);
    heard("focusin input keyup click", (event, field) => show(view, event, field));
    heard("focusout", () => view.root.hidePopover());
    // the field keeps the focus
    view.hear(view.root, "mousedown", (event) => event.preventDefault());
  },
});
