// Draws what a click leads to as soon as it is made, where the server has sent it ahead
// (answers.py): the server is told as ever, and what it says in the end counts.

const NEAR = 120; // milliseconds that a pointer stays before the server is asked
const REST = 150; // the same that the server is at rest before what it sent last counts
const REFUSED = 1000; // the same where it is at rest at another place than the click leads to
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

class KnownAnswers {
  version = "";
  here = {}; // the place in view, as the browser has it
  there = {}; // the same as the server had it last
  moves = [];
  parts = new Map(); // place as text → which part of a large map it shows
  heads = new Map(); // place without a cell → the queries and keys of its head, as text
  cells = null; // the chart whose clicked cell another chart spells out
  preview = null; // a chart whose cells a grid of heads has in small
  places = new Map(); // place as text → [key of a component, what it showed, what is other there]
  keys = []; // of the components that places are known of
  pending = 0; // clicks that have been answered here since the server was at rest
  asked = ""; // the place and version of the last question
  whole = false; // whether its answer had all

  nameOf = (place) => JSON.stringify(this.fields.map((field) => place[field] ?? null));

  adopt({ version, fields, here, moves, preview, cells, answered }) {
    if (version !== this.version)
      Object.assign(this, { places: new Map(), parts: new Map(), heads: new Map(), keys: [] });
    Object.assign(this, { version, fields, moves, preview, cells });
    this.there = Object.fromEntries(fields.map((field, at) => [field, here[at]]));
    if (!this.pending) this.here = this.there;
    if (!answered) return;
    const { answers, bases, heads, parts, whole } = answered;
    this.whole = whole;
    this.parts = new Map(parts.map(([place, part]) => [JSON.stringify(place), part]));
    this.heads = new Map(heads.map(([place, ...both]) => [JSON.stringify(place), both]));
    const shown = {};
    for (const [key, sum] of Object.entries(bases)) {
      const view = views.get(key);
      if (!view || checksum(view.served) !== sum) continue; // it shows another run by now
      view.version = version;
      shown[key] = view.served;
    }
    this.keys = Object.keys(shown);
    for (const [place, changes] of [[here, {}], ...answers]) this.keep(place, shown, changes);
  }

  // As texts: who draws may change what it is given.
  keep(place, shown, changes) {
    const known = Object.entries(shown).map(([key, text]) => [
      key,
      text,
      JSON.stringify(changes[key] ?? []),
    ]);
    const name = JSON.stringify(place);
    this.places.delete(name);
    this.places.set(name, known);
    if (this.places.size > KEPT) this.places.delete(this.places.keys().next().value);
  }

  // Where an event leads to from here; null where it leads nowhere that is known of.
  leads(key, event, value) {
    const moves = this.moves.filter((each) => each.key === key && each.event === event);
    if (!moves.length) return null;
    const to = moves.map(({ field, name, values }) => {
      const said = name ? value[name] : value;
      return [field, Object.keys(values).length ? values[said] : (said ?? null)];
    });
    return { ...this.here, ...Object.fromEntries(to) };
  }

  answer(key, event, value) {
    if (this.cells && key === this.cells.map && event === "click") this.spellOut(value);
    const place = this.leads(key, event, value);
    if (!place) return;
    this.here = place;
    const drawn = (this.places.get(this.nameOf(place)) ?? []).filter(([name, ...texts]) => {
      const view = views.get(name);
      const [data, changes] = texts.map((text) => JSON.parse(text));
      if (view?.version !== this.version || !view.root?.isConnected) return false;
      view.foresee(changed(data, changes));
      return true;
    });
    const { chart, grid, part = null } = this.preview ?? {};
    const shown = part ?? this.parts.get(this.nameOf(place));
    if (shown && key === grid && !drawn.some(([name]) => name === chart))
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
  near() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), NEAR);
  }

  ask() {
    if (this.pending || !this.view || this.view.isLeft) return;
    const place = this.nameOf(this.here);
    const question = `${this.version} ${place}`;
    if (question === this.asked || (this.whole && this.places.has(place))) return;
    if (document.querySelector(BUSY)) this.near();
    else {
      this.asked = question;
      this.view.send("ask", { version: this.version });
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
      if (pointerType !== "touch" && moveAt(target)) known.near();
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
    // Streamlit tells the server of a slider only once it rests.
    const slide = (changes) => {
      const { target } = changes.at(-1);
      if (target !== document.activeElement) return;
      const found = moveAt(target);
      if (found?.moves.some(({ event }) => event === "slide"))
        known.answer(found.key, "slide", Number(target.value));
    };
    const eye = new MutationObserver(slide);
    eye.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
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
