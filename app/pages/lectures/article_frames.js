// The live screens of an article: two frames, each a session of the app, that lie over the places
// in sight. One that is led to another scene keeps its session, as by the browser's back button; so
// a long article costs a phone and the server no more than a short one.

const FRAMES = 2;
const ASKED = "presenting"; // in the address until the app's run for it has begun
const STILL = 90; // ms in which nothing of a screen has changed
const LATE = 20_000; // ms after which a screen that does not come to rest is loaded anew
const APP = '[data-testid="stApp"]';
const BUSY =
  '[data-testid="stSkeleton"], [data-stale="true"], ' +
  '[data-testid^="stBidiComponent"]:not([data-component]), ' +
  '.chart-place:not([data-chart="drawn"])';
const LEAST = 20; // nodes of a page that has begun to be drawn

class Screens {
  frames = [];
  serial = 0;

  // A place: its node, `link()` to its scene, and `kept`, where its reader left it.
  constructor(root, changed) {
    Object.assign(this, { root, changed });
  }

  // Shows what is wanted, the most needed first; what is not any more is left.
  show(wanted) {
    const held = wanted.slice(0, FRAMES);
    for (const frame of this.frames) if (!held.includes(frame.place)) this.leave(frame);
    for (const place of held) if (!this.of(place)) this.lead(this.free(), place);
    this.lay();
  }

  of(place) {
    return this.frames.find((frame) => frame.place === place);
  }

  free() {
    const found = this.frames.find((frame) => !frame.place);
    if (found) return found;
    const node = make("iframe");
    this.root.append(node);
    const made = { node, place: null, turn: 0, loaded: false, touched: false };
    this.frames.push(made);
    return made;
  }

  leave(frame) {
    if (!frame.place) return;
    if (frame.touched) frame.place.kept = frame.node.contentWindow.location.href;
    frame.turn += 1;
    this.mark(frame.place, "waits");
    set(frame.node, { is: { seen: false, works: false } });
    frame.place = null;
  }

  // To where a place's link leads; asked again, the scene is as the lecture has it.
  lead(frame, place) {
    this.serial += 1;
    Object.assign(frame, { place, touched: Boolean(place.kept) });
    const address = new URL(place.kept ?? place.link(), location.href);
    address.searchParams.set(ASKED, this.serial);
    set(frame.node, { title: place.title, is: { seen: false } });
    this.mark(place, "waits");
    this.lay();
    const { contentDocument, contentWindow } = frame.node;
    if (frame.loaded && contentDocument?.querySelector(APP)) {
      contentWindow.history.replaceState(null, "", address);
      contentWindow.dispatchEvent(new contentWindow.PopStateEvent("popstate", { state: null }));
    } else this.load(frame, address);
    this.rest(frame, address);
  }

  load(frame, address) {
    frame.node.onload = () => {
      const inside = frame.node.contentWindow;
      frame.loaded = Boolean(frame.node.contentDocument);
      if (!frame.loaded) return;
      inside.document.documentElement.toggleAttribute("data-presenting", true);
      const touch = () => this.touch(frame);
      for (const event of ["pointerdown", "keydown"])
        inside.addEventListener(event, touch, { capture: true, passive: true });
    };
    frame.node.src = address;
  }

  touch(frame) {
    if (!frame.place) return;
    frame.touched = true;
    this.changed(frame.place);
  }

  async rest(frame, address) {
    frame.turn += 1;
    const { turn } = frame;
    let [seen, since, begun] = ["", 0, performance.now()];
    for (;;) {
      await new Promise((next) => setTimeout(next, 40));
      if (frame.turn !== turn || !frame.node.isConnected) return;
      const now = this.isBusy(frame)
        ? ""
        : `${frame.node.contentDocument.querySelectorAll("*").length}`;
      if (!now || now !== seen) [seen, since] = [now, performance.now()];
      else if (performance.now() - since > STILL) break;
      if (performance.now() - begun > LATE) {
        begun = performance.now();
        this.load(frame, address);
      }
    }
    this.mark(frame.place, "live");
    set(frame.node, { is: { seen: true } });
  }

  isBusy({ node: { contentDocument, contentWindow } }) {
    const count = (selector) => contentDocument.querySelectorAll(selector).length;
    return (
      !contentDocument ||
      !contentWindow.location.host ||
      contentWindow.location.search.includes(`${ASKED}=`) ||
      !count(`${APP}[data-test-script-state="notRunning"]`) ||
      count(BUSY) > 0 ||
      count(".stMainBlockContainer *") < LEAST
    );
  }

  mark(place, state) {
    place.node.dataset.screen = state;
  }

  // Over their places, wherever those are now.
  lay() {
    const corner = this.root.getBoundingClientRect();
    for (const { node, place } of this.frames) {
      if (!place) continue;
      const { left, top, width, height } = place.node.getBoundingClientRect();
      const shrink = Math.min(1, width / Math.max(width, place.least));
      set(node, {
        style: {
          left: `${left - corner.left + this.root.scrollLeft}px`,
          top: `${top - corner.top + this.root.scrollTop}px`,
          width: `${width / shrink}px`,
          height: `${height / shrink}px`,
          transform: shrink < 1 ? `scale(${shrink})` : "none",
        },
      });
    }
  }
}
