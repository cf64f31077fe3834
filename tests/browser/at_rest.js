// atRest({ call, idle, quiet }): is the page at rest, and has it been for `quiet` milliseconds of
// this call? It keeps count of what the page asks of the server: from a click to the begin of its
// run nothing else shows that more will come. Streamlit's frames are protobuf: field 11 of what is
// sent asks for a run (its first byte is 90), field 4 of what comes begins one (34); fields before
// it have a length to skip.
(() => {
  let asked = -1,
    begun = 0,
    now = {};

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

  const count = (selector) => document.querySelectorAll(selector).length;

  window.atRest = ({ call, idle, quiet }) => {
    const busy =
      asked > begun ||
      !count(idle) ||
      count('[data-testid="stSkeleton"], [data-stale="true"]') ||
      count('[data-testid^="stBidiComponent"]:not([data-component])') || // its script is on its way
      count('.chart-place:not([data-chart="drawn"])') ||
      document.fonts.status !== "loaded";
    const elements = `${count("*")} ${count(".js-plotly-plot .main-svg")}`;
    const time = performance.now();
    if (busy || now.call !== call || now.elements !== elements)
      now = { call, elements, since: time, frames: 0 };
    now.frames += 1;
    // frames, too: a page on a busy machine has few of them
    return now.frames > 6 && time - now.since >= quiet;
  };
})();
