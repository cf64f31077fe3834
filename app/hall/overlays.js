/* What lies over the screens of the presenter's page: the question, the room, all scenes, notes,
   keys. */
"use strict";

/* Without a room: the scenes whose questions are open, the last one last; the one just revealed. */
const PASSED = 2_000; // ms: a scene that is left sooner has asked nothing
const openHere = { open: [], answered: new Set(), shown: null, at: null, since: 0 };

function askHere(scene) {
  if (code || scene === openHere.at) return;
  // Those that a lecture begins with, and asks again at its end, are over once it goes on.
  const before = (at) => lecture.scenes[at].question?.asked === "before";
  const isOver = (at) => before(at) && !before(scene);
  const { open, at, since, answered } = openHere;
  const passed = Date.now() - since < PASSED ? at : null;
  const asks = lecture.scenes[scene].question && !answered.has(scene);
  openHere.open = [
    ...open.filter((each) => each !== scene && each !== passed && !isOver(each)),
    ...(asks ? [scene] : []),
  ];
  Object.assign(openHere, { shown: null, at: scene, since: open.includes(scene) ? 0 : Date.now() });
}

/* Whose question it is: the one just revealed, the last that is open, this scene's with its
   answer. */
function askedScene() {
  const { shown, open, answered } = openHere;
  return shown ?? open.at(-1) ?? (answered.has(seen()) ? seen() : null);
}

/* The question that is open, whatever scene is on, or the one just revealed; its votes. */
function asked() {
  if (code) {
    const is = state?.question;
    return is
      ? { question: is, scene: is.scene, result: state.result, voted: state.votes?.voted ?? null }
      : null;
  }
  const scene = askedScene();
  if (scene === null) return null;
  const { question, answer, title } = lecture.scenes[scene];
  const result = openHere.answered.has(scene) ? answer : null;
  return { question: { ...question, scene, title }, scene, result, voted: null };
}

let asksLater = false; // once the room has heard of the step before it

async function ask() {
  const now = asked();
  const isInFront = !byId("question").hidden;
  if (isInFront && now?.result) return hide();
  // What the room says while something is on its way there is over.
  if (code && state && !room.has(state)) return void (asksLater = !isInFront);
  if (!now) return;
  openHere.since = 0; // it was asked, however soon the next step comes
  if (!isInFront) return toggle("question", drawQuestion);
  if (!code) {
    openHere.answered.add(now.scene);
    openHere.open = openHere.open.filter((each) => each !== now.scene);
    openHere.shown = now.scene;
  } else if (key) await tell("reveal", { scene: now.scene });
  drawQuestion();
  drawFoot();
}

function askNow() {
  const asks = asksLater;
  asksLater = false;
  if (asks) ask();
}

const PANEL = 0.34; // of the window's width: the question stands beside the picture
const NARROW = 900; // px of a window in which it lies over it

/* Where a screen lies while the question stands beside it. */
function besideQuestion(spot) {
  if (byId("question").hidden || innerWidth < NARROW) return spot;
  const width = Math.min(spot.width, Math.floor((1 - PANEL) * innerWidth));
  return { ...spot, width };
}

function drawQuestion() {
  const now = asked();
  if (!now) return hide();
  const { question, result, voted, scene } = now;
  const box = byId("question"),
    asks = Boolean(code) && !result;
  box.style.top = innerWidth < NARROW ? "0" : `${band(seen()).height}px`;
  box.classList.toggle("asks", asks);
  box.replaceChildren(
    ...[
      scene === seen() ? null : make("p", { className: "from" }, told(question.title)),
      make("h2", {}, told(question.prompt)),
      question.sentence ? make("p", { className: "sentence" }, question.sentence) : null,
      ...(result ? drawnAnswer(question, result) : drawnOptions(question)),
      voted === null || result
        ? null
        : make("p", { className: "count" }, make("b", {}, `${voted}`), ` ${say("present_votes")}`),
      asks ? joining() : null,
    ].filter(Boolean),
  );
  // What does not fit is written smaller, down to where it is read from the last row.
  for (let shrink = 1; shrink >= SMALLEST; shrink -= 0.05) {
    box.style.setProperty("--shrink", shrink);
    if (box.scrollHeight <= box.clientHeight) break;
  }
}

function drawnAnswer(question, result) {
  const count = result.voted ? say("voted", { count: result.voted }) : say("no_votes");
  return [
    answered(result.answer),
    result.bars?.length ? bars(result, question) : null,
    code ? make("p", { className: "count" }, count) : null,
  ];
}

function drawnOptions(question) {
  const options = question.options?.map((each) => make("li", {}, told(each)));
  if (options) return [make("ol", { className: "options", type: "A" }, ...options)];
  const chips = question.words?.map((each) => make("span", {}, each));
  return chips ? [make("div", { className: "words" }, ...chips)] : [];
}

function joining() {
  const { join = `${location.origin}${here}` } = lecture;
  return make(
    "div",
    { className: "join" },
    make("img", { src: `${here}/qr.svg`, alt: say("present_qr") }),
    make("span", { className: "where" }, join.replace(/^https?:\/\//, "").replace(/\/[^/]*$/, "")),
    make("b", {}, code),
  );
}

function drawOverview() {
  const box = byId("overview"),
    focused = [...box.children].indexOf(document.activeElement);
  box.replaceChildren(
    ...lecture.scenes.map((scene, place) => {
      const picture = make("span", {});
      if (pool.pictures.get(place))
        picture.style.backgroundImage = `url(${pool.pictures.get(place)})`;
      const button = make(
        "button",
        { onclick: () => step(place) },
        picture,
        make("span", {}, make("small", {}, `${scene.place} `), told(scene.title)),
      );
      if (place === pool.at) button.setAttribute("aria-current", "step");
      return button;
    }),
  );
  (box.children[focused] ?? box.children[pool.at])?.focus();
}

/* The arrows in the overview go from picture to picture, in the rows as they lie. */
function wander(event) {
  const all = [...byId("overview").children],
    now = Math.max(0, all.indexOf(document.activeElement));
  const across = all.filter((each) => each.offsetTop === all[0].offsetTop).length;
  const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across }[event.key];
  if (by) all[Math.max(0, Math.min(all.length - 1, now + by))].focus();
  else if (event.key === "Enter" || event.key === " ") step(now);
  else return false;
  return true;
}

/* Without a room the notes lie over the screen, for whoever prepares: as in the hall, with this
   picture and the next. */
function drawNotes() {
  const scene = seen(),
    on = stepped(scene, 1, lecture.scenes.length, left()),
    next = on === scene ? null : lecture.scenes[on],
    now = asked();
  const { title, notes } = lecture.scenes[scene];
  const follows = next ? say("next", { title: told(next.title) }) : say("last");
  byId("notes").replaceChildren(
    make("h2", {}, told(title)),
    make(
      "div",
      { className: "pictures" },
      pictured(pool.pictures.get(scene)),
      next ? pictured(pool.pictures.get(on), follows) : make("p", { className: "faint" }, follows),
    ),
    ...(told(notes) ? noteLines(told(notes)) : lines(say("no_notes"))),
    ...(now
      ? [
          make("h3", {}, told(now.question.prompt)),
          now.result ? answered(now.result.answer) : make("p", {}, say("present_asked")),
        ]
      : []),
  );
}

function drawKeys() {
  const rows = say("present_keys")
    .split("\n")
    .map((each) => each.split(" | "));
  byId("keys").replaceChildren(
    make("h2", {}, say("present_keys_title")),
    make("dl", {}, ...rows.flatMap(([name, does]) => [make("dt", {}, name), make("dd", {}, does)])),
  );
}
