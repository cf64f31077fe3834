// A file dropped anywhere on the page is opened as if it was chosen in the dialog "Open…". One that
// is too large is not sent at all: Python is told its size and says so.

const INPUT = '.st-key-open_file input[type="file"]';
const OTHERS = '[data-testid="stFileUploaderDropzone"]'; // another uploader takes its own files

const brings = (event) => event.dataTransfer?.types?.includes("Files") ?? false;

function belongsElsewhere(event) {
  const zone = event.target.closest?.(OTHERS);
  return zone != null && !zone.closest(".st-key-open_file");
}

function showHint(text) {
  const hint = document.querySelector(".file-drop-hint");
  if (!text) hint?.remove();
  else if (!hint) document.body.append(make(".file-drop-hint", text));
}

async function hand(view, file) {
  if (!document.querySelector(INPUT)) view.trigger("drop", performance.now());
  const input = await waitFor(INPUT, 20_000);
  if (!input) return;
  const held = new DataTransfer();
  held.items.add(file);
  input.files = held.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function tooLarge(view, file) {
  if (file.size <= view.data.most) return false;
  view.send("large", { bytes: file.size });
  return true;
}

function chosen(view, event) {
  const [file] = (event.target.matches?.(INPUT) && event.target.files) || [];
  if (file && tooLarge(view, file)) event.stopImmediatePropagation();
}

function dragged(view, event) {
  if (!brings(event) || belongsElsewhere(event)) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.type === "dragleave") {
    if (event.relatedTarget === null) showHint("");
    return;
  }
  if (event.type !== "drop") return showHint(view.data.hint);
  showHint("");
  const [file] = event.dataTransfer.files;
  if (file && !tooLarge(view, file)) hand(view, file);
}

export default component("", {
  start(view) {
    const early = { capture: true };
    view.hear(document, "change", (event) => chosen(view, event), early);
    view.hear(
      document,
      "dragenter dragover dragleave drop",
      (event) => dragged(view, event),
      early,
    );
  },
  mark() {
    document.body.dataset.drops = "heard"; // tests wait for it
  },
});
