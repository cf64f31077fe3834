/* The audience's page: the scene in front, its question, the bars after the reveal. */
"use strict";
let state = held("state");
const code = document.body.dataset.code;
const own = new Map(); // what was voted, by scene
const keep = `hall.${code}.votes`;
try {
  for (const [scene, value] of JSON.parse(localStorage.getItem(keep) ?? "[]"))
    own.set(scene, value);
} catch {
  /* a browser that keeps nothing */
}
let drawn = {}; // what the page shows: a part is made anew only when it changes

function part(name, ...of) {
  const now = JSON.stringify([language, ...of]);
  const changed = drawn[name] !== now;
  drawn[name] = now;
  return changed;
}

function draw() {
  const place = say("scene", { scene: state.place, scenes: state.places });
  byId("lecture").textContent = told(state.lecture);
  byId("place").textContent = place;
  byId("progress").style.width = `${(100 * (state.scene + 1)) / state.scenes}%`;
  byId("black").hidden = !state.black;
  byId("black").textContent = say("black");
  byId("lit").hidden = state.black;
  byId("title").textContent = told(state.title);
  document.title = `${told(state.title)} · Glassformer`;
  byId("behind").textContent = say("behind");
  byId("open").textContent = say("open_yourself");
  byId("open").href = `${here}/open?language=${language}`;
  byId("open_help").textContent = say("open_help");
  byId("code").textContent = `${say("code")}: ${code}`;
  if (part("text", state.text)) byId("text").replaceChildren(...lines(told(state.text)));
  const picture = byId("picture");
  byId("picture_open").hidden = !state.picture;
  picture.alt = say("picture", { title: told(state.title) });
  if (part("picture", state.scene, state.picture) && state.picture)
    picture.src = byId("picture_open").href = `${here}/picture/${state.scene}?v=${state.picture}`;
  // The question is not made anew while somebody types or is about to press.
  if (part("question", state.question?.scene === state.scene, state.question, state.result))
    drawQuestion();
  byId("played").hidden = !state.played;
  byId("text").hidden = Boolean(state.played); // its numbers are of another sentence
  if (part("played", state.played))
    byId("played").replaceChildren(`${say("played")} `, make("bdi", {}, state.played?.text ?? ""));
  if (part("sends")) byId("sends").replaceChildren(...["sentence", "question"].map(sender));
  if (part("spoken", state.scene, state.black, !!state.result)) {
    const answer = state.result?.answer?.text;
    byId("spoken").textContent = state.black
      ? say("black")
      : answer
        ? say("computed", { answer: told(answer) })
        : `${place}. ${told(state.title)}`;
  }
}

function drawQuestion() {
  const { question, result } = state;
  const box = byId("question");
  box.hidden = !question;
  if (!question) return box.replaceChildren();
  const mine = own.get(question.scene);
  const from = say("asked_in", { title: told(question.title) });
  const prompt = make(
    "div",
    {},
    question.scene === state.scene ? null : make("p", { className: "faint" }, from),
    make("h2", { id: "prompt" }, told(question.prompt)),
    question.sentence ? make("p", {}, question.sentence) : null,
  );
  const said = make("p", { className: "faint", id: "said", role: "status" });
  if (result) {
    const isOwn = (bar) =>
      mine !== undefined &&
      (bar.option === mine ||
        bar.word === mine ||
        (question.kind === "number" &&
          (bar.from ?? -Infinity) <= mine &&
          (mine < (bar.to ?? Infinity) || mine === bar.from)));
    const count = result.voted ? say("voted", { count: result.voted }) : say("no_votes");
    return box.replaceChildren(
      ...[
        prompt,
        answered(result.answer),
        bars(result, question, isOwn),
        make("p", { className: "faint" }, count),
        mine === undefined
          ? null
          : make("p", {}, say("your_answer", { answer: asSaid(question, mine) })),
      ].filter(Boolean),
    );
  }
  box.replaceChildren(prompt, { choice, number, word }[question.kind](question, mine), said);
  tell(question, mine);
}

