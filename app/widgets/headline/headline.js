// The translation as large as its box allows: the largest of a few sizes that needs no scrolling.

const SIZES = [2.75, 2.25, 1.9, 1.4, 1.15]; // rem; the last one may scroll
const COMPACT = [1.9, 1.4, 1.15, 0.95];
const headlines = new WeakMap();

function fit(headline) {
  const { box, text } = headline;
  for (const size of headline.sizes) {
    text.style.fontSize = `${size}rem`;
    if (text.scrollHeight <= box.clientHeight + 1) return;
  }
}

function start(root) {
  const find = (name) => root.querySelector(name);
  const headline = {
    frame: find(".headline"), below: find(".below"), box: find(".box"), text: find(".text"),
    first: find(".first"), further: find(".further"),
    cue: find(".cue"), badge: find(".badge"), why: find(".why"), hint: find(".hint"), sizes: SIZES,
  };
  headline.resized = new ResizeObserver(() => fit(headline));
  headline.resized.observe(headline.box);
  headlines.set(root, headline);
  return headline;
}

export default function (component) {
  const { data, parentElement } = component;
  if (!data) return undefined;
  const headline = headlines.get(parentElement) ?? start(parentElement);
  for (const [role, colour] of Object.entries(data.colours)) {
    headline.frame.style.setProperty(`--${role}`, colour);
  }
  headline.frame.classList.toggle("compact", data.compact);
  const doubted = data.level === "unsure";
  headline.frame.classList.toggle("doubted", doubted);
  if (doubted) headline.frame.prepend(headline.below); // read before the translation, by ear, too
  else headline.frame.append(headline.below);
  const sizes = data.compact ? COMPACT : SIZES;
  headline.sizes = doubted ? sizes.slice(1) : sizes; // nonsense does not look like success
  headline.first.textContent = data.text;
  headline.further.textContent = data.further;
  headline.text.lang = data.language;
  headline.badge.textContent = data.badge;
  headline.why.textContent = data.cue;
  headline.cue.title = `${data.cue}\n${data.cue_help}`;
  headline.cue.className = `cue ${data.level}`;
  headline.hint.textContent = data.hint;
  headline.hint.title = data.hint;
  fit(headline);
  return () => {
    headline.resized.disconnect();
    headlines.delete(parentElement);
  };
}
