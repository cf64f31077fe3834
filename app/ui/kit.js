// What all components share; it stands before the code of each, and before it STYLES, the rules of
// the component. Every text is set as text: words of users stay words.

const SVG = "http://www.w3.org/2000/svg";
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLES);
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// What a node has: properties, handlers, attributes. `style` and `data` are objects, `is` says
// which classes are on; null takes an attribute away.
function set(node, given) {
  for (const [name, value] of Object.entries(given)) {
    if (name === "data") Object.assign(node.dataset, value);
    else if (name === "is")
      for (const [each, on] of Object.entries(value)) node.classList.toggle(each, Boolean(on));
    else if (name === "style") {
      for (const [each, one] of Object.entries(value)) {
        if (each.startsWith("--")) node.style.setProperty(each, one);
        else node.style[each] = one;
      }
    } else if (value === null) node.removeAttribute(name);
    else if (typeof value === "function" || (name in node && node.namespaceURI !== SVG))
      node[name] = value;
    else node.setAttribute(name, value);
  }
  return node;
}

function born(node, names, inside) {
  if (names.length) node.setAttribute("class", names.join(" "));
  if (inside[0]?.constructor === Object) set(node, inside.shift());
  node.append(...inside.flat().filter((each) => each !== null && each !== undefined));
  return node;
}

// make("button.word.end", { title, onclick }, "text", …nodes); "." alone is a div.
function make(kind, ...inside) {
  const [tag, ...names] = kind.split(/[. ]+/);
  const node = document.createElement(tag || "div");
  if (tag === "button") node.type = "button";
  return born(node, names, inside);
}

// The same for what is drawn: shape("path.edge", { d }).
function shape(kind, ...inside) {
  const [tag, ...names] = kind.split(/[. ]+/);
  return born(document.createElementNS(SVG, tag), names, inside);
}

const roleOf = (role) => `var(--${role.replace("_", "-")})`; // the colour of a role
const meter = (share, side = "width") =>
  make("span.meter", make("i", { style: { [side]: `${100 * share}%` } }));
const named = (text) => ({ title: text, "aria-label": text });
// A name for what shows words of its own: it begins with them, as whoever speaks to the page says
// them.
const spoken = (nodes, name) =>
  [
    nodes
      .map((each) => each.textContent)
      .filter(Boolean)
      .join(" "),
    name,
  ]
    .filter(Boolean)
    .join(". ");
// texts of a drawing, for who hears them
const apart = (nodes) => nodes.flatMap((each) => [each, " "]);
const variables = (values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`--${name}`, value]));
const phrase = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

// Whether a key presses what has the focus, as it would a button; then it does nothing else.
function presses(event) {
  const is = event.key === "Enter" || event.key === " ";
  if (is) event.preventDefault();
  return is;
}

// The keyboard in a picture: an arrow moves by [rows, columns], Enter and the blank pick.
function byKeys(node, move, pick) {
  set(node, { tabIndex: 0 });
  node.addEventListener("keydown", (event) => {
    if (event.target !== node || event.ctrlKey || event.altKey || event.metaKey) return;
    const way = ARROWS[event.key];
    if (way) event.preventDefault();
    else if (!presses(event)) return;
    event.stopPropagation(); // keys of the page do not act as well
    if (way) move(way);
    else pick();
  });
}

// What is scrolled and holds nothing that has the focus can have it itself: looked for on Tab.
const SCROLLED = 'pre, .katex-display, [data-box~="scroll"], [data-box~="note"]';
const HELD = "a[href], button:not(:disabled), input, textarea, [tabindex]";
function reachScrolled({ key }) {
  for (const node of key === "Tab" ? document.querySelectorAll(SCROLLED) : []) {
    const longer = node.scrollHeight > node.clientHeight || node.scrollWidth > node.clientWidth;
    if (longer && !node.querySelector(HELD)) node.tabIndex = 0;
  }
}
window.hearsTab ??= !document.addEventListener("keydown", reachScrolled, { capture: true });

// The words of a box (layout.py), which Streamlit writes into its class, as data-box="fill scroll":
// a rule with :has that asks for a part of a class has the browser look at the whole page anew for
// each node that is drawn. A component asks before it measures its place.
window.wordBoxes ??= (() => {
  const worded = (node) => {
    const words = /(?:^| )st-key-\S*?--(\S+)/.exec(node.className)?.[1].replaceAll("--", " ");
    if (words !== node.dataset.box) set(node, { "data-box": words ?? null });
  };
  const wordedIn = (node) => [node, ...node.querySelectorAll('[class*="--"]')].forEach(worded);
  const read = (changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "childList")
        [...addedNodes].filter((each) => each instanceof HTMLElement).forEach(wordedIn);
      else if (target instanceof HTMLElement) worded(target);
    }
  };
  const eye = new MutationObserver(read);
  eye.observe(document.body, { subtree: true, childList: true, attributeFilter: ["class"] });
  wordedIn(document.body);
  return () => read(eye.takeRecords());
})();

