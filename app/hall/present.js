/* The presenter's page: keys, what a scene says, the question, the room. The screens are pool.js's,
 * what lies over them is drawn in overlays.js. */
"use strict";
const code = document.body.dataset.code ?? ""; // "": without a room
// the driver's key; without a room the lecture's name
const hash = decodeURIComponent(location.hash.slice(1));
const base = location.pathname.replace(/\/(hall\/[^/]+\/present|present)\/?$/, "");
const TRIES = 20; // to get texts with their numbers
const PATIENCE = 20_000; // ms in which the Lectures page has the lecture ready
const READABLE = 0.022; // of the window's height: the least type for the last row
const SMALL = 10.8; // pixels of the smallest type of a page
const NARROWEST = 560; // pixels of a page, at least
const HIGHEST = 0.3; // of the window that texts may take; longer ones are written smaller
const SMALLEST = 0.6;
const OVERLAYS = ["question", "join", "overview", "keys", "notes"];
let key = code ? hash : "";
let lecture,
  pool,
  state = null,
  started = null,
  shift = 0;
const room = asking((path, data) => send(path, data, key).catch((error) => warn(error.message)));
let black = false,
  ring = false,
  short = false, // without a room
  bands = new Map();

async function begin() {
  try {
    lecture = await (code ? fromRoom() : fromHere());
  } catch (error) {
    byId("refused").hidden = false;
    return byId("refused").replaceChildren(
      make("p", {}, error.message),
      make("a", { href: `${base}/lectures` }, say("present_back")),
    );
  }
  if (words[lecture.language]) ({ language } = lecture);
  document.documentElement.lang = say("language_tag");
  document.title = `${told(lecture.title)} · Glassformer`;
  dress();
  pool = new Pool(byId("stage"), {
    count: lecture.scenes.length,
    base,
    link: linkPlayed,
    place: (scene, of) => scaled(besideQuestion(place(scene)), scene, of),
    focus: (scene) => lecture.scenes[scene]?.focus ?? [],
    heard,
    changed,
    drawn,
  });
  heard(window);
  addEventListener("resize", () => {
    bands = new Map();
    fill();
    pool.layAll();
    invite();
    if (!byId("question").hidden) drawQuestion();
  });
  setInterval(clock, 1000);
  if (code) {
    listen();
    refresh();
  } else pool.go(kept());
  drawFoot();
  navigator.wakeLock?.request("screen").catch(() => {});
}

async function fromRoom() {
  const answer = await fetch(`${here}/lecture`, {
    headers: { Authorization: `Bearer ${key}` },
  }).catch(() => null);
  if (!answer) throw new Error(say("failed"));
  const found = await answer.json();
  if (!answer.ok) throw new Error(told(found.text));
  return found;
}

/* The numbers in the texts come with the runs: until those are computed "…" stands for them. */
async function refresh() {
  for (
    let tries = 0;
    tries < TRIES &&
    lecture.scenes.some(
      ({ title, text, glossed }) => !glossed || /…/.test(told(title) + told(text)),
    );
    tries += 1
  ) {
    await new Promise((next) => setTimeout(next, 700 + 100 * tries));
    const { scenes } = await fromRoom().catch(() => lecture);
    if (JSON.stringify(scenes) === JSON.stringify(lecture.scenes)) continue;
    lecture.scenes = scenes;
    bands = new Map();
    fill();
    pool.layAll();
  }
}

/* Without a room the Lectures page leaves the lecture in this browser, a moment after it opened
   this page. */
async function fromHere() {
  const name = `glassformer.present.${hash}`;
  for (
    const end = Date.now() + PATIENCE;
    Date.now() < end;
    await new Promise((next) => setTimeout(next, 50))
  ) {
    const text = localStorage.getItem(name);
    if (text) return JSON.parse(text);
  }
  throw new Error(say("present_none"));
}

/* Without a room this window remembers the scene, for when it is loaded anew. */
const KEPT = `glassformer.scene.${hash}`;
const kept = () => Number(sessionStorage.getItem(KEPT)) || 0;

