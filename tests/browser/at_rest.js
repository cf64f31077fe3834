// atRest({ call, idle, quiet }): is the page at rest, and has it been for `quiet` milliseconds of
// this call? It keeps count of what the page asks of the server: from a click to the begin of its
// run nothing else shows that more will come. Streamlit's frames are protobuf: field 11 of what is
// sent asks for a run (its first byte is 90), field 4 of what comes begins one (34); fields before
// it have a length to skip. And of the timers that will soon do something by themselves: tell the
// server, say what was reached, draw the next thing.
(() => {
  const SOON = 1000; // milliseconds
  let asked = -1,
    begun = 0,
    now = {};
  const due = new Map(); // a timer -> when it is overdue: from then on it is not waited for

  const begins = (bytes) => {
    for (let at = 0; at < bytes.length;) {
      const tag = bytes[at++];
      if (tag === 34) return true;
      if ((tag & 7) !== 2) return false;
      let length = 0;
      for (let shift = 1; ; shift *= 128) {
        length += (bytes[at] & 127) * shift;
        if (bytes[at++] < 128) break;
      }
      at += length;
    }
    return false;
  };

  window.WebSocket = class extends window.WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        if (begins(new Uint8Array(data))) begun = performance.now();
      });
    }
    send(data) {
      if (data[0] === 90) asked = performance.now();
      super.send(data);
    }
  };

  const { setTimeout: later, clearTimeout: never } = window;
  window.setTimeout = (act, wait = 0, ...given) => {
    const timer = later(() => {
      due.delete(timer);
      act(...given);
    }, wait);
    if (wait <= SOON) due.set(timer, Date.now() + 2 * SOON);
    return timer;
  };
  window.clearTimeout = (timer) => {
    due.delete(timer);
    never(timer);
  };

  const count = (selector) => document.querySelectorAll(selector).length;
  const what = (idle) => ({
    "an answer is owed": asked > begun,
    "its script runs": !count(idle),
    "something is of the screen before": count('[data-testid="stSkeleton"], [data-stale="true"]'),
    "a component's script is on its way": count(
      '[data-testid^="stBidiComponent"]:not([data-component])',
    ),
    "a chart is to be drawn": count('.chart-place:not([data-chart="drawn"])'),
    // a test's own clock is driven by timers
    "a timer is due": !window.__pwClock && [...due.values()].some((end) => Date.now() < end),
    "a font is on its way": document.fonts.status !== "loaded",
  });

  window.atRest = ({ call, idle, quiet }) => {
    const why = Object.entries(what(idle))
      .filter(([, is]) => is)
      .map(([name]) => name);
    const elements = `${count("*")} ${count(".js-plotly-plot .main-svg")}`;
    const time = performance.now();
    if (now.elements !== elements) why.push("elements come and go");
    if (why.length || now.call !== call) now = { call, elements, since: time, frames: 0, why };
    now.frames += 1;
    // frames, too: a page on a busy machine has few of them
    return now.frames > 6 && time - now.since >= quiet;
  };
  window.whyNotAtRest = () => now.why.join(", ");
})();
