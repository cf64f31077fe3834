/* Follows a room from a light page: the newest state, whatever happens to the line.
 *
 * A stream of events first; where nothing of it arrives (a proxy holds it back), long polls. */
"use strict";
const BEAT = 20_000; // ms without a word: the server sends one every 15 s
const FIRST = 6_000; // ms until the first word of a stream, else it is held back
const byId = (id) => document.getElementById(id);
const held = (id) => JSON.parse(byId(id)?.textContent || "null");
// …/hall/CODE, below whatever path a proxy has put before it.
const here = location.pathname.replace(/\/(notes|present)?\/?$/, "");
const words = held("words");

const wanted =
  (() => {
    try {
      return localStorage.getItem("hall.language");
    } catch {
      return null;
    }
  })() ?? navigator.language.toLowerCase();
const languages = Object.keys(words);
let language = languages.find((each) => wanted.startsWith(each)) ?? languages[0];

/* A text of the page in the reader's language, its {places} filled. */
function say(key, values = {}) {
  return words[language][key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
/* A text of the lecture, in the reader's language or in one that it has. */
const told = (text) => (text ? (text[language] ?? Object.values(text)[0] ?? "") : "");

/* Each line of a text as a paragraph: "Say", "Point" and "Ask" of the notes stand apart. */
const lines = (text) =>
  text
    .split("\n")
    .filter((each) => each.trim())
    .map((each) => make("p", {}, each));

/* The switch to the next language: draw is called after it, and now. */
function speaks(button, draw) {
  const next = () => languages[(languages.indexOf(language) + 1) % languages.length];
  const turn = () => {
    document.documentElement.lang = say("language_tag");
    button.textContent = words[next()].language_name;
    button.lang = words[next()].language_tag;
    draw();
  };
  button.addEventListener("click", () => {
    language = next();
    try {
      localStorage.setItem("hall.language", language);
    } catch {
      /* kept until the page goes */
    }
    turn();
  });
  turn();
}

/* A node with properties, and texts or nodes in it. */
function make(tag, properties = {}, ...inside) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  node.append(...inside.filter((each) => each !== null && each !== undefined));
  return node;
}

/* Sends JSON as the room's path has it: the answer, or an Error with a sentence and a status. What
 * met no server is sent again, to one that stands in; but for a proposal that says the same however
 * often it comes. */
const AGAIN = [200, 500, 1_300]; // ms
async function send(path, data = {}, key = "") {
  for (const pause of path === "propose" ? [] : AGAIN) {
    try {
      return await sendOnce(path, data, key);
    } catch (error) {
      if (![0, 502, 503, 504].includes(error.status)) throw error;
    }
    await new Promise((next) => setTimeout(next, pause * (0.5 + Math.random())));
  }
  return sendOnce(path, data, key);
}
async function sendOnce(path, data, key) {
  const headers = {
    "Content-Type": "application/json",
    ...(key && { Authorization: `Bearer ${key}` }),
  };
  let answer, found;
  try {
    answer = await fetch(`${here}/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(data),
    });
    found = await answer.json();
  } catch {
    throw Object.assign(new Error(say("failed")), { status: 0 });
  }
  if (!answer.ok) throw Object.assign(new Error(told(found.text)), { status: answer.status });
  return found;
}

/* What a driver asks of the room, one after another, of each kind the newest. ask(path, data):
 * sends it. has(state): whether a state of the room has all of it; one that has not tells of what
 * is over. */
function asking(ask) {
  const queued = new Map();
  let sending = false,
    reached = 0;
  return {
    has: (state) => !sending && state.revision >= reached,
    async tell(path, data) {
      queued.delete(path);
      queued.set(path, data);
      if (sending) return;
      for (sending = true; queued.size;) {
        const [[next, now]] = queued;
        queued.delete(next);
        reached = (await ask(next, now))?.revision ?? reached;
      }
      sending = false;
    },
  };
}

/* Follows the room. show(state): a newer one; behind(is): the line is lost, or is back;
 * over(why): "ended", or "refused" for a driver's key that is none any more. Gives a function that
 * ends it. */
function follow({ key = "", show, behind, over }) {
  let revision = -1,
    heard = Date.now(),
    tries = 0,
    polls = false,
    gone = false,
    stop = null,
    waiting = null;
  const headers = key ? { Authorization: `Bearer ${key}` } : {};

  const hear = (state) => {
    heard = Date.now();
    tries = 0;
    behind(false);
    if (!state || state.revision < revision) return; // newest wins
    revision = state.revision;
    show(state);
  };
  const end = (why) => {
    gone = true;
    stop?.abort();
    clearInterval(clock);
    if (why) over(why);
  };
  const check = (answer) => {
    if (answer.status === 404) end("ended");
    if (answer.status === 403) end("refused");
    if (answer.status === 503) polls = true; // no place to wait in
    if (!answer.ok) throw new Error(answer.status);
    return answer;
  };

  async function stream(signal) {
    const silent = setTimeout(() => {
      polls = true;
      stop?.abort();
    }, FIRST);
    try {
      const answer = check(await fetch(`${here}/events`, { headers, signal, cache: "no-store" }));
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(silent);
        heard = Date.now();
        const events = (text += value).split("\n\n");
        text = events.pop();
        if (events.some((each) => each.startsWith("event: ended"))) return end("ended");
        if (events.some((each) => each.startsWith("event: handed"))) return end("refused");
        const last = events.findLast((each) => each.includes("data: "));
        hear(last ? JSON.parse(last.slice(last.indexOf("data: ") + 6)) : null);
      }
    } finally {
      clearTimeout(silent);
    }
  }
  async function poll(signal) {
    const answer = await fetch(`${here}/state?since=${revision}`, {
      headers,
      signal,
      cache: "no-store",
    });
    const state = await check(answer).json();
    if (state.revision === undefined) return end("ended");
    hear(state);
  }
  async function run() {
    while (!gone) {
      stop = new AbortController();
      const started = Date.now();
      try {
        await (polls ? poll : stream)(stop.signal);
      } catch {
        /* said below */
      }
      if (gone) return;
      if (!polls || heard < started) {
        if (Date.now() - heard > 3_000 || !stop.signal.aborted) behind(true);
        // Three hundred phones do not come back in the same moment.
        const pause = Math.min(2_000, 200 * 2 ** tries++) * (0.5 + Math.random());
        await new Promise((wake) => {
          waiting = wake;
          setTimeout(wake, pause);
        });
      }
    }
  }
  const again = () => {
    stop?.abort();
    waiting?.();
  };
  const clock = setInterval(() => {
    if (Date.now() - heard > (polls ? 2 * BEAT : BEAT)) {
      behind(true);
      heard = Date.now();
      again();
    }
  }, 1_000);
  // A phone that was asleep: what it holds may be long past.
  const wake = () => {
    if (!document.hidden && Date.now() - heard > 2_000) again();
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", again);
  addEventListener("pageshow", (event) => {
    if (event.persisted) again();
  });
  run();
  return () => end("");
}

/* The label of a bar. */
function named(bar, question) {
  const number = (value) => `${Number(value.toPrecision(6))}${told(question.unit)}`;
  if (bar.option !== undefined) return told(question.options[bar.option]);
  if (bar.word !== undefined) return bar.word ?? say("others");
  if (bar.from === null) return say("below", { number: number(bar.to) });
  if (bar.to === null) return say("above", { number: number(bar.from) });
  return bar.from === bar.to
    ? number(bar.from)
    : say("range", { low: number(bar.from), high: number(bar.to) });
}

/* The votes as bars: the truth has a mark and a word, not a colour alone. */
function bars(result, question, isOwn = () => false) {
  const most = Math.max(1, ...result.bars.map((bar) => bar.count));
  return make(
    "ol",
    { className: "bars" },
    ...result.bars.map((bar) => {
      const share = result.voted ? Math.round((100 * bar.count) / result.voted) : 0;
      const line = make("div", {});
      line.style.width = `${(100 * bar.count) / most}%`;
      return make(
        "li",
        { className: bar.truth ? "truth" : "" },
        make(
          "div",
          { className: "said" },
          make(
            "span",
            {},
            named(bar, question),
            ...(bar.truth ? [" ", make("span", { className: "mark" }, `✓ ${say("right")}`)] : []),
            ...(isOwn(bar) ? [" ", make("span", { className: "own" }, `● ${say("yours")}`)] : []),
          ),
          make("span", { className: "count" }, `${bar.count} · ${share} %`),
        ),
        make("div", { className: "track" }, line),
      );
    }),
  );
}

/* What was computed, in a sentence; or why it could not be; or when it is told. */
function answered(answer) {
  if (!answer) return null;
  const text = answer.error
    ? say("no_truth", { why: told(answer.error.text) })
    : answer.later
      ? told(answer.later)
      : answer.address
        ? say("computed", { answer: told(answer.text) })
        : `✓ ${told(answer.text)}`;
  return make("p", { className: "answer" }, text);
}