/* The colours are those that the reader chose for the app, or the system's. */
function dress() {
  let chosen = null;
  try {
    chosen = JSON.parse(localStorage.getItem(`stActiveTheme-${base}/-v2`));
  } catch {
    /* the system's */
  }
  const theme = { Dark: "dark", Light: "light" }[
    lecture.theme ? { dark: "Dark", light: "Light" }[lecture.theme] : (chosen?.name ?? chosen)
  ];
  if (theme) document.documentElement.dataset.theme = theme;
}

// Screens: where they lie, which links they show.

function link(scene) {
  const [page, query] =
    lecture.scenes[scene].links[language] ?? Object.values(lecture.scenes[scene].links)[0];
  const { focus } = lecture.scenes[scene];
  const fits = Math.round(Math.max(100, Math.min(160, innerHeight / 8.2, innerWidth / 12.2)));
  const size = focus.length ? 100 : fits; // the stage is scaled as a whole
  const theme = document.documentElement.dataset.theme;
  return `${page}?${new URLSearchParams({ ...query, language, size, ...(theme && { theme }) })}`;
}

/* Of a scene; of null the whole window, for who explores. */
function place(scene) {
  const foot = byId("foot").offsetHeight,
    top = scene === null ? 0 : band(scene).height;
  const aside = scene === 0 && code ? invited() : 0;
  return { left: 0, top, width: innerWidth - aside, height: innerHeight - top - foot };
}

/* Where a panel fills the stage, its smallest type is as high as the last row needs it. */
function scaled(spot, scene, of) {
  const whole = Math.min(innerHeight / 720, innerWidth / 1100);
  const stage = Math.min((READABLE * innerHeight) / SMALL, spot.width / NARROWEST);
  const larger = Math.max(1, scene === null ? whole : stage);
  return { ...spot, scale: lecture.scenes[of].focus.length ? larger : 1 };
}

const invited = () => Math.round(Math.min(0.19 * innerWidth, 0.5 * innerHeight));

/* How high the texts of a scene are, and how much smaller than usual they are written. */
function band(scene) {
  if (!bands.has(scene)) {
    const before = byId("title").textContent;
    let shrink = 1;
    for (
      write(scene, shrink);
      byId("band").offsetHeight > HIGHEST * innerHeight && shrink > SMALLEST;
      write(scene, shrink)
    )
      shrink -= 0.1;
    bands.set(scene, { height: byId("band").offsetHeight, shrink });
    if (before) fill();
  }
  return bands.get(scene);
}

function write(scene, shrink) {
  const { title, text, glossed } = playedTexts(scene) ?? lecture.scenes[scene];
  byId("title").textContent = told(title);
  byId("text").replaceChildren(...lines(told(text)));
  const pairs = (glossed ?? []).map(([word, gloss]) =>
    make("span", {}, make("b", {}, word), make("small", {}, gloss)),
  );
  byId("sentence").replaceChildren(...pairs);
  byId("band").style.setProperty("--shrink", shrink);
}

const seen = () => pool?.shown?.scene ?? pool?.last ?? 0;

/* The texts of the scene that is seen: they change together with its screen. */
function fill() {
  const scene = seen();
  write(scene, band(scene).shrink);
}

function changed() {
  pool.last = pool.shown.scene;
  if (playedIsSeen()) {
    bands.delete(pool.last); // its texts are other ones now
    pool.layAll();
  }
  askHere(pool.last);
  fill();
  // An overlay that was opened meanwhile stays, about this scene.
  if (!byId("question").hidden) drawQuestion();
  if (!byId("overview").hidden) drawOverview();
  if (!byId("notes").hidden) drawNotes();
  invite();
  drawFoot();
}

/* Beside the first scene: how to join. */
function invite() {
  const invites = Boolean(code) && pool.last === 0;
  byId("invite").hidden = !invites;
  if (!invites) return;
  byId("invite").style.width = `${invited()}px`;
  byId("invite").style.top = `${band(0).height}px`;
  byId("invite").replaceChildren(joining());
}

function drawn(scene, blob) {
  const headers = { Authorization: `Bearer ${key}` };
  if (code && key)
    fetch(`${here}/picture/${scene}`, { method: "PUT", headers, body: blob }).catch(() => {});
  if (!byId("overview").hidden) drawOverview();
  if (!byId("notes").hidden) drawNotes();
}

/* Who has handed over follows: no key may move this screen alone. */
const drives = () => !code || Boolean(key);

