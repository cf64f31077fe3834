/* The screens of a lecture: a few frames, each a session of the app, of which one is seen.
 *
 * A step only changes which frame is seen, once that one is at rest: nothing half drawn is ever in
 * front. The others are led meanwhile to the scenes before and after, inside their session, as by
 * the browser's back button; they are drawn at full size, unseen. */
"use strict";
const FRAMES = 4;
const FAST = 150; // ms between two keys of a clicker that is held down
const CALM = 700; // ms without a key, after which what takes the browser a while may begin
const STILL = 90; // ms in which nothing of a screen has changed
const LATE = 20_000; // ms after which a screen that does not come to rest is loaded anew
const ASKED = "presenting"; // in the address until the app's run for it has begun
const APP = '[data-testid="stApp"]';
const IDLE = `${APP}[data-test-script-state="notRunning"]`;
const BUSY =
  '[data-testid="stSkeleton"], [data-stale="true"], [data-testid^="stBidiComponent"]:not([data-component]), ' +
  '.chart-place:not([data-chart="drawn"])';
const LEAST = 20; // nodes of a page that has begun to be drawn

/* A box by its name: Streamlit's class has the words of its kind, too (app/ui/layout.py). */
const boxOf = (name) => `.st-key-${name}, [class*="st-key-${name}--"]`;

/* What a page looks like whose boxes fill the stage: whatever neither holds them nor is in them is
 * away, and who holds them is as large as the stage. Where none of them is on the page it stays as
 * it is. What they are is marked: asked by `:has()`, at every change of the page, it took the browser
 * three quarters of a lecture's time. */
const MAIN = ":root[data-presenting] .stMainBlockContainer[data-stage]";
const HOLDS = '[data-stage][data-stage="holds"]';
const STAGE_SHEET = `
  ${MAIN} > :not([data-stage], style),
  ${MAIN} ${HOLDS} > :not([data-stage], style) { display: none !important; }
  ${MAIN}, ${MAIN} ${HOLDS} {
    display: flex !important; flex: 1 1 0 !important; flex-direction: column;
    width: 100% !important; max-width: none !important; min-width: 0 !important;
    height: 100%; min-height: 0 !important; margin: 0; gap: 0.4rem; overflow: visible;
  }
  ${MAIN} { height: var(--window) !important; padding: 0.4rem 1rem !important; }
  ${MAIN} [data-testid="stHorizontalBlock"]${HOLDS} { flex-direction: row; gap: 1rem; }
  ${MAIN} [data-stage="box"] {
    flex: 1 1 0 !important; width: 100% !important; max-width: none !important;
    min-width: 0 !important; min-height: 0 !important;
  }
`;

/* Mark the boxes of these names in a page, and what holds them. */
function markStage(page, names) {
  const boxes = new Set(names.length ? page.querySelectorAll(names.map(boxOf)) : []);
  const marks = new Map();
  for (const box of boxes) {
    marks.set(box, "box");
    for (let up = box.parentElement; up && !boxes.has(up); up = up.parentElement)
      marks.set(up, "holds");
  }
  for (const each of page.querySelectorAll("[data-stage]"))
    if (!marks.has(each)) delete each.dataset.stage;
  for (const [each, mark] of marks) if (each.dataset.stage !== mark) each.dataset.stage = mark;
}

class Pool {
  frames = [];
  at = -1; // the scene that is wanted
  way = 1; // to which side the last step went
  shown = null; // the frame that is seen
  pressed = -1e9;
  serial = 0;
  exploring = false;
  pictures = new Map(); // scene -> URL of its picture

  /* link(scene): its path and query below the app. place(scene): where it lies, in pixels of the
   * window, and by how much its own are larger; of null while it is explored. focus(scene): boxes
   * that fill it. heard(window): a frame has a new window. changed(): another scene is seen.
   * drawn(scene, blob): a picture is made. */
  constructor(stage, asked) {
    Object.assign(this, asked);
    const { count } = asked;
    for (let each = 0; each < Math.min(FRAMES, Math.max(2, count)); each += 1) {
      const node = make("iframe", { tabIndex: -1 });
      node.setAttribute("aria-hidden", "true");
      stage.append(node);
      this.frames.push({ node, scene: null, ready: true, touched: false, turn: 0 });
    }
  }

  /* Whether the scene that is wanted is the one that is seen. */
  get isThere() {
    return this.shown !== null && this.shown.scene === this.at;
  }

