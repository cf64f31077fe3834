// The live screens of an article: two frames of the presenter's kind (app/hall/pool.js), each a
// session of the app, that lie over the places in sight. One that is led to another scene keeps its
// session, so a long article costs a phone and the server no more than a short one.

class Screens extends Pool {
  // A place: its `node`, `address()` of its scene or of where its reader left it (`kept`), `stage`,
  // the boxes that fill it, and `least`, pixels that its page wants across.
  constructor(root, base, touched) {
    super(root, {
      count: 0,
      base,
      link: (place) => place.kept ?? place.address(),
      focus: (place) => place.stage(),
      place: (place) => this.over(place),
      heard: () => {},
    });
    Object.assign(this, { root, touched });
  }

  // Shows what is wanted, the most needed first; what is not any more is left.
  show(wanted) {
    const held = wanted.slice(0, this.frames.length);
    for (const frame of this.frames) if (!held.includes(frame.scene)) this.leave(frame);
    for (const place of held)
      if (!this.of(place))
        this.lead(
          this.frames.find((frame) => !frame.scene),
          place,
        );
    this.layAll();
  }

  of(place) {
    return this.frames.find((frame) => frame.scene === place);
  }

  leave(frame) {
    if (!frame?.scene) return;
    const { location } = frame.node.contentWindow;
    if (frame.touched)
      frame.scene.kept = location.pathname.slice(this.base.length + 1) + location.search;
    frame.turn += 1; // whoever waits for its rest waits no more
    this.mark(frame, false);
    frame.scene = null;
  }

  lead(frame, place) {
    frame.scene = place;
    this.mark(frame, false);
    set(frame.node, { title: place.title });
    const led = super.lead(frame, place);
    frame.touched = Boolean(place.kept);
    return led;
  }

  // The scene as the lecture has it, or another step of it.
  again(place) {
    place.kept = null;
    const frame = this.of(place);
    if (frame) this.lead(frame, place);
  }

  mark(frame, live) {
    frame.scene.node.dataset.screen = live ? "live" : "waits";
    set(frame.node, {
      is: { seen: live, works: live && frame.node.classList.contains("works") },
      tabIndex: live ? 0 : -1,
      "aria-hidden": live ? null : "true",
    });
  }

  over({ node, least }) {
    const corner = this.root.getBoundingClientRect();
    const { left, top, width, height } = node.getBoundingClientRect();
    return {
      left: left - corner.left + this.root.scrollLeft,
      top: top - corner.top + this.root.scrollTop,
      width,
      height,
      scale: Math.min(1, width / Math.max(width, least)),
    };
  }

  touch(frame) {
    if (!frame.scene) return;
    frame.touched = true;
    this.touched(frame.scene);
  }

  swap() {
    for (const frame of this.frames) if (frame.scene && frame.ready) this.mark(frame, true);
  }

  dress(frame) {
    if (frame.scene) super.dress(frame);
  }

  lay(frame) {
    if (frame.scene) super.lay(frame);
  }

  later() {} // what is next the scrolling says
}
