// Switches between the light and the dark theme, and tells Python which one is on.
//
// Streamlit has no call for it. Its own menu has: the switch presses that menu's entry, which
// changes the theme at once. Without the menu it writes the choice where Streamlit looks for it at
// the start, and loads the page again: the URL brings the same screen back.

const MENU = '[data-testid="stMainMenu"] button, button[data-testid="stMainMenu"]';
const NAMES = { light: "Light", dark: "Dark" };
const entry = (scheme) => `[data-testid="stMainMenuItem-theme-${NAMES[scheme]}"]`;

function schemeNow() {
  const style = getComputedStyle(document.querySelector('[data-testid="stApp"]'));
  const [red, green, blue] = style.backgroundColor.match(/[\d.]+/g).map(Number);
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
}

// Streamlit keeps the choice by path; one choice is meant for all pages.
function remember(scheme) {
  const links = document.querySelectorAll('a[data-testid="stTopNavLink"]');
  const paths = [location.pathname, "/", ...[...links].map((link) => new URL(link.href).pathname)];
  for (const path of paths) {
    localStorage.setItem(`stActiveTheme-${path}-v2`, JSON.stringify(NAMES[scheme]));
  }
}

// Whether the menu did it.
async function press(scheme) {
  const menu = document.querySelector(MENU);
  menu?.click();
  const choice = menu && (await waitFor(entry(scheme), 500));
  choice?.click();
  if (choice && document.querySelector(entry(scheme))) menu.click(); // closes it again
  return Boolean(choice);
}

async function choose(view) {
  const scheme = schemeNow() === "dark" ? "light" : "dark";
  view.asked = scheme;
  view.trigger("chosen", scheme);
  const done = await press(scheme);
  remember(scheme);
  if (!done) location.reload();
}

// A link may ask for a theme: once for each time that it is asked for.
function follow(view, wanted) {
  if (view.asked === wanted) return;
  view.asked = wanted;
  if (wanted && wanted !== schemeNow()) press(wanted);
}

// Where a theme is wanted the figures are drawn for that one already.
function report(view, { wanted, seen }) {
  const scheme = schemeNow();
  if (wanted || scheme === seen || view.reported === scheme) return;
  view.reported = scheme;
  view.trigger("scheme", scheme);
}

export default component("button.theme-switch", {
  start: (view) => set(view.root, { onclick: () => choose(view) }).append("◐"),
  // Streamlit calls this again whenever the theme or the data change.
  mark(view, data) {
    set(view.root, named(data.label));
    follow(view, data.wanted);
    requestAnimationFrame(() => requestAnimationFrame(() => report(view, data)));
  },
});
