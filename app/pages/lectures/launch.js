// Opens the presenter's page without a room: it finds the lecture in this browser. The page opens
// with the click, and waits there for what Python makes of the lecture.

const PREFIX = "glassformer.present.";

export default component("a.push", {
  start(view) {
    set(view.root, {
      target: "_blank",
      onclick: () => {
        localStorage.removeItem(PREFIX + view.data.name);
        view.send("asked", {});
      },
    });
  },
  mark(view, { label, about, href, name, lecture, round }) {
    set(view.root, { textContent: label, title: about, href });
    if (lecture && view.differs("round", round))
      localStorage.setItem(PREFIX + name, JSON.stringify(lecture));
  },
});
