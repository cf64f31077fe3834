// Draws what a click leads to as soon as it is made, where the server has sent it ahead
// (answers.py): the server is told as ever, and what it says in the end counts.

const NEAR = 120; // milliseconds that a pointer stays before the server is asked
const REST = 150; // the same that the server is at rest before what it sent last counts
const REFUSED = 2000; // the same where it is at rest at another place than the click leads to
const PATIENCE = 8000; // the same, then it has not heard of the click
const KEPT = 300; // places
const BUSY = '[data-testid="stApp"][data-test-script-state="running"]';

// As Python's zlib.crc32 has it.
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let left = byte;
  for (let bit = 0; bit < 8; bit += 1) left = left & 1 ? (left >>> 1) ^ 0xedb88320 : left >>> 1;
  return left;
});
function checksum(text) {
  let left = -1;
  for (const byte of new TextEncoder().encode(text))
    left = (left >>> 8) ^ TABLE[(left ^ byte) & 255];
  return (left ^ -1) >>> 0;
}

// A copy with what differs elsewhere; what does not differ is shared.
function changed(data, changes) {
  let whole = data;
  for (const [path, ...value] of changes) {
    if (!path.length) [whole] = value;
    else whole = changedAt(whole, path, value);
  }
  return whole;
}
function changedAt(data, [name, ...path], value) {
  const copy = Array.isArray(data) ? [...data] : { ...data };
  if (path.length) copy[name] = changedAt(copy[name], path, value);
  else if (value.length) [copy[name]] = value;
  else delete copy[name];
  return copy;
}

// A line of text says something else meanwhile: style.css shows that in its place, so that the line
// is the server's again as soon as it is drawn anew.
const LINE = '[data-testid="stMarkdownContainer"] p';
const showWords = (box, words) => {
  const line = document.querySelector(`[class*="st-key-${box}--"] ${LINE}`);
  if (line) set(line, { "data-early": words });
};
const takeBackWords = () => {
  for (const line of document.querySelectorAll("[data-early]")) set(line, { "data-early": null });
};

class KnownAnswers {
  version = "";
  here = {}; // the place in view, as the browser has it
  there = {}; // the same as the server had it last
  moves = [];
  parts = new Map(); // place as text → which part of a large map it shows
  heads = new Map(); // place without a cell → the queries and keys of its head, as text
  cells = null; // the chart whose clicked cell another chart spells out
  preview = null; // a chart whose cells a grid of heads has in small
  // place as text → of each component its key, what it showed, what is other there; and words of
  // lines by their boxes
  places = new Map();
  keys = []; // of the components that places are known of
  costly = []; // keys of what leads to places that are asked for by themselves
  pending = 0; // clicks that have been answered here since the server was at rest
  asked = {}; // the place and version of the last question, of all and of what is costly
  at = ""; // the key of where somebody is near
  whole = false; // whether its answer had all

  nameOf = (place) => JSON.stringify(this.fields.map((field) => place[field] ?? null));

  adopt({ version, fields, here, moves, preview, cells, costly, answered }) {
    if (version !== this.version)
      Object.assign(this, { places: new Map(), parts: new Map(), heads: new Map(), keys: [] });
    Object.assign(this, { version, fields, moves, preview, cells, costly });
    this.there = Object.fromEntries(fields.map((field, at) => [field, here[at]]));
    if (!this.pending) this.here = this.there;
    if (!answered) return;
    const { answers, bases, heads, parts, whole } = answered;
    if (parts) {
      this.whole = whole;
      this.parts = new Map(parts.map(([place, part]) => [JSON.stringify(place), part]));
      this.heads = new Map(heads.map(([place, ...both]) => [JSON.stringify(place), both]));
    }
    const shown = {};
    for (const [key, sum] of Object.entries(bases)) {
      const view = views.get(key);
      if (!view || checksum(view.served) !== sum) continue; // it shows another run by now
      view.version = version;
      shown[key] = view.served;
    }
    this.keys = Object.keys(shown);
    for (const each of [[here, {}, {}], ...answers]) this.keep(shown, ...each);
  }

  // As texts: who draws may change what it is given.
  keep(shown, place, changes, words) {
    const parts = Object.entries(shown).map(([key, text]) => [
      key,
      text,
      JSON.stringify(changes[key] ?? []),
    ]);
    const name = JSON.stringify(place);
    this.places.delete(name);
    this.places.set(name, { parts, words });
    if (this.places.size > KEPT) this.places.delete(this.places.keys().next().value);
  }

  // Where an event leads to from here; null where that is nowhere else, as far as it is known.
  leads(key, event, value) {
    const moves = this.moves.filter((each) => each.key === key && each.event === event);
    if (!moves.length) return null;
    const to = moves.map(({ field, name, values }) => {
      const said = name ? value[name] : value;
      return [field, Object.keys(values).length ? values[said] : (said ?? null)];
    });
    if (to.some(([, each]) => each === undefined)) return null;
    const place = { ...this.here, ...Object.fromEntries(to) };
    return this.nameOf(place) === this.nameOf(this.here) ? null : place;
  }

  // Whether the browser is not ahead of the server but in what one component moves.
  isServed(key) {
    const own = this.moves.filter((each) => each.key === key).map(({ field }) => field);
    const place = Object.fromEntries(own.map((field) => [field, this.there[field]]));
    return this.nameOf({ ...this.here, ...place }) === this.nameOf(this.there);
  }

