// Where the reader is in the walk. The browser owns the place: a key or a click moves it at once,
// and what was sent ahead of the step is drawn. The server is told when the keys rest: one request
// at a time, by the id of the step, the last one counts. An answer to an older one moves nobody
// back.

const REST = 150; // milliseconds without a move, then the server is told
const LATER = 400; // the same, then it is asked for what lies ahead of a reader who stays
const PATIENCE = 20000; // milliseconds, then a request without an answer is made again
// steps at hand; who moves is not kept waiting for those up to NEXT
const [BEHIND, NEXT, AHEAD] = [1, 3, 5];
const VERSIONS = 2; // how many are kept: the one in view and the one before
const TRIES = 3;

class Walk {
  here = ""; // id of the step that the reader sees
  told = ""; // the one that the server knows of
  drawn = ""; // the one that it has drawn the rest of the page for
  waiting = null; // the number of the event that the server has not answered
  asking = null; // the same of a question for steps
  version = ""; // of all that a step's picture depends on besides the step
  order = []; // ids of the walk
  known = new Map(); // version → { shared, steps: Map(id → what is drawn of it) }
  followers = new Map(); // name → what draws while its root is on the page
  timers = {};
  count = 0;

  // What is drawn of a part of the step here, null where it was not sent yet.
  content(part) {
    const { shared, steps } = this.known.get(this.version) ?? {};
    const own = steps?.get(this.here)?.[part];
    return own ? { ...shared[part], ...own } : null;
  }

  // Calls `draw` now and whenever there is another step or something new of it. What has to be
  // measured it returns as a function: the page is laid out once, after all have drawn.
  follow(name, root, draw) {
    this.followers.set(name, () => (root.isConnected ? draw() : null));
    this.followers.get(name)()?.();
  }

  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      const measured = [...this.followers.values()].map((draw) => draw());
      for (const measure of measured.filter(Boolean)) measure();
    });
  }

  move(step) {
    if (!step || step === this.here) return;
    this.here = step;
    this.draw();
    this.settle();
  }

  // To the next one (1), the one before (-1), the first or the last (∓Infinity).
  turn(by) {
    const at = this.order.indexOf(this.here);
    this.move(this.order[Math.max(0, Math.min(this.order.length - 1, at + by))]);
  }

  // Every event carries the place; so whatever is clicked, the server knows the step it was at.
  send(trigger, event, value = {}) {
    this.told = this.here;
    this.waiting = this.say(trigger, event, value);
    this.after("patience", PATIENCE, () => {
      [this.waiting, this.told] = [null, ""];
      this.settle();
    });
  }

  say(trigger, event, value) {
    const nonce = `${performance.now()}-${(this.count += 1)}`;
    trigger(event, {
      ...value,
      nonce,
      step: this.here,
      version: this.version,
      lacks: this.lacks(),
    });
    return nonce;
  }

  after(name, time, act) {
    clearTimeout(this.timers[name]);
    this.timers[name] = setTimeout(act, time);
  }

  // Tells the server where the reader is, or asks it for what lies ahead, when it is time.
  settle() {
    const stays = this.here === this.told;
    this.after("rest", stays ? LATER : REST, () =>
      this.here === this.told ? this.ask() : this.tell(),
    );
    const at = Math.max(0, this.order.indexOf(this.here));
    const lacks = this.lacks();
    if (this.order.slice(at, at + (stays ? 0 : NEXT) + 1).some((id) => lacks.includes(id)))
      this.ask();
  }

  // By the browser's back button the address is another page's while this one still stands: what it
  // says would call the reader back, or be said to nobody.
  get isLeft() {
    return location.pathname !== this.path;
  }

  tell() {
    if (this.isLeft) return;
    if (this.waiting === null && this.here !== this.told && this.goes) this.send(this.goes, "go");
  }

  lacks() {
    const at = this.order.indexOf(this.here);
    const around = this.order.slice(Math.max(0, at - BEHIND), at + AHEAD + 1);
    const steps = this.known.get(this.version)?.steps;
    return around.filter((id) => !steps?.has(id));
  }

  ask() {
    if (this.isLeft) return;
    const lacks = this.lacks();
    if (this.asking !== null || this.waiting !== null || !lacks.length || !this.asks) return;
    const question = `${this.version} ${lacks}`;
    this.tries = question === this.question ? this.tries + 1 : 0;
    this.question = question;
    if (this.tries >= TRIES) return;
    this.asking = this.say(this.asks, "lack", {});
    this.after("asking", PATIENCE, () => (this.asking = null));
  }

  // What the server sent; where it is itself counts only if nothing is under way.
  adopt({ version, current, answers, shared, steps }) {
    const kept = this.known.get(version)?.steps ?? new Map();
    for (const [id, step] of Object.entries(steps)) kept.set(id, step);
    this.known.delete(version);
    this.known.set(version, { shared, steps: kept });
    if (this.known.size > VERSIONS) this.known.delete(this.known.keys().next().value);
    this.version = version;
    this.drawn = current;
    if (answers.includes(this.asking)) this.asking = null;
    if (answers.includes(this.waiting)) this.waiting = null;
    if (this.waiting === null) clearTimeout(this.timers.patience);
    if (this.waiting === null && this.here === this.told) this.here = this.told = current;
    this.draw();
    this.settle();
  }

  // The page is entered: the server says where.
  enter() {
    [this.here, this.told, this.waiting, this.asking] = ["", "", null, null];
    this.path = location.pathname;
  }
}

const walk = (window.glassformerWalk ??= new Walk());
