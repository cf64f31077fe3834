/* The presenter's notes and remote: this scene, the next, the time, the votes; keys and a thumb. */
"use strict";
const code = document.body.dataset.code;
let key = location.hash.slice(1);
let state = null,
  skew = 0,
  drives = false;
let ahead = null; // scene and black as asked for here, until the room's state has them
let trouble = key ? "" : "no_key"; // what is said at the top: a word's name, or a sentence

const minutes = (seconds) => {
  const whole = Math.round(Math.abs(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

function draw() {
  for (const name of ["notes", "hand_over_about", "hand_over_now", "hand_over_link"])
    byId(name === "notes" ? "notes_name" : name).textContent = say(name);
  const named = {
    clock_name: "clock",
    hand_over_open: "hand_over",
    hand_over_cancel: "cancel",
    hand_over_copy: "copy",
    keys: "key_keys",
    start: "start_clock",
    save: "votes_file",
  };
  for (const [id, name] of Object.entries(named)) byId(id).textContent = say(name);
  byId("hand_over_url").setAttribute("aria-label", say("hand_over_link"));
  byId("back").textContent = `← ${say("back")}`;
  byId("forward").textContent = `${say("forward")} →`;
  byId("code").textContent = `${say("code")}: ${code}`;
  byId("behind").hidden = !trouble;
  byId("behind").textContent = words[language][trouble] ?? trouble;
  for (const name of ["scene", "bar"]) byId(name).hidden = !state;
  if (!state) return;
  const place = say("scene", { scene: state.place, scenes: state.places });
  const moved = byId("title").textContent !== told(state.title);
  document.title = `${place} · ${told(state.lecture)}`;
  byId("lecture").textContent = told(state.lecture);
  byId("place").textContent = place;
  byId("progress").style.width = `${(100 * (state.scene + 1)) / state.scenes}%`;
  byId("title").textContent = told(state.title);
  byId("black").hidden = !state.black;
  byId("black").textContent = say("is_black");
  byId("blacken").textContent = say(state.black ? "light" : "blacken");
  byId("blacken").setAttribute("aria-pressed", String(state.black));
  const notes = told(state.notes);
  byId("notes").replaceChildren(
    ...(notes ? noteLines(notes) : [make("p", { className: "faint" }, say("no_notes"))]),
  );
  const follows = state.next ? say("next", { title: told(state.next.title) }) : say("last");
  drawPictures(follows);
  for (const name of ["notes_name", "notes", "pictures", "tools"]) byId(name).hidden = !drives;
  byId("short").setAttribute("aria-pressed", String(Boolean(state.short)));
  byId("short").hidden = !state.leaves?.length;
  byId("start").hidden = Boolean(state.started) && state.scene > 0;
  byId("back").disabled = !drives || stepped(state.scene, -1, state.scenes, left()) === state.scene;
  byId("forward").disabled =
    !drives || stepped(state.scene, 1, state.scenes, left()) === state.scene;
  byId("blacken").disabled = !drives;
  byId("reveal").textContent = say(state.result ? "revealed" : "reveal");
  byId("reveal").disabled = !drives || !state.question?.open;
  byId("reveal").hidden = !state.question;
  byId("hand_over").hidden = !drives && byId("hand_over_done").hidden;
  if (moved) byId("spoken").textContent = `${place}. ${told(state.title)}`;
  drawVotes();
  drawLearned();
  drawProposals();
  tick();
}

function drawVotes() {
  const { question, votes } = state;
  byId("votes").hidden = !question || !votes;
  if (!question || !votes) return;
  const open = say(question.open ? "question_open" : "revealed");
  const from = say("asked_in", { title: told(question.title) });
  const count = make(
    "p",
    {},
    say("votes_so_far", { count: votes.voted, followers: Math.max(state.followers, votes.voted) }),
  );
  byId("votes").replaceChildren(
    ...[
      make(
        "p",
        { className: "faint" },
        question.scene === state.scene ? open : `${open} · ${from}`,
      ),
      make("h2", {}, told(question.prompt)),
      question.sentence ? make("p", {}, question.sentence) : null,
      count,
      answered(votes.answer),
      bars(votes, question),
    ].filter(Boolean),
  );
}

/* This scene's picture and the next one's: drawn anew only when they change. */
let pictures = "";
function drawPictures(follows) {
  const { scene, picture, next } = state;
  const of = (at, version) => version && `${here}/picture/${at}?v=${version}`;
  const now = JSON.stringify([scene, picture, next, follows]);
  if (now === pictures) return;
  pictures = now;
  byId("pictures").replaceChildren(
    pictured(of(scene, picture)),
    next ? pictured(of(next.scene, next.picture), follows) : make("p", { id: "next" }, follows),
  );
}

/* What the hall has sent, asked for when there is something new. */
let waiting = [],
  known = "";
async function drawProposals() {
  const { proposals, played } = state;
  byId("hall").hidden = !drives || !(played || proposals?.sentence || proposals?.question);
  const newest = JSON.stringify([language, proposals, played]);
  if (byId("hall").hidden || newest === known) return;
  known = newest;
  const headers = { Authorization: `Bearer ${key}` };
  try {
    const answer = await fetch(`${here}/proposals`, { headers, cache: "no-store" });
    if (answer.ok && newest === known) ({ waiting } = await answer.json());
  } catch {
    known = ""; // asked again with the next state
  }
  for (const kind of ["sentence", "question"]) drawKind(kind);
  byId("played").hidden = !played;
  byId("played").replaceChildren(
    `${say("played")} `,
    make("bdi", {}, played?.text ?? ""),
    " ",
    make("button", { onclick: () => drive("play", { number: null }) }, say("play_back")),
  );
}

/* The questions of the start and the end: who was right before and after, once that is out. */
function drawLearned() {
  const learned = (drives && state.learned) || [];
  byId("learned").hidden = !learned.length;
  const percent = (share) => `${Math.round(100 * share)}`.replace("-", "−");
  const line = ({
    title,
    answered_both: count,
    right_before,
    right_after,
    gain,
    low,
    high,
    level,
  }) =>
    make(
      "p",
      {},
      make("b", {}, title),
      " ",
      count
        ? say("learned_of", {
            count,
            before: percent(right_before),
            after: percent(right_after),
            gain: percent(gain),
            low: percent(low),
            high: percent(high),
            level: percent(level),
          })
        : say("learned_none"),
    );
  const onclick = () => saveVotes(key, "learned").catch((error) => warn(error.message));
  byId("learned").replaceChildren(
    make("h2", {}, say("learned")),
    ...learned.map(line),
    make("button", { onclick }, say("learned_file")),
  );
}

function drawKind(kind) {
  const sent = waiting.filter((each) => each.kind === kind);
  byId(`${kind}s_name`).hidden = byId(`${kind}s`).hidden = !sent.length;
  byId(`${kind}s_name`).textContent = `${say(`${kind}s`)} (${sent.length})`;
  const play = (number) =>
    make("button", { className: "main", onclick: () => drive("play", { number }) }, say("play"));
  byId(`${kind}s`).replaceChildren(
    ...sent.map(({ number, text }) =>
      make(
        "li",
        {},
        make("bdi", {}, text),
        kind === "sentence" ? play(number) : null,
        make(
          "button",
          { ariaLabel: `${say("drop")}: ${text}`, onclick: () => drive("drop", { number }) },
          "×",
        ),
      ),
    ),
  );
}

/* The time of day, what is used, and how that stands to the plan: of all scenes, or the short
   path. */
function tick() {
  if (!state) return;
  const now = new Date();
  byId("time").textContent = now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const short = minutesOf(state.minutes, state.leaves);
  const planned = say("planned", { minutes: minutes(60 * minutesOf(state.minutes, left())) });
  byId("short").textContent = say("short_path", { minutes: minutes(60 * short) });
  if (!state.started) {
    byId("used").textContent = `${planned} · ${say("waiting")}`;
    byId("rest").textContent = "";
    return;
  }
  const used = (now - skew) / 1000 - state.started;
  const upTo = 60 * minutesOf(state.minutes, left(), state.scene);
  byId("used").textContent = `${say("used", { minutes: minutes(used) })} · ${planned}`;
  byId("rest").textContent = say(used > upTo ? "over" : "ahead", { minutes: minutes(used - upTo) });
  byId("rest").className = used > upTo ? "late" : "";
}

function warn(about) {
  if (about === trouble) return;
  trouble = about;
  draw();
}

async function drive(path, data = {}) {
  try {
    return await send(path, data, key);
  } catch (error) {
    if (error.status === 403) lose();
    else warn(error.message);
    return null;
  }
}

/* A press goes on from the one before it, whether or not the room has said so yet. */
const room = asking(drive);
const now = () => ahead ?? state;
async function turn(path, scene, black) {
  if (!state || !drives) return;
  ahead = { scene: Math.min(Math.max(scene, 0), state.scenes - 1), black };
  await room.tell(path, ahead);
  settle();
}
function settle() {
  if (room.has(state)) ahead = null;
}
const go = (scene) => turn("move", scene, false);
const left = () => (state.short ? state.leaves : []);
const step = (by) => go(stepped(now().scene, by, state.scenes, left()));
const shorten = () => drives && drive("short", { short: !state.short });
const start = () => drives && drive("clock");
const save = () => drives && saveVotes(key).catch((error) => warn(error.message));
const black = () => turn("black", now().scene, !now().black);
const reveal = () =>
  drives && state.question?.open && drive("reveal", { scene: state.question.scene });

const KEYS = {
  ArrowRight: () => step(1),
  ArrowDown: () => step(1),
  PageDown: () => step(1),
  " ": () => step(1),
  ArrowLeft: () => step(-1),
  ArrowUp: () => step(-1),
  PageUp: () => step(-1),
  Home: () => go(0),
  End: () => go(state.scenes - 1),
  b: black,
  ".": black,
  v: reveal,
  t: shorten,
  c: start,
  d: save,
};
addEventListener("keydown", (event) => {
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const busy =
    event.target.closest("input") || (event.key === " " && event.target.closest("button"));
  if (!act || !state || busy || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (event.repeat && !/^(Arrow|Page| )/.test(event.key)) return;
  act();
});
byId("back").addEventListener("click", () => step(-1));
byId("forward").addEventListener("click", () => step(1));
byId("blacken").addEventListener("click", black);
byId("reveal").addEventListener("click", reveal);
byId("short").addEventListener("click", shorten);
byId("start").addEventListener("click", start);
byId("save").addEventListener("click", save);

/* Hand over: asked twice, then the new link, as text and as a code for the other's phone. */
const asks = (open) => {
  byId("hand_over_open").hidden = open;
  byId("hand_over_sure").hidden = !open;
};
byId("hand_over_open").addEventListener("click", () => asks(true));
byId("hand_over_cancel").addEventListener("click", () => asks(false));
byId("hand_over_now").addEventListener("click", async () => {
  const found = await drive("handover");
  if (!found) return;
  byId("hand_over_url").value = found.link;
  byId("hand_over_qr").src = found.qr;
  byId("hand_over_qr").alt = found.link;
  byId("hand_over_sure").hidden = true;
  byId("hand_over_done").hidden = false;
  draw(); // the stream may have said before that somebody else drives
});
byId("hand_over_copy").addEventListener("click", async () => {
  byId("hand_over_url").select();
  try {
    await navigator.clipboard.writeText(byId("hand_over_url").value);
  } catch {
    document.execCommand("copy");
  }
  byId("hand_over_copy").textContent = say("copied");
});

/* The key is none any more: somebody else drives, this page follows with what all may see. */
function lose() {
  if (!key) return;
  key = "";
  drives = false;
  ahead = null;
  history.replaceState(null, "", location.pathname);
  warn(state ? "handed" : "no_key");
  if (!state) return;
  draw();
  follow({
    show: (now) => {
      state = { ...state, ...now, notes: null, next: null, votes: now.result };
      draw();
    },
    behind: (is) => warn(is ? "behind" : "handed"),
    over: () => warn("ended"),
  });
}

speaks(byId("language"), draw);
if (key)
  follow({
    key,
    show: (now) => {
      state = now;
      skew = Date.now() - 1000 * now.now;
      drives = true;
      settle();
      draw();
    },
    behind: (is) => warn(is ? "behind" : ""),
    over: (why) => {
      if (why === "refused") return lose();
      drives = false;
      warn("ended");
    },
  });
setInterval(tick, 1_000);