// Steps. The newest wins: one is on its way to the room, the last of those after it follows.

function step(to) {
  if (!drives()) return;
  const scene = Math.max(0, Math.min(lecture.scenes.length - 1, to));
  light(false);
  hide();
  explored(false);
  forgetPlayed();
  if (scene === pool.at && !pool.shown?.touched) return;
  if (scene === pool.at) pool.again();
  else pool.go(scene);
  // The first scene counts with the minutes that are planned for it.
  if (started === null && scene > 0) started = Date.now() - 60_000 * lecture.scenes[0].minutes;
  if (!code) sessionStorage.setItem(KEPT, scene);
  tell("move", { scene });
  drawFoot();
}

/* The next scene on a side, as the short path goes. */
const goOn = (by) => step(stepped(pool.at, by, lecture.scenes.length, left()));
const isShort = () => (code ? Boolean(state?.short) : short);
const left = () =>
  isShort() ? [...lecture.scenes.keys()].filter((at) => lecture.scenes[at].short === false) : [];

function shorten() {
  if (code) tell("short", { short: !isShort() });
  else short = !short;
  redraw();
}

function startClock() {
  if (!drives()) return;
  started = Date.now();
  tell("clock", {});
  redraw();
}

function redraw() {
  if (!byId("notes").hidden) drawNotes();
  drawFoot();
}

async function tell(path, data) {
  if (!code || !key) return;
  await room.tell(path, data);
  catchUp();
}

/* What the room says of the scene, unless it has not yet heard of a later one from here. */
function catchUp() {
  if (!state || !room.has(state)) return;
  if (state.scene !== pool.at) {
    hide();
    explored(false);
    forgetPlayed();
    pool.go(state.scene);
  }
  light(state.black, false);
  playAsTold();
  drawFoot();
  askNow();
}

function listen() {
  const over = (why) => {
    if (why === "refused" && key) {
      key = ""; // somebody else drives: the screen in front follows
      warn(say("handed"));
      return listen();
    }
    return warn(say(why === "ended" ? "ended" : "failed"));
  };
  follow({
    key,
    over,
    behind: (is) => warn(is ? say("behind") : key ? "" : say("handed")),
    show(now) {
      state = now;
      if (now.now) shift = 1000 * now.now - Date.now();
      if (now.started) started = 1000 * now.started - shift;
      if (pool.at < 0) pool.go(now.scene);
      catchUp();
      if (!byId("question").hidden) drawQuestion();
      drawFoot();
    },
  });
}

function warn(text) {
  byId("told").textContent = text;
}

// What lies over the screens.

function hide(but = "") {
  asksLater = false;
  for (const each of OVERLAYS) if (each !== but) byId(each).hidden = true;
  pool?.layAll();
}

function toggle(name, draw) {
  hide(name);
  byId(name).hidden = !byId(name).hidden;
  if (!byId(name).hidden) draw();
  if (pool.shown) pool.lay(pool.shown);
  window.focus();
}

function light(is, tells = true) {
  if (is === black) return;
  black = is;
  byId("black").hidden = !is;
  if (tells && is) tell("black", { black: is });
}

function blacken() {
  if (!drives()) return;
  const is = !black;
  light(is, false);
  tell("black", { black: is });
}

function explored(is) {
  document.body.classList.toggle("exploring", is);
  if (is) {
    hide();
    pool.explore();
    pool.shown?.node.contentWindow.focus();
  } else if (pool.exploring || document.activeElement?.tagName === "IFRAME") {
    document.activeElement?.blur();
    window.focus();
  }
  drawFoot();
}

/* The scene as it was, after exploring or after a click on its screen. */
function back() {
  explored(false);
  if (played) tell("play", { number: null });
  bringBack();
}

