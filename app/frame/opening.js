// For the page that the app begins on (opening_page.py). It is seen once something of the app is
// there, and no longer the room for a sidebar that turns out to be closed; on a phone, where one
// stands above the other and pushes it away, once all is. Its own sheet goes a while after the
// app's have come, whose rules may be for another page or size of type.
const AFTER = 2000; // milliseconds
const LATEST = 1500; // the same, after the first element of the app
const CALM = 6; // frames in which nothing more comes
const COMING =
  '[data-testid="stApp"][data-test-script-state="running"], [data-testid="stMain"] :is(' +
  '[data-testid="stSkeleton"], [data-testid^="stBidiComponent"]:not([data-component]))';
async function begin() {
  const end = performance.now() + (matchMedia("(width < 700px)").matches ? LATEST : 0);
  for (let calm = 0; calm < CALM && performance.now() < end; calm += 1) {
    if (document.querySelector(COMING)) calm = 0;
    await new Promise(requestAnimationFrame);
  }
  set(document.documentElement, { data: { begun: "" } });
}
let begins = false;
new MutationObserver((_, eye) => {
  const begun = document.querySelector('[class*="st-key-"]');
  if (begun && !begins) begins = Boolean(begin());
  const sheets = [...document.body.querySelectorAll("style")];
  const styled = sheets.some(({ textContent }) => textContent.includes("--page:"));
  if (!begun || !styled) return; // either may come first
  eye.disconnect();
  setTimeout(() => document.getElementById("opening").remove(), AFTER);
}).observe(document.body, { childList: true, subtree: true });

// Until the server has something to say the browser has nothing to do.
addEventListener("DOMContentLoaded", () => {
  for (const each of ELEMENTS) import(location.origin + each).catch(() => {}); // loaded when needed
});

// Whoever comes near the link to another page will want its charts: plotly.js, the largest script,
// is loaded meanwhile.
function comesNear({ target }) {
  if (!target.closest?.('[data-testid="stHeader"] a[href]')) return;
  hearNear("removeEventListener");
  chartLibrary(location.origin + PLOTLY).catch(() => {}); // a chart asks for it again
}
const hearNear = (how) => {
  for (const event of ["pointerover", "focusin", "touchstart"])
    document[how](event, comesNear, { capture: true, passive: true });
};
hearNear("addEventListener");