const asSaid = (question, value) =>
  question.kind === "choice"
    ? told(question.options[value])
    : question.kind === "number"
      ? `${value}${told(question.unit)}`
      : value;

function tell(question, mine) {
  byId("said").textContent =
    mine === undefined
      ? say(`vote_${question.kind}`)
      : `${say("your_answer", { answer: asSaid(question, mine) })} ${say("change")}`;
}

async function vote(given) {
  const { scene } = state.question;
  let value; // as what it counts: the server reads what was typed
  try {
    ({ value } = await send("vote", { scene, value: given }));
  } catch (error) {
    if (byId("said")) byId("said").textContent = error.message;
    return;
  }
  own.set(scene, value);
  try {
    localStorage.setItem(keep, JSON.stringify([...own]));
  } catch {
    /* as above */
  }
  if (state.question?.scene !== scene || state.result) return;
  for (const each of byId("question").querySelectorAll("[data-value]"))
    each.setAttribute("aria-pressed", String(each.dataset.value === String(value)));
  tell(state.question, value);
}

const pressed = (value, text, mine) =>
  make(
    "button",
    {
      type: "button",
      "aria-pressed": String(value === mine),
      "data-value": value,
      onclick: () => vote(value),
    },
    text,
  );

function choice(question, mine) {
  return make(
    "div",
    { className: "options", role: "group", "aria-labelledby": "prompt" },
    ...question.options.map((option, at) => pressed(at, told(option), mine)),
  );
}

function word(question, mine) {
  if (!question.words) return make("p", { className: "faint" }, say("words_soon"));
  return make(
    "div",
    { className: "chips", role: "group", "aria-labelledby": "prompt" },
    ...question.words.map((each) => pressed(each, each, mine)),
  );
}

function number(question, mine) {
  const input = make("input", {
    inputMode: "decimal",
    autocomplete: "off",
    maxLength: 40,
    value: mine ?? "",
    "aria-label": say("number"),
  });
  return make(
    "form",
    {
      className: "number",
      onsubmit: (event) => {
        event.preventDefault();
        vote(input.value);
      },
    },
    input,
    told(question.unit) ? make("span", {}, told(question.unit)) : null,
    make("button", { className: "main" }, say("send")),
  );
}

/* A field for a sentence that the presenter may show, or for a question to them. What was typed
   stays when the language changes. */
const typed = {};
function sender(kind) {
  const field = make(kind === "sentence" ? "input" : "textarea", {
    autocomplete: "off",
    maxLength: 1000,
    value: typed[kind] ?? "",
    dir: "auto",
    ariaLabel: say(`propose_${kind}`),
    oninput: () => (typed[kind] = field.value),
  });
  const said = make("p", { className: "faint", role: "status" }, say(`${ABOUT[kind]}_about`));
  const onsubmit = async (event) => {
    event.preventDefault();
    try {
      const { text } = await send("propose", { kind, text: field.value });
      said.replaceChildren(`${say("proposed")} `, make("bdi", {}, text));
      typed[kind] = field.value = "";
    } catch (error) {
      said.textContent = error.message;
    }
  };
  const button = make("button", { className: "main" }, say("send"));
  return make(
    "details",
    {},
    make("summary", {}, say(`propose_${kind}`)),
    make("form", { onsubmit }, field, button, said),
  );
}
const ABOUT = { sentence: "propose", question: "question" };

speaks(byId("language"), draw);
follow({
  show: (now) => {
    const moved = now.scene !== state.scene;
    state = now;
    draw();
    if (moved) scrollTo(0, 0);
  },
  behind: (is) => {
    byId("behind").hidden = !is;
  },
  over: () => {
    byId("behind").hidden = true;
    byId("question").hidden = byId("sends").hidden = true;
    byId("spoken").textContent = say("ended");
    byId("scene").replaceChildren(make("h1", {}, say("ended")));
    byId("open_line").hidden = byId("open_help").hidden = true;
  },
});