// Links to other pages. Every message to the server names the page on screen, and the last one
// counts: what has been said goes out before the link is followed, and from then on until that page
// begins nothing is said, or the reader would be called back.
const BEGINS = 20000; // milliseconds, then the link has failed
const saying = (window.saying ??= { unsent: 0, left: null });
const leaves = () =>
  saying.left?.from === location.pathname && performance.now() - saying.left.at < BEGINS;
function passOn(trigger, ...event) {
  if (leaves()) return;
  saying.unsent += 1;
  trigger(...event);
  setTimeout(() => (saying.unsent -= 1)); // Streamlit sends in the moment before
}
function followLink(event) {
  const link = event.target.closest?.("a[href]");
  const here = link?.origin === location.origin && !link.target && !link.download;
  if (!here || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (saying.unsent) {
    event.preventDefault();
    event.stopPropagation();
    setTimeout(() => link.click());
  } else
    saying.left =
      link.pathname === location.pathname
        ? null
        : { from: location.pathname, at: performance.now() };
}
window.hearsLinks ??= !document.addEventListener("click", followLink, { capture: true });

// Whether the reader has yet to click a first word, on this device; in front of a hall nobody has.
const FIRST_WORD = "glassformer-word"; // in localStorage
const isNew = () => window.top === window && !localStorage.getItem(FIRST_WORD);

// Which of some nodes is the current one.
function setCurrent(nodes, now) {
  for (const [at, node] of [...nodes].entries())
    set(node, { "aria-current": at === now ? "step" : null });
}

// Sets a text in the largest of some sizes of type, in rem, in which it fits its box.
function fitType(text, box, sizes) {
  for (const size of sizes) {
    text.style.fontSize = `${size}rem`;
    if (text.scrollHeight <= box.clientHeight + 1) return;
  }
}

// Scrolls a box as little as brings a node into sight, and then by `more`. before, after: pixels at
// its edges that something covers. Unlike scrollIntoView it moves nothing around the box.
function reveal(box, node, { sideways = false, before = 0, after = 0, more = 0 } = {}) {
  const [low, high, scroll] = sideways
    ? ["left", "right", "scrollLeft"]
    : ["top", "bottom", "scrollTop"];
  const [inner, outer] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
  const [under, over] = [inner[low] - outer[low] - before, inner[high] - outer[high] + after];
  if (under < 0) box[scroll] += under - more;
  else if (over > 0) box[scroll] += over + more;
}

async function waitFor(selector, milliseconds) {
  const end = performance.now() + milliseconds;
  for (;;) {
    const node = document.querySelector(selector);
    if (node || performance.now() > end) return node;
    await new Promise((next) => setTimeout(next, 20));
  }
}

const CALLS = 3; // that a place remembers
const views = (window.shownViews ??= new Map()); // by the keys of their places
// In front of a hall (app/hall/pool.js) components have the class "staged": little, and large.
const isStaged = () => document.documentElement.hasAttribute("data-presenting");
const tellStaged = () =>
  views.forEach(({ root }) => root && set(root, { is: { staged: isStaged() } }));
window.hearsStage ??= !new MutationObserver(tellStaged).observe(document.documentElement, {
  attributeFilter: ["data-presenting"],
});
const textOf = (data) =>
  ArrayBuffer.isView(data) ? new TextDecoder().decode(data) : JSON.stringify(data ?? null);

// One place of the page that shows a component.
class View {
  clicks = 0;
  memory = {}; // what `differs` was asked about the last time, as text
  ending = new AbortController();
  calls = []; // the last ones
  path = location.pathname; // of its page
  before = []; // what a click here or elsewhere was answered after, as texts (answers.js)

  constructor(place, markup) {
    set(place.host ?? place, { data: { component: "here" } });
    this.key = /(?:^| )st-key-(\S+)/.exec(
      (place.host ?? place).closest('[class*="st-key-"]')?.className,
    )?.[1];
    if (this.key) views.set(this.key, this);
    const home = place.host ? place : document; // styles of its own, or the page's
    if (STYLES && !home.adoptedStyleSheets.includes(sheet)) home.adoptedStyleSheets.push(sheet);
    if (!markup) return;
    this.root = markup.startsWith("<")
      ? document.createRange().createContextualFragment(markup).firstElementChild
      : make(markup);
    place.append(this.root);
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  // Sets texts by their selectors.
  write(texts) {
    for (const [selector, text] of Object.entries(texts)) this.find(selector).textContent = text;
  }

  // Whether what goes by a name is other than the last time.
  differs(name, ...values) {
    const text = JSON.stringify(values);
    const before = this.memory[name];
    this.memory[name] = text;
    return text !== before;
  }

  // Draws anew: what has the focus and is known by the attribute data-<name> has it again.
  keepFocus(name, draw) {
    const active = this.root.getRootNode().activeElement;
    const focused = active && this.root.contains(active) ? active.dataset[name] : undefined;
    draw();
    if (focused !== undefined)
      this.find(`[data-${name}="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  // Python tells two equal events apart by their nonce. What is known of the place that the event
  // leads to is drawn before the server is asked.
  send(event, value) {
    window.knownAnswers?.answer(this.key, event, value);
    this.clicks += 1;
    this.trigger(event, { ...value, nonce: `${performance.now()}-${this.clicks}` });
  }

  // By the browser's back button the address is another page's while this one still stands. A
  // notebook changes its address as it likes.
  get isLeft() {
    return location.pathname !== this.path && Boolean(document.querySelector(".stApp"));
  }

  // What is said after a while: not of a page that is left, or it would call the reader back.
  later(act, wait) {
    return setTimeout(() => this.isLeft || act(), wait);
  }

  watch(node, act) {
    const eye = new ResizeObserver(act);
    eye.observe(node);
    this.ending.signal.addEventListener("abort", () => eye.disconnect());
  }

  hear(target, events, act, options) {
    for (const event of events.split(" "))
      target.addEventListener(event, act, { signal: this.ending.signal, ...options });
  }

  // Python sends data as the bytes of a JSON text; the same text gives the same object again.
  // False: it is older than what an answer has put in its place.
  read(data) {
    const text = textOf(data);
    this.served = text;
    const given = text === this.text ? this.data : JSON.parse(text);
    const plain = this.before.length ? JSON.stringify(given) : null;
    if (this.before.includes(plain)) return false;
    this.foreseen = plain !== null && plain === this.text;
    this.before = [];
    if (text !== this.text && !this.foreseen) [this.data, this.version] = [given, null];
    this.text = text;
    return true;
  }

  // Draws what the server is going to send. Texts are compared, as a chart changes its data.
  foresee(data) {
    const text = JSON.stringify(data);
    const now = this.before.length ? this.text : JSON.stringify(JSON.parse(this.served));
    this.before = [...this.before, now].filter((each) => each !== text);
    [this.data, this.text] = [data, text];
    this.redraw();
  }

  // Whether there is something new besides what only moves a mark.
  changed(moving) {
    return this.differs(
      "picture",
      moving.length
        ? { ...this.data, ...Object.fromEntries(moving.map((name) => [name, 0])) }
        : this.text,
    );
  }
}

// What Streamlit calls, from the root's markup and what a component does: `start` when it comes to
// a place, `draw` when its data changed in more than what `moving` names, `mark` each time, `end`
// when it goes. Colours in its data are variables of its styles.
function component(markup, { start, draw, mark, end, moving = [] }) {
  const placed = new WeakMap();
  function redraw(view) {
    if (view.root)
      set(view.root, { style: variables(view.data.colours ?? {}), is: { staged: isStaged() } });
    if (draw && view.changed(moving) && !view.foreseen) draw(view, view.data);
    view.foreseen = false;
    mark?.(view, view.data);
  }
  function show(view, { data, setTriggerValue }, fresh = false) {
    view.trigger = (...event) => passOn(setTriggerValue, ...event);
    if (!view.read(data)) return;
    if (fresh) start?.(view, view.data);
    redraw(view);
  }
  return (call) => {
    const { data, parentElement: place } = call;
    if (draw && !data) return undefined;
    window.wordBoxes();
    const fresh = !placed.has(place);
    const view = fresh ? new View(place, markup) : placed.get(place);
    placed.set(place, view);
    view.redraw = () => redraw(view);
    view.settle = () => {
      view.before = [];
      show(view, view.calls.at(-1));
    };
    view.calls = [...view.calls, call].slice(-CALLS);
    show(view, call, fresh);
    return () => {
      if (place.isConnected) {
        // Streamlit makes a call that it gave up all the same and then ends it: what was shown by
        // the one before is shown again.
        const last = view.calls.at(-1);
        view.calls = view.calls.filter((each) => each !== call);
        if (last === call && view.calls.length) show(view, view.calls.at(-1));
      } else if (placed.delete(place)) {
        if (views.get(view.key) === view) views.delete(view.key);
        view.ending.abort();
        end?.(view);
        view.root?.remove();
      }
    };
  };
}
