// A file dropped anywhere on the page is opened as if it was chosen in the dialog "Open…". One that
// is too large is not sent at all: Python is told its size and says so.

const INPUT = '.st-key-open_file input[type="file"]';
const OTHERS = '[data-testid="stFileUploaderDropzone"]'; // another uploader takes its own files
const EVENTS = ["dragenter", "dragover", "dragleave", "drop", "change"];
const listeners = new WeakMap();

const brings = (event) => event.dataTransfer?.types?.includes("Files") ?? false;

function belongsElsewhere(event) {
  const zone = event.target.closest?.(OTHERS);
  return zone != null && !zone.closest(".st-key-open_file");
}

function showHint(text) {
  let hint = document.querySelector(".file-drop-hint");
  if (!text) return hint?.remove();
  if (hint) return;
  hint = document.createElement("div");
  hint.className = "file-drop-hint";
  hint.textContent = text;
  document.body.append(hint);
}

async function waitFor(selector, milliseconds) {
  const end = performance.now() + milliseconds;
  for (;;) {
    const found = document.querySelector(selector);
    if (found || performance.now() > end) return found;
    await new Promise((next) => setTimeout(next, 50));
  }
}

async function hand(file, ask) {
  if (!document.querySelector(INPUT)) ask();
  const input = await waitFor(INPUT, 20_000);
  if (!input) return;
  const held = new DataTransfer();
  held.items.add(file);
  input.files = held.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

function listener(component) {
  const { data, setTriggerValue } = component;
  const nonce = () => performance.now();
  const tooLarge = (file) => {
    if (file.size <= data.most) return false;
    setTriggerValue("large", { bytes: file.size, nonce: nonce() });
    return true;
  };
  return (event) => {
    if (event.type === "change") {
      const [file] = (event.target.matches?.(INPUT) && event.target.files) || [];
      if (file && tooLarge(file)) event.stopImmediatePropagation();
      return;
    }
    if (!brings(event) || belongsElsewhere(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "dragleave" && event.relatedTarget === null) showHint("");
    if (event.type === "dragenter" || event.type === "dragover") showHint(data.hint);
    if (event.type !== "drop") return;
    showHint("");
    const [file] = event.dataTransfer.files;
    if (file && !tooLarge(file)) hand(file, () => setTriggerValue("drop", nonce()));
  };
}

export default function (component) {
  const { parentElement } = component;
  const forget = () => {
    for (const name of EVENTS) {
      document.removeEventListener(name, listeners.get(parentElement), true);
    }
  };
  forget();
  listeners.set(parentElement, listener(component));
  for (const name of EVENTS) {
    document.addEventListener(name, listeners.get(parentElement), true);
  }
  document.body.dataset.drops = "heard"; // tests wait for it
  return forget;
}