  answer(key, event, value) {
    if (this.cells && key === this.cells.map && event === "click") this.spellOut(value);
    const place = this.leads(key, event, value);
    if (!place) return;
    const isServed = this.isServed(key);
    this.here = place;
    const { parts, words } = this.places.get(this.nameOf(place)) ?? { parts: [], words: {} };
    const drawn = parts.filter(([name, ...texts]) => {
      const view = views.get(name);
      const [data, changes] = texts.map((text) => JSON.parse(text));
      if (view?.version !== this.version || !view.root?.isConnected) return false;
      view.foresee(changed(data, changes));
      return true;
    });
    takeBackWords();
    if (drawn.length) for (const each of Object.entries(words)) showWords(...each);
    const { chart, grid, part = null } = this.preview ?? {};
    const shown = part ?? this.parts.get(this.nameOf(place));
    if (shown && isServed && key === grid && !drawn.some(([name]) => name === chart))
      views.get(chart)?.preview(views.get(grid).pictureOf(value, this.preview), shown);
    this.settle();
  }

  // q · k of a clicked cell.
  spellOut({ x, y, curve }) {
    const { curves, look, chart } = this.cells;
    const known = this.heads.get(this.nameOf({ ...this.here, query: null, key: null }));
    const view = views.get(chart);
    if (!known || view?.version !== this.version || !curves.includes(curve)) return;
    const [q, k] = known.map((text) => numbersOf(text, Float32Array));
    const width = q.length / this.cells.rows;
    const [one, other] = [
      [q, y],
      [k, x],
    ].map(([all, at]) => all.subarray(at * width, (at + 1) * width));
    const shown = JSON.parse(view.served);
    view.foresee({ ...shown, figure: termsFigure(shown.figure, one, other, look) });
    this.settle();
  }

  // What the server sent last counts once it has answered, or will not any more.
  async settle() {
    this.pending += 1;
    const mine = (this.last = {});
    const late = performance.now() + PATIENCE;
    let [busy, since] = [false, performance.now()];
    while (performance.now() < late) {
      await new Promise((next) => setTimeout(next, 50));
      if (this.last !== mine) return;
      const waits = [...views.values()].some(({ before, over }) => before.length || over);
      if (document.querySelector(BUSY)) [busy, since] = [true, performance.now()];
      // A run that ends may have begun before the click: the next one knows of it.
      const heard = this.nameOf(this.here) === this.nameOf(this.there);
      const rest = performance.now() - since;
      if ((busy && rest > (heard ? REST : REFUSED)) || (!waits && rest > REST)) break;
    }
    this.pending = 0;
    takeBackWords();
    for (const view of views.values()) {
      view.preview?.(null);
      if (view.before.length) view.settle();
    }
    if (!document.querySelector(BUSY)) {
      // The page is the server's again, and of the run and the place that it named last.
      this.here = this.there;
      for (const key of this.keys) if (views.has(key)) views.get(key).version = this.version;
    }
    this.near();
  }

  // Somebody's pointer or keyboard is where an event may come from.
  near(key = this.at) {
    clearTimeout(this.timer);
    this.at = key;
    this.timer = setTimeout(() => this.ask(), NEAR);
  }

  ask() {
    if (this.pending || !this.view || this.view.isLeft) return;
    const place = this.nameOf(this.here);
    const question = `${this.version} ${place}`;
    const of = this.costly.includes(this.at) ? this.at : "";
    if (question === this.asked[of] || (!of && this.whole && this.places.has(place))) return;
    if (document.querySelector(BUSY)) this.near();
    else {
      this.asked[of] = question;
      this.view.send("ask", { version: this.version, of });
    }
  }
}

const known = (window.knownAnswers ??= new KnownAnswers());

const moveAt = (target) => {
  for (let node = target; node; node = node.parentElement) {
    const key = /(?:^| )st-key-(\S+)/.exec(node.className)?.[1];
    const moves = key ? known.moves.filter((each) => each.key === key) : [];
    if (moves.length || (key && key === known.cells?.map)) return { key, moves, place: node };
  }
  return null;
};

export default component("", {
  start(view) {
    // A finger is not near before it clicks.
    const near = ({ pointerType, target }) => {
      const found = pointerType === "touch" ? null : moveAt(target);
      if (found) known.near(found.key);
    };
    view.hear(document, "pointerover focusin", near, { capture: true, passive: true });
    const click = ({ target }) => {
      const found = moveAt(target);
      const option = target.closest?.("button");
      if (!option || !found?.moves.some(({ event }) => event === "click")) return;
      const at = [...found.place.querySelectorAll("button")].indexOf(option);
      if (option.getAttribute("aria-checked") !== "true") known.answer(found.key, "click", at);
    };
    view.hear(document, "click", click, { capture: true });
    const hear = (event, target, value) => {
      const found = moveAt(target);
      if (found?.moves.some((each) => each.event === event)) known.answer(found.key, event, value);
    };
    const watch = (changes) => {
      const last = (name, selector) =>
        changes.findLast((each) => each.attributeName === name && each.target.matches(selector))
          ?.target;
      // Streamlit tells the server of a slider only once it rests.
      const slider = last("aria-valuetext", ":focus");
      if (slider) hear("slide", slider, Number(slider.value));
      // Whoever has picked something in a list has closed it.
      const list = last("aria-expanded", 'input[aria-expanded="false"]');
      if (list) hear("pick", list, list.value);
    };
    const eye = new MutationObserver(watch);
    const attributeFilter = ["aria-valuetext", "aria-expanded"];
    eye.observe(document.body, { subtree: true, attributeFilter });
    view.ending.signal.addEventListener("abort", () => eye.disconnect());
  },
  mark(view, data) {
    known.view = view;
    known.adopt(data);
  },
  end(view) {
    if (known.view === view) Object.assign(known, { view: null, version: "", moves: [] });
  },
});
