// A click on the link of a page is one step back. It changes the page and often the link's details
// as well; Streamlit writes each into the browser's history, in an order that is chance, so that
// *back* would lead to half of the click, at times to the page that one is on.
const ONE_ACT = 3000; // milliseconds in which the server adds to what it was asked for
const { pushState } = history;
let [acted, turned, written] = [true, false, 0]; // since the last entry; what that was, and when
for (const act of ["pointerdown", "keydown", "click", "submit"]) {
  addEventListener(act, () => (acted = true), { capture: true, passive: true });
}
history.pushState = function pushOrReplace(state, title, place) {
  const turns = new URL(place ?? "", location.href).pathname !== location.pathname;
  const adds = (turns || turned) && !acted && performance.now() - written < ONE_ACT;
  [acted, turned, written] = [false, turns, performance.now()];
  (adds ? history.replaceState : pushState).call(history, state, title, place);
};
