// A visitor whose server goes, or whose line breaks, stays where they are: the one web socket of
// the page (Streamlit's) connects again by itself, to whatever server answers then, and Streamlit
// does not hear of the break. It says which screen the page shows, the server draws that
// (app/server/reconnects.py), and what was clicked meanwhile, or was asked and met the break, is
// asked then. Streamlit alone would take the first click for the page's first run, and lose it.
const LONGEST = 6000; // milliseconds without a server, until Streamlit hears of it and says so
const PAUSES = [0, 100, 250, 500, 1000]; // milliseconds before a try; of the last one all further
const STREAM = "/_stcore/stream";
const [OTHER_VERSION, REFUSED] = [4001, 1008]; // why a server closes
const RELOADED = "glassformer-reloaded"; // in sessionStorage: when, for another version's page
const RELOADS = 10_000; // milliseconds between two
const PATIENCE = 20_000; // milliseconds that the first run has; then what waits is asked
const [RERUN, BY_ITSELF] = [11, 6]; // of a BackMsg: asks for a run; in it: nobody has clicked
const [BEGUN, OVER, LINKED, EARLY] = [4, 6, 12, 2]; // of a ForwardMsg; EARLY: another run follows
const Native = window.WebSocket;

// The fields of a message (protobuf) by their numbers: of a number its value, else its length.
function fieldsOf(bytes) {
  const found = new Map();
  let at = 0;
  const number = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      value += (bytes[at] & 127) * unit;
      if (!(bytes[at++] > 127)) return value;
    }
  };
  while (at < bytes.length) {
    const [tag, value] = [number(), number()];
    found.set(Math.floor(tag / 8), value);
    if (tag % 8 === 2) at += value;
  }
  return found;
}

// What all lines of the page have asked, one after the other: Streamlit makes a new one in the end.
const page = {
  boot: window.glassformerBoot,
  session: [],
  request: null,
  waiting: [],
  leaves: false,
};
addEventListener("pagehide", () => (page.leaves = true));
addEventListener("pageshow", () => (page.leaves = false));

class Line extends EventTarget {
  readyState = Native.CONNECTING;
  tries = 0;

  constructor(url, [kind, token, ...session]) {
    super();
    Object.assign(this, { url, said: [kind, token], session });
    this.connect();
  }

  // The screen of the page, as it is opened from a link.
  get screen() {
    const home = new URL(this.url).pathname.length - STREAM.length + 1;
    const query = new URLSearchParams(location.search);
    // of the presenter's page (app/hall/pool.js)
    if ("presenting" in document.documentElement.dataset) query.set("presenting", "again");
    return { page: location.pathname.slice(home), query: String(query) };
  }

  connect() {
    const session = page.session.length ? page.session : this.session;
    const line = new Native(`${this.url}?boot=${page.boot}`, [...this.said, ...session]);
    line.binaryType = "arraybuffer";
    line.onopen = () => this.opened();
    line.onmessage = ({ data }) => this.heard(data);
    line.onclose = (event) => this.closed(event);
    this.line = line;
  }

  opened() {
    const { line } = this;
    this.catchesUp = Boolean(page.request);
    if (this.catchesUp) {
      line.send(JSON.stringify(this.screen));
      line.send(page.request);
      setTimeout(() => this.catchUp(line), PATIENCE);
    }
    [this.broken, this.tries] = [null, 0];
    if (this.readyState !== Native.CONNECTING) return;
    this.readyState = Native.OPEN;
    this.dispatchEvent(new Event("open"));
  }

  heard(data) {
    if (typeof data === "string") return Object.assign(page, JSON.parse(data));
    const fields = fieldsOf(new Uint8Array(data));
    const asked = page.waiting.filter((each) => each.sent);
    if (fields.has(BEGUN)) for (const each of asked) each.begun = true;
    // What the link says already is not asked again: a step would be taken twice.
    if (fields.has(LINKED)) for (const each of asked) each.linked = each.begun;
    if (fields.has(OVER) && fields.get(OVER) !== EARLY) {
      page.waiting = page.waiting.filter((each) => !each.begun);
      this.catchUp(this.line);
    }
    this.dispatchEvent(new MessageEvent("message", { data }));
    return undefined;
  }

  // What waits is asked once the page is there that it was clicked on.
  catchUp(line) {
    if (line !== this.line || !this.catchesUp) return;
    this.catchesUp = false;
    for (const each of page.waiting) this.ask(each);
  }

  ask(each) {
    each.sent = true;
    this.line.send(each.bytes);
  }

  send(bytes) {
    const fields = fieldsOf(bytes);
    const isOpen = this.line.readyState === Native.OPEN;
    const isClick =
      fields.has(RERUN) && !fieldsOf(bytes.subarray(-fields.get(RERUN))).has(BY_ITSELF);
    if (!isClick) return isOpen && this.line.send(bytes);
    const asked = { bytes };
    page.waiting.push(asked);
    page.request = bytes;
    if (isOpen && !this.catchesUp) this.ask(asked);
    return undefined;
  }

  closed(event) {
    if (this.readyState === Native.CLOSED || page.leaves) return;
    if (event.code === OTHER_VERSION) return void reload();
    page.waiting = page.waiting.filter((each) => !each.linked);
    for (const each of page.waiting) Object.assign(each, { sent: false, begun: false });
    this.broken ??= performance.now();
    const wasOpen = this.readyState === Native.OPEN && page.request && event.code !== REFUSED;
    if (wasOpen && performance.now() - this.broken < LONGEST) {
      const pause = PAUSES[Math.min(this.tries++, PAUSES.length - 1)];
      setTimeout(() => this.readyState === Native.OPEN && this.connect(), pause);
    } else {
      this.readyState = Native.CLOSED;
      this.dispatchEvent(new CloseEvent("close", event));
    }
  }

  close() {
    this.readyState = Native.CLOSED;
    this.line.close();
  }
}

function reload() {
  const since = Date.now() - (sessionStorage.getItem(RELOADED) ?? 0);
  setTimeout(
    () => {
      sessionStorage.setItem(RELOADED, Date.now());
      location.reload();
    },
    Math.max(0, RELOADS - since),
  );
}

window.WebSocket = new Proxy(Native, {
  construct: (_, [url, said]) =>
    String(url).endsWith(STREAM) ? new Line(url, said) : new Native(url, said),
});