function drawFoot() {
  const { scenes } = lecture,
    at = Math.max(pool?.at ?? 0, 0);
  document.body.classList.toggle("waits", Boolean(pool) && !pool.isThere && !pool.exploring);
  byId("progress").firstElementChild.style.width = `${(100 * (at + 1)) / scenes.length}%`;
  byId("place").textContent = say("scene", {
    scene: scenes[at].place,
    scenes: scenes.at(-1).place.split(".")[0],
  });
  const [name] = pool?.shown?.lacks ?? [];
  const lacks = name ? say("present_no_panel", { name }) : "";
  byId("mode").textContent = pool?.exploring
    ? say("present_exploring")
    : played
      ? say("present_played")
      : lacks;
  const waiting = (state?.proposals?.sentence ?? 0) + (state?.proposals?.question ?? 0);
  byId("waiting").textContent = waiting ? say("present_waiting", { count: waiting }) : "";
  const now = pool ? asked() : null;
  byId("asked").textContent =
    now && !now.result
      ? say(now.voted === null ? "present_asked" : "present_asked_votes", { count: now.voted })
      : "";
  byId("code").textContent = code;
  Object.assign(byId("help"), {
    title: say("present_keys_title"),
    ariaLabel: say("present_keys_title"),
    onclick: () => toggle("keys", drawKeys),
  });
  clock();
}

function clock() {
  const minutes = lecture.scenes.map((each) => each.minutes);
  const seconds = started === null ? 0 : Math.max(0, Math.floor((Date.now() - started) / 1000));
  byId("clock").textContent = say(isShort() ? "present_clock_short" : "present_clock", {
    used: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`,
    planned: Math.round(minutesOf(minutes, left())),
  });
}

// Keys, here and in the frames: they are heard before the pages hear them.

const last = () => lecture.scenes.length - 1;
const NEXT = ["PageDown"],
  BACK = ["PageUp"]; // of every clicker, at any time
const KEYS = {
  ArrowRight: () => goOn(1),
  ArrowDown: () => goOn(1),
  " ": () => goOn(1),
  ArrowLeft: () => goOn(-1),
  ArrowUp: () => goOn(-1),
  Home: () => step(0),
  End: () => step(last()),
  b: blacken,
  ".": blacken,
  o: () => toggle("overview", drawOverview),
  v: ask,
  q: () => code && toggle("join", () => byId("join").replaceChildren(joining())),
  n: () =>
    code ? key && window.open(`${here}/notes#${key}`, `notes-${code}`) : toggle("notes", drawNotes),
  t: () => drives() && shorten(),
  c: startClock,
  d: () => code && key && saveVotes(key).catch((error) => warn(error.message)),
  p: () => {
    ring = !ring;
    byId("ring").hidden = true;
  },
  f: () =>
    (document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen()
    ).catch(() => {}),
  e: () => explored(true),
  s: back,
  "?": () => toggle("keys", drawKeys),
  Escape: () => hide(),
};
const WHILE_EXPLORING = ["s", "b", ".", "f"]; // all others are the page's
// What somebody is at keeps the keys that it takes, on a scene, too: a field all of them, a slider
// those that move it. Escape leaves it.
const TYPED =
  "input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range]), textarea, select, " +
  "[role=textbox], [role=combobox], [role=listbox], [role=option], [role=menu], [role=menuitem], [role=spinbutton]";
const MOVED = "input[type=range], [role=slider]";
const MOVING = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

function takes(target, name) {
  if (!target.matches) return false; // a window
  return (
    target.isContentEditable ||
    target.matches(TYPED) ||
    (target.matches(MOVED) && [...MOVING, "Escape"].includes(name))
  );
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = NEXT.includes(name)
    ? () => goOn(1)
    : BACK.includes(name)
      ? () => goOn(-1)
      : KEYS[name];
  const clicker = [...NEXT, ...BACK].includes(name);
  const [target] = event.composedPath();
  if (!act) return;
  if (!clicker && takes(target, name))
    return void (name === "Escape" && !pool.exploring && target.blur());
  if (pool.exploring && !clicker && !WHILE_EXPLORING.includes(name)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!byId("overview").hidden && !clicker && wander(event)) return;
  act();
}

function heard(target) {
  target.addEventListener("keydown", pressed, true);
  target.addEventListener(
    "mousemove",
    ({ clientX, clientY }) => {
      if (!ring) return;
      const frame = target.frameElement;
      const { x, y, width } = frame?.getBoundingClientRect() ?? { x: 0, y: 0, width: 1 };
      const scale = width / (frame?.offsetWidth ?? 1);
      byId("ring").hidden = false;
      const [left, top] = [scale * clientX + x, scale * clientY + y];
      Object.assign(byId("ring").style, { left: `${left}px`, top: `${top}px` });
    },
    true,
  );
}

begin();
