// The reader's own lectures: they are kept in this browser, a text each, and told to Python. What
// changes there is written here, once; what changes in another window is told again.

const PREFIX = "glassformer.lecture.";

function kept() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  return Object.fromEntries(
    names.map((name) => [name.slice(PREFIX.length), localStorage.getItem(name)]),
  );
}

// Numbers of changes count up in a session; a page that is drawn anew has them behind it.
function write(view, { serial, changes }) {
  if (serial <= (window.draftsWritten ?? 0)) return;
  window.draftsWritten = serial;
  try {
    for (const [name, text] of Object.entries(changes)) {
      if (text === null) localStorage.removeItem(PREFIX + name);
      else localStorage.setItem(PREFIX + name, text);
    }
    document.body.dataset.drafts = serial; // tests wait for it
  } catch (error) {
    view.send("full", { reason: String(error) });
  }
}

const tell = (view) => view.send("kept", { drafts: kept() });

export default component("", {
  start(view, data) {
    write(view, data);
    view.hear(
      window,
      "storage",
      ({ key }) => (key === null || key.startsWith(PREFIX)) && tell(view),
    );
    tell(view);
  },
  mark: write,
});