  go(scene) {
    const to = Math.max(0, Math.min(this.count - 1, scene));
    if (to === this.at) return;
    const now = performance.now(),
      fast = now - this.pressed < FAST;
    this.way = to < this.at ? -1 : 1;
    [this.at, this.pressed] = [to, now];
    if (this.exploring) this.shown.touched = true;
    this.exploring = false;
    this.leave();
    this.swap();
    this.later(this.isThere ? FAST : fast ? FAST - 30 : 0);
  }

  /* The scene once more as it was, whatever was done to its screen. */
  again() {
    this.exploring = false;
    this.pressed = performance.now();
    this.leave();
    this.swap();
    this.later(0);
  }

  /* The screen in front belongs to whoever explores; a copy of the scene is prepared meanwhile. */
  explore() {
    if (!this.isThere) return;
    this.exploring = true;
    this.shown.touched = true;
    this.dress(this.shown);
    this.later(CALM);
  }

  /* Somebody works on a screen: it stays in front, and a copy of its scene is prepared when they
     pause. */
  touch(frame) {
    if (frame !== this.shown) return;
    frame.touched = true;
    this.pressed = performance.now();
    this.later(2 * CALM);
  }

  /* A screen that somebody has touched is no scene any more. */
  leave() {
    if (this.shown?.touched) this.shown.scene = null;
  }

  /* Never away from the scene that is wanted: whoever works on its screen keeps it until they
     leave. */
  swap() {
    if (this.isThere) return;
    const frame = this.frames.find(
      (each) => each.scene === this.at && each.ready && each !== this.shown,
    );
    if (!frame) return;
    this.shown?.node.classList.remove("seen");
    if (this.shown) {
      this.shown.node.setAttribute("aria-hidden", "true");
      this.dress(this.shown);
    }
    frame.node.classList.add("seen");
    frame.node.removeAttribute("aria-hidden");
    this.shown = frame;
    this.changed();
  }

  /* What is held ready, the most needed first: as many scenes as there are frames. One that was
   * touched holds none; one is lent to the pictures while they are made. */
  get wanted() {
    const { at, way } = this,
      lent = Boolean(this.shown?.touched) + this.gathers;
    return [at, at + way, at - way, at + 2 * way, at - 2 * way, at + 3 * way, at + 4 * way]
      .filter((scene) => scene >= 0 && scene < this.count)
      .slice(0, Math.max(1, this.frames.length - lent));
  }

  /* What is not drawn because it is not on the stage is not waited for. */
  away(element) {
    return element.closest(".stMainBlockContainer") !== null && !element.checkVisibility();
  }

  get calm() {
    return performance.now() - this.pressed;
  }

  /* Whether scenes that no frame holds are led into one for their picture. */
  get gathers() {
    return !this.exploring && this.calm >= 4 * CALM && this.pictures.size < this.count;
  }

