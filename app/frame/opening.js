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
  if (begun && !begins) {
    set(document.documentElement, { data: { drawn: "" } }); // in the app's own theme
    begins = Boolean(begin());
  }
  const sheets = [...document.body.querySelectorAll("style")];
  const styled = sheets.some(({ textContent }) => textContent.includes("--page:"));
  if (!begun || !styled) return; // either may come first
  eye.disconnect();
  setTimeout(() => document.getElementById("opening").remove(), AFTER);
}).observe(document.body, { childList: true, subtree: true });

// The words of a run that is there already stand where the headline will, until it does.
const SIZES = [2.75, 2.25, 1.9, 1.4, 1.15]; // rem, as headline.js has them
const IN_LARGE_TYPE = SIZES.slice(2).concat(0.95);
const GIVEN_UP = 20_000; // milliseconds
const HEADLINE = ".st-key-headline";
const COME = `:root[data-begun] ${HEADLINE} [data-component]`;
const DONE = ':root[data-begun] [data-testid="stApp"][data-test-script-state="notRunning"]';
const asked = new URLSearchParams(location.search);

// The theme that Streamlit will take: it keeps the reader's choice.
function scheme() {
  let kept = "";
  try {
    kept = localStorage.getItem(`stActiveTheme-${location.pathname}-v2`) ?? "";
  } catch {} // a browser that keeps nothing
  const chosen = /Light|Dark/.exec(kept)?.[0].toLowerCase();
  return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

async function showFirstWords() {
  const answer = await fetch(`${FIRST_WORDS}${location.search}`);
  const told = answer.ok && (await answer.json());
  if (!told || document.querySelector(COME)) return;
  const words = make("div", { lang: told.language, dir: "auto" }, told.text);
  const place = make("div", { id: "first-words" }, words);
  document.body.append(place);
  set(document.documentElement, { data: { words: "" } });
  fitType(words, place, asked.get("size") > 100 ? IN_LARGE_TYPE : SIZES);
  const [guess, end] = [place.getBoundingClientRect().top, performance.now() + GIVEN_UP];
  for (;;) {
    await new Promise(requestAnimationFrame);
    const headline = document.querySelector(HEADLINE);
    const over = headline ? document.querySelector(COME) : document.querySelector(DONE);
    if (over || performance.now() > end) {
      delete document.documentElement.dataset.words;
      return place.remove();
    }
    // Not by `top`: the browser would count it as a shift of the page.
    const { top } = headline?.getBoundingClientRect() ?? { top: guess };
    const color = getComputedStyle(document.querySelector('[data-testid="stApp"]') ?? place).color;
    set(place, { style: { translate: `0 ${top - guess}px`, color } });
  }
}
set(document.documentElement, { data: { scheme: scheme() } });
if (location.pathname === HOME) showFirstWords().catch(() => {}); // the app comes anyway

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
