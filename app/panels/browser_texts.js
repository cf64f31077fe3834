// What this browser keeps for its reader, a text each: lectures, experiments. It is told to Python;
// what changes there is written here, once; what changes in another window is told again.

const placeOf = ({ kind }) => `glassformer.${kind}.`;

function kept(data) {
  const place = placeOf(data);
  const names = Object.keys(localStorage).filter((name) => name.startsWith(place));
  return Object.fromEntries(
    names.map((name) => [name.slice(place.length), localStorage.getItem(name)]),
  );
}

// A change has a name of its own: a page that is drawn anew is given the last one again, and a
// server that has come back begins anew.
function write(view, { kind, change, changes }) {
  const written = (window.textsWritten ??= {});
  if (!change || written[kind] === change) return;
  written[kind] = change;
  try {
    for (const [name, text] of Object.entries(changes)) {
      if (text === null) localStorage.removeItem(placeOf({ kind }) + name);
      else localStorage.setItem(placeOf({ kind }) + name, text);
    }
  } catch (error) {
    view.send("full", { reason: String(error) });
  }
}

// What is told while the page is drawn for the first time would have it drawn anew: of two answers
// at once a menu shows its first entry.
function whenDrawn(act) {
  const { testScriptState: state } = document.querySelector('[data-testid="stApp"]')?.dataset ?? {};
  if (state === "running" || state === "initial") setTimeout(() => whenDrawn(act), 100);
  else act();
}

export default component("", {
  start(view, data) {
    const tell = () => view.send("kept", { texts: kept(data) });
    write(view, data);
    view.hear(
      window,
      "storage",
      ({ key }) => (key === null || key.startsWith(placeOf(data))) && tell(),
    );
    if (data.awaited || Object.keys(kept(data)).length) whenDrawn(tell);
  },
  mark: write,
});
