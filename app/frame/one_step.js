// One act of the reader is one step back. A click on the link of a page changes the page and often
// the link's details as well; Streamlit writes each into the browser's history, in an order that
// is chance, so that *back* would lead to half of the click, at times to the page that one is on.
const ONE_ACT = 3000; // milliseconds in which the server adds to what it was asked for
const { pushState } = history;
let [acted, written] = [true, 0];
for (const act of ["pointerdown", "keydown", "click", "submit"]) {
  addEventListener(act, () => (acted = true), { capture: true, passive: true });
}
history.pushState = function pushOrReplace(...entry) {
  const more = !acted && performance.now() - written < ONE_ACT;
  [acted, written] = [false, performance.now()];
  return (more ? history.replaceState : pushState).apply(history, entry);
};
