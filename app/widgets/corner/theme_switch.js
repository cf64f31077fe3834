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

async function waitFor(selector, milliseconds) {
  const end = performance.now() + milliseconds;
  for (;;) {
    const found = document.querySelector(selector);
    if (found || performance.now() > end) return found;
    await new Promise(requestAnimationFrame);
  }
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

async function switchTo(scheme) {
  const done = await press(scheme);
  remember(scheme);
  if (!done) location.reload();
}

// A link may ask for a theme: once for each time that it is asked for.
const asked = new WeakMap();
const reported = new WeakMap(); // the theme that Python was told of last

function follow(parentElement, wanted) {
  if (asked.get(parentElement) === wanted) return;
  asked.set(parentElement, wanted);
  if (wanted && wanted !== schemeNow()) press(wanted);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const button = parentElement.querySelector(".theme-switch");
  button.setAttribute("aria-label", data.label);
  button.title = data.label;
  button.onclick = () => {
    const scheme = schemeNow() === "dark" ? "light" : "dark";
    asked.set(parentElement, scheme);
    setTriggerValue("chosen", scheme);
    switchTo(scheme);
  };
  follow(parentElement, data.wanted);

  // Streamlit calls this function again whenever the theme or the data change. Where a theme is
  // wanted the figures are drawn for that one already.
  const report = () => {
    const scheme = schemeNow();
    if (data.wanted || scheme === data.seen || reported.get(parentElement) === scheme) return;
    reported.set(parentElement, scheme);
    setTriggerValue("scheme", scheme);
  };
  requestAnimationFrame(() => requestAnimationFrame(report));
}
