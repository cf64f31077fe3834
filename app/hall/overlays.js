/* What lies over the screens of the presenter's page: the question, the room, all scenes, notes,
   keys. */
"use strict";

/* Prompt and answers of the question on screen, where one is asked; the votes where there are
   any. */
function asked() {
  const scene = seen();
  if (!code) {
    const { question, answer } = lecture.scenes[scene];
    return question && { question, result: revealed.has(scene) ? answer : null, voted: null };
  }
  const is = state?.scene === scene && state.question;
  return is
    ? { question: state.question, result: state.result, voted: state.votes?.voted ?? null }
    : null;
}

async function ask() {
  const now = asked();
  if (!now) return;
  if (byId("question").hidden) return toggle("question", drawQuestion);
  if (now.result) return hide();
  if (!code) revealed.add(seen());
  else if (key) await tell("reveal", {});
  drawQuestion();
}

function drawQuestion() {
  const now = asked();
  if (!now) return hide();
  const { question, result, voted } = now;
  const box = byId("question"),
    asks = Boolean(code) && !result;
  box.classList.toggle("asks", asks);
  const inside = [make("h2", {}, told(question.prompt))];
  if (result)
    inside.push(
      answered(result.answer),
      result.bars?.length ? bars(result, question) : null,
      code
        ? make(
            "p",
            { className: "count" },
            result.voted ? say("voted", { count: result.voted }) : say("no_votes"),
          )
        : null,
    );
  else {
    const options = question.options?.map((each) => make("li", {}, told(each)));
    if (options) inside.push(make("ol", { className: "options", type: "A" }, ...options));
    else if (question.words)
      inside.push(
        make(
          "div",
          { className: "words" },
          ...question.words.map((each) => make("span", {}, each)),
        ),
      );
    if (voted !== null)
      inside.push(
        make("p", { className: "count" }, make("b", {}, String(voted)), ` ${say("present_votes")}`),
      );
  }
  const left = make("div", {}, ...inside.filter(Boolean));
  box.replaceChildren(left, ...(asks ? [joining()] : []));
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

/* Without a room the notes lie over the screen, for whoever prepares. */
function drawNotes() {
  const scene = seen(),
    next = lecture.scenes[scene + 1];
  byId("notes").replaceChildren(
    make("h2", {}, told(lecture.scenes[scene].title)),
    ...lines(told(lecture.scenes[scene].notes) || say("no_notes")),
    make(
      "p",
      { className: "faint" },
      next ? say("next", { title: told(next.title) }) : say("last"),
    ),
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
