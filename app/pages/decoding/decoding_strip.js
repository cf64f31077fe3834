// A column a step. A click or the slider marks its column at once and then asks Python; while the
// slider is dragged, only the newest place is asked for.

const ROWS = ["number", "reads", "writes", "percent", "bar", "entropy", "spread"];
const PAUSE = 120; // milliseconds between two asks of a slider on the move
const PATIENCE = 1500; // milliseconds in which an older place that arrives does not count
const CARRIED = 900; // milliseconds a word is on its way
const MARKUP = `<div class="frame" role="group">
  <div class="names" aria-hidden="true"></div>
  <div class="scroll"><div class="inner">
    <ol class="steps"></ol>
    <input type="range" min="1" step="1" />
  </div></div>
</div>`;

function want(strip, to) {
  strip.wanted = { to, since: performance.now() };
}

function go(strip, to) {
  want(strip, to);
  strip.send("go", { to });
}

function drag(strip) {
  const to = Number(strip.range.value) - 1;
  mark(strip, to);
  want(strip, to);
  clearTimeout(strip.timer);
  strip.timer = strip.later(() => go(strip, to), PAUSE);
}

// The word that a step wrote is what the next one reads: it goes there, and back on the way back.
function carry(strip, from, to) {
  if (Math.abs(to - from) !== 1 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const first = Math.min(from, to);
  if (strip.flight?.first === first) {
    strip.flight.moving.reverse();
    return;
  }
  strip.flight?.moving.finish();
  const chips = [
    [first, "writes"],
    [first + 1, "reads"],
  ].map(([place, row]) => strip.steps.children[place]?.querySelector(`.${row} .chip`));
  if (!chips.every(Boolean)) return;
  const [here, there] = chips.map((chip) => chip.getBoundingClientRect());
  const around = strip.steps.getBoundingClientRect();
  const word = make("span.carried", chips[0].textContent);
  const at = (box) => ({
    transform: `translate(${box.left - around.left}px, ${box.top - around.top}px)`,
    width: `${box.width}px`,
    height: `${box.height}px`,
  });
  strip.steps.parentNode.append(word);
  chips[1].style.visibility = "hidden";
  const moving = word.animate([at(here), at(there)], {
    duration: CARRIED,
    easing: "ease-in-out",
    direction: to > from ? "normal" : "reverse",
  });
  strip.flight = { first, moving };
  moving.onfinish = () => {
    word.remove();
    chips[1].style.visibility = "";
    strip.flight = null;
  };
}

function mark(strip, now) {
  const { range, root, steps } = strip;
  if (strip.now !== undefined) carry(strip, strip.now, now);
  strip.now = now;
  const items = [...steps.children];
  for (const [place, item] of items.entries()) item.classList.toggle("later", place > now);
  setCurrent(
    items.map((item) => item.firstChild),
    now,
  );
  range.value = now + 1;
  const scroll = root.querySelector(".scroll");
  if (items[now]) reveal(scroll, items[now], { sideways: true, more: items[now].offsetWidth });
}

// Whether a newer place than this one was asked for here.
function awaits(strip, now) {
  const { data, wanted } = strip;
  if (!wanted || wanted.to >= data.columns.length) return false;
  if (wanted.to !== now && performance.now() - wanted.since < PATIENCE) {
    mark(strip, wanted.to);
    return true;
  }
  strip.wanted = null;
  return false;
}

const chip = (text, flag) => make("span.chip", { is: { flag } }, text);

function makeStep(strip, column, place) {
  const { end, undo } = strip.data.texts;
  const { entropy, forced, guarded, percent, reads, share, spread, start, title, writes } = column;
  const parts = {
    number: place + 1,
    reads: chip(reads, start),
    writes: chip(writes || end, !writes),
    percent,
    bar: meter(share, "height"),
    entropy,
    spread: meter(spread),
  };
  const onclick = () => {
    mark(strip, place);
    go(strip, place);
  };
  const button = make(
    "button.column.framed",
    { title, onclick },
    ROWS.map((name) => make(`span.${name}`, parts[name])),
  );
  const back = { ...named(undo), onclick: () => strip.send("undo", { to: place }) };
  return make(
    "li",
    { is: { forced, guarded } },
    button,
    forced ? make("button.undo", back, "×") : null,
  );
}

export default component(MARKUP, {
  moving: ["now"],
  start(strip) {
    Object.assign(strip, { steps: strip.find(".steps"), range: strip.find("input") });
    strip.range.oninput = () => drag(strip);
  },
  draw(strip, { bars, columns, texts }) {
    set(strip.root, {
      style: { "--count": columns.length },
      is: { bars },
      "aria-label": texts.label,
    });
    strip.flight?.moving.finish();
    strip
      .find(".names")
      .replaceChildren(...ROWS.map((name) => make(`.${name}`, texts[name] ?? "")));
    strip.steps.replaceChildren(...columns.map((column, place) => makeStep(strip, column, place)));
    set(strip.range, { max: columns.length, disabled: columns.length < 2, ...named(texts.slider) });
  },
  mark: (strip, { now }) => awaits(strip, now) || mark(strip, now),
  end: (strip) => clearTimeout(strip.timer),
});