  later(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.plan(), pause);
  }

  /* The next thing to do; with all scenes held and all pictures made there is none, and the pool
     rests. */
  plan() {
    const { wanted, calm } = this;
    const busy = this.frames.some((each) => !each.ready);
    const holds = (scene) =>
      this.frames.some((each) => each.scene === scene && !(each === this.shown && each.touched));
    const lacks = wanted.find((scene) => !holds(scene));
    if (lacks === this.at) return void this.lead(this.spare(wanted), lacks);
    if (busy) return;
    if (!this.exploring && this.pictures.size < this.count) {
      if (calm < 4 * CALM) this.later(calm < 2 * CALM ? 2 * CALM - calm : 4 * CALM - calm);
      const frame =
        calm >= 2 * CALM &&
        this.frames.find(
          (each) => !each.touched && each.scene !== null && !this.pictures.has(each.scene),
        );
      if (frame) return void this.draw(frame).then(() => this.later(60));
    }
    const next = lacks ?? (this.gathers ? this.undrawn : undefined);
    if (next !== undefined) this.lead(this.spare(wanted), next);
  }

  get undrawn() {
    return [...Array(this.count).keys()].find((scene) => !this.pictures.has(scene));
  }

  /* The frame whose scene is needed least: an empty one, then the farthest. */
  spare(wanted) {
    const far = (each) =>
      each.scene === null
        ? Infinity
        : wanted.includes(each.scene)
          ? -1
          : Math.abs(each.scene - this.at);
    return this.frames
      .filter((each) => each !== this.shown)
      .sort((one, other) => far(other) - far(one))[0];
  }

  async draw(frame) {
    const { scene, turn } = frame;
    this.pictures.set(scene, "");
    try {
      const blob = await frame.node.contentWindow.glassformerPicture?.();
      if (frame.turn !== turn || frame.touched) return void this.pictures.delete(scene);
      if (!blob) return; // as below
      this.pictures.set(scene, URL.createObjectURL(blob));
      this.drawn(scene, blob);
    } catch (error) {
      console.error(error); // the overview shows its title
    }
  }

  async lead(frame, scene) {
    Object.assign(frame, { scene, ready: false, touched: false, played: "" });
    this.serial += 1;
    const place = new URL(`${this.base}/${this.link(scene)}`, location.origin);
    place.searchParams.set(ASKED, this.serial);
    this.dress(frame);
    const { contentDocument, contentWindow } = frame.node;
    if (frame.loaded && contentDocument?.querySelector(APP)) {
      // none of the browser's own page, of a server that is away
      contentWindow.history.replaceState(null, "", place);
      contentWindow.dispatchEvent(new contentWindow.PopStateEvent("popstate", { state: null }));
    } else this.load(frame, place);
    await this.atRest(frame, place);
  }

  load(frame, place) {
    frame.node.onload = () => {
      frame.loaded = Boolean(frame.node.contentDocument);
      if (!frame.loaded) return;
      const { contentWindow } = frame.node;
      this.dress(frame);
      this.heard(contentWindow); // first: keys of the lecture do not touch the screen
      for (const event of ["pointerdown", "keydown", "wheel"])
        contentWindow.addEventListener(event, () => this.touch(frame), {
          capture: true,
          passive: true,
        });
    };
    frame.node.src = place;
  }

  /* What surrounds a page is seen while it is explored alone. */
  dress(frame) {
    const page = frame.node.contentDocument,
      root = page?.documentElement;
    const bare = !(this.exploring && frame === this.shown);
    if (root) {
      root.toggleAttribute("data-presenting", bare);
      if (!root.querySelector("style.stage"))
        root.append(make("style", { className: "stage", textContent: STAGE_SHEET }));
      const names = bare ? this.focus(frame.scene ?? this.at) : [];
      root.dataset.focus = names.join(" "); // for what a page's own sheet says of it
      const mark = () => markStage(page, names);
      frame.marks?.disconnect();
      frame.marks = new MutationObserver(mark);
      frame.marks.observe(page, { childList: true, subtree: true, attributeFilter: ["class"] });
      mark();
    }
    this.lay(frame);
  }

  lay(frame) {
    const explored = this.exploring && frame === this.shown;
    const scene = frame.scene ?? this.at;
    const { left, top, width, height, scale } = this.place(explored ? null : scene, scene);
    Object.assign(frame.node.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width / scale}px`,
      height: `${height / scale}px`,
      transform: scale === 1 ? "" : `scale(${scale})`,
    });
  }

  layAll() {
    for (const frame of this.frames) this.lay(frame);
  }

  async atRest(frame, place) {
    frame.turn += 1;
    const { turn } = frame;
    let elements = "",
      since = 0,
      begun = performance.now();
    for (;;) {
      await new Promise((next) => setTimeout(next, 25));
      if (frame.turn !== turn) return;
      const now = this.busy(frame)
        ? ""
        : String(frame.node.contentDocument.querySelectorAll("*").length);
      if (!now || now !== elements) [elements, since] = [now, performance.now()];
      else if (performance.now() - since > STILL) break;
      if (performance.now() - begun > LATE) {
        begun = performance.now();
        this.load(frame, place);
      }
    }
    frame.ready = true;
    frame.lacks = this.focus(frame.scene).filter((name) => !this.holds(frame, name));
    this.swap();
    this.later(20);
  }

  holds({ node }, name) {
    return Boolean(node.contentDocument.querySelector(boxOf(name)));
  }

  busy({ node }) {
    const { contentDocument, contentWindow } = node;
    const count = (selector) =>
      [...contentDocument.querySelectorAll(selector)].filter((each) => !this.away(each)).length;
    return (
      !contentDocument ||
      contentWindow.location.search.includes(`${ASKED}=`) ||
      !contentWindow.location.host ||
      !count(IDLE) ||
      count(BUSY) > 0 ||
      contentDocument.querySelectorAll(".stMainBlockContainer *").length < LEAST
    );
  }
}
