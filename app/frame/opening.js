// For the page that the app begins on (opening_page.py). It is seen once something of the app is
// there, and no longer the room for a sidebar that turns out to be closed. Its own sheet goes a
// while after the app's have come, whose rules may be for another page or size of type.
const AFTER = 2000; // milliseconds
new MutationObserver((_, eye) => {
  const begun = document.querySelector('[class*="st-key-"]');
  if (begun) set(document.documentElement, { data: { begun: "" } });
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
