// The tour: a card that goes from page to page and a ring around what it speaks of. It covers
// neither that nor holds anything up, and changes nothing but the page.

const MET = "glassformer-tour"; // in localStorage: taken or refused; in sessionStorage: the stop
const [GAP, NARROW, EVERY] = [12, 700, 200]; // pixels, pixels, milliseconds
const OPEN = '[role="menu"], [role="listbox"], [role="dialog"]';

// The first of some places that is on screen: "a >> b" is b inside the component at a.
function onScreen(places) {
  for (const place of places) {
    const [outer, inner] = place.split(" >> ");
    for (const host of document.querySelectorAll(outer)) {
      const node = inner
        ? host.querySelector('[data-component="here"]')?.shadowRoot?.querySelector(inner)
        : host;
      const { width = 0, height = 0 } = node?.getBoundingClientRect() ?? {};
      if (width && height && node.checkVisibility()) return node;
    }
  }
  return null;
}

class Tour {
  constructor(view, card, ring) {
    Object.assign(this, { view, card, ring });
    view.hear(window, "keydown", (event) => this.pressed(event), { capture: true });
    view.hear(window, "resize", () => this.place());
    view.hear(document, "scroll", () => this.place(), { capture: true, passive: true });
    view.ending.signal.addEventListener("abort", () => clearInterval(this.timer));
  }

  // Takes the words of a language; a page that was loaded anew goes on where it was.
  take({ stops }) {
    this.stops = stops;
    const at = this.at ?? sessionStorage.getItem(MET);
    if (at !== null) this.go(Number(at), this.at !== undefined);
  }

  start() {
    this.go(0);
  }

  go(at, stay = false) {
    if (at < 0) return;
    if (at >= this.stops.length) {
      this.leave();
      return;
    }
    Object.assign(this, { at, shown: null });
    localStorage.setItem(MET, "met");
    sessionStorage.setItem(MET, at);
    this.view.write({ ".offers": "" });
    this.draw(this.stops[at]);
    if (!stay) turnTo(this.view, this.stops[at].page);
    clearInterval(this.timer);
    this.timer = setInterval(() => this.place(), EVERY);
    this.place();
  }

  draw({ title, about }) {
    const { texts } = this.view.words;
    const [last, all] = [this.at === this.stops.length - 1, this.stops.length];
    const next = make(
      "button.push.next",
      { onclick: () => this.go(this.at + 1) },
      last ? texts.tour_done : texts.tour_next,
    );
    this.card.replaceChildren(
      make(
        ".head",
        make("strong", title),
        make("button.push", { ...named(texts.tour_leave), onclick: () => this.leave() }, "×"),
      ),
      make("p.about", about),
      make(
        "p.foot",
        make("span", phrase(texts.tour_at, { at: this.at + 1, all })),
        make(
          "button.push.back",
          { disabled: !this.at, onclick: () => this.go(this.at - 1) },
          texts.tour_back,
        ),
        next,
      ),
    );
    set(this.card, { hidden: false, "aria-label": title });
    next.focus({ preventScroll: true });
  }

  leave() {
    clearInterval(this.timer);
    sessionStorage.removeItem(MET);
    this.at = undefined;
    for (const node of [this.card, this.ring]) set(node, { hidden: true });
    this.view.find(".help").focus({ preventScroll: true });
  }

  // → and ← where the card has the focus, Escape anywhere but in a field, a menu or a dialog.
  pressed(event) {
    if (this.at === undefined) return;
    const [target] = event.composedPath();
    if (
      event.key === "Escape" &&
      !target.matches?.("input, textarea") &&
      !document.querySelector(OPEN)
    )
      this.leave();
    else if (["ArrowLeft", "ArrowRight"].includes(event.key) && this.card.contains(target))
      this.go(this.at + ARROWS[event.key][1]);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  // Puts the ring around the thing, wherever it is now, and the card beside it.
  place() {
    if (this.at === undefined) return;
    const { find, page } = this.stops[this.at];
    const here = location.pathname.slice(baseOf(this.view).length) || "translate";
    const node = here === page ? onScreen(find) : null;
    const [width, height] = [document.documentElement.clientWidth, window.innerHeight];
    const narrow = width < NARROW;
    set(this.ring, { hidden: !node });
    if (node && this.shown !== node && this.above === node.getBoundingClientRect().top)
      this.reveal(node, narrow);
    this.above = node?.getBoundingClientRect().top; // the same twice: the page stands still
    const { offsetWidth: wide, offsetHeight: high } = this.card;
    const box = node?.getBoundingClientRect() ?? {
      left: 0,
      right: 0,
      top: 0,
      bottom: 0,
      width: 0,
      height: 0,
    };
    const low = narrow ? height - high - 2 * GAP : height; // on a phone the card lies at the foot
    const [left, top] = [Math.max(3, box.left - 4), Math.max(3, box.top - 4)];
    const [right, bottom] = [Math.min(width - 3, box.right + 4), Math.min(low - 3, box.bottom + 4)];
    set(this.ring, {
      style: {
        left: `${left}px`,
        top: `${top}px`,
        width: `${right - left}px`,
        height: `${Math.max(0, bottom - top)}px`,
      },
    });
    const x = (wanted) => Math.max(GAP, Math.min(wanted, width - wide - GAP));
    const y = (wanted) => Math.max(GAP, Math.min(wanted, height - high - GAP));
    const places = [
      [right + GAP, y(top)],
      [left - wide - GAP, y(top)],
      [x(left), bottom + GAP],
      [x(left), top - high - GAP],
    ];
    const fits = ([across, down]) =>
      across >= 0 && down >= 0 && across + wide <= width && down + high <= height;
    const [across, down] = narrow
      ? [x(0), height - high - GAP]
      : (node && places.find(fits)) || [width - wide - GAP, height - high - GAP];
    set(this.card, { style: { left: `${across}px`, top: `${down}px` } });
  }

  // Scrolls the page to the thing, once: on a phone to its begin, below the header.
  reveal(node, narrow) {
    this.shown = node;
    const { top, bottom } = node.getBoundingClientRect();
    if (getComputedStyle(node.closest('[data-box~="afloat"]') ?? node).position === "fixed") return;
    if (!narrow && top >= 0 && bottom <= window.innerHeight) return;
    node.scrollIntoView({ block: "nearest" });
    if (narrow)
      document.querySelector('[data-testid="stMain"]').scrollTop +=
        node.getBoundingClientRect().top - 64;
  }
}
