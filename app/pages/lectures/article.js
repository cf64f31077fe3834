// A lecture as an article: a scene below the other, live screens where the reader is, questions
// that are answered at once. Where the reader was and what they answered stays in this browser.

const READ = "glassformer.read."; // in localStorage
const NARROW = 600; // pixels: a page in a narrower place is laid out as on a phone
const WIDE = 1000; // pixels that a page of the app wants in any other
const UNMOVED = 150; // ms without scrolling, after which screens may come

const recall = (view, name) => {
  try {
    return JSON.parse(localStorage.getItem(READ + view.data.name + name));
  } catch {
    return null;
  }
};
const remember = (view, name, value) => {
  try {
    localStorage.setItem(READ + view.data.name + name, JSON.stringify(value));
  } catch {
    /* the browser keeps no more */
  }
};

const base = () => location.pathname.replace(/\/lectures\/?$/, "");

// A link in the reader's own language and theme, as seen from the app's base.
function linkOf(view, [page, query]) {
  const { language, theme } = view.data.reader;
  return `${page}?${new URLSearchParams({ ...query, language, ...(theme && { theme }) })}`;
}

const paragraphs = (text) =>
  text
    .split(/\n\s*\n/)
    .filter((each) => each.trim())
    .map((each) => make("p", { dir: "auto" }, each));

// What is asked.

const plain = (typed) =>
  Number(
    typed
      .normalize("NFKC")
      .replace(/[−–]/g, "-")
      .replace(/[%\s]/g, "")
      .replace(",", "."),
  );

function choices(options, given, take) {
  return make(
    ".wrapped.options",
    options.map(([value, said]) =>
      make(
        "button.push.option",
        { "aria-pressed": given === value, data: { option: value }, onclick: () => take(value) },
        said,
      ),
    ),
  );
}

function numberField({ data: { texts } }, question, given, take) {
  const field = make("input.number", { inputMode: "decimal", value: given ?? "" });
  field.setAttribute("aria-label", texts.number);
  const said = make("span.hint", { role: "status" });
  const answer = () => {
    const number = field.value.trim() ? plain(field.value) : NaN;
    if (Number.isFinite(number)) take(number);
    else said.textContent = texts.number;
  };
  field.onkeydown = ({ key }) => key === "Enter" && answer();
  const button = make("button.push", { onclick: answer }, texts.answer);
  return make(".wrapped.options", field, question.unit, button, said);
}

const namedAnswer = (question, given) =>
  question.kind === "choice" ? (question.options[given] ?? "") : `${given}`;

// Right or not, what the run answers, and which of its numbers decided.
function verdict(view, question, given) {
  const { texts } = view.data;
  const { asked, name } = question;
  if (asked === "before") return [make("p.verdict", texts.kept)];
  if (question.error) return [make("p.verdict", phrase(texts.none, { why: question.error }))];
  const isRight = given === question.right;
  const said = { given: namedAnswer(question, given) };
  const told =
    question.kind === "number"
      ? phrase(texts.said, { given: `${given}${question.unit}` })
      : isRight
        ? `✓ ${texts.right}`
        : phrase(texts.wrong, said);
  const answer = phrase(question.given ? texts.given : texts.run, { answer: question.answer });
  const before = recall(view, ".answers")?.[name.replace(/^after-/, "before-")];
  const learned = asked === "after" && before !== undefined;
  return [
    make("p.verdict", { is: { right: isRight } }, make("b", told), " ", answer),
    learned
      ? make("p.faint", phrase(texts.learned, { given: namedAnswer(question, before) }))
      : null,
    question.why ? reason(view, question) : null,
  ];
}

function reason(view, { why, address, look }) {
  const { texts } = view.data;
  return make(
    ".why",
    make("span.faint", texts.why),
    why.map(([name, number]) => make("span.row", make("bdi", name), make("b", number))),
    make(
      "a",
      { href: `${base()}/${linkOf(view, look)}`, target: "_blank", title: address },
      texts.look,
    ),
  );
}

function questionOf(view, question) {
  const { name } = question;
  const given = (recall(view, ".answers") ?? {})[name];
  const take = (value) => {
    remember(view, ".answers", { ...recall(view, ".answers"), [name]: value });
    const next = questionOf(view, question);
    view.find(`[data-asks="${name}"]`).replaceWith(next);
    next.querySelector(".option[aria-pressed=true], input")?.focus({ preventScroll: true });
    view.place();
  };
  const isNumber = question.kind === "number";
  const words = question.words.map((word) => [word, word]);
  const options = question.kind === "word" ? words : question.options.map((each, at) => [at, each]);
  return make(
    ".question",
    { data: { asks: name } },
    make("p.prompt", { dir: "auto" }, make("b", question.prompt)),
    question.asked === "before" ? make("p.faint", view.data.texts.before) : null,
    isNumber ? numberField(view, question, given, take) : choices(options, given, take),
    make("div", { role: "status" }, given === undefined ? null : verdict(view, question, given)),
  );
}

// What is shown.

function screenOf(view, part) {
  const { texts } = view.data;
  const again = make("button.push.tool", { hidden: true, data: { again: part.name } }, texts.again);
  const node = make(".screen", { data: { part: part.name } }, make("span.faint", texts.waits));
  const place = {
    node,
    title: part.title,
    kept: null,
    get least() {
      return node.clientWidth < NARROW ? 0 : WIDE;
    },
    address: () => linkOf(view, part.links[part.step ?? 0]),
    stage: () => part.stages[part.step ?? 0],
    again,
  };
  // Fingers scroll over a screen, until it is to be worked with.
  const work = make("button.push.tool.work", { data: { work: part.name } }, texts.work);
  work.onclick = () => {
    const frame = view.screens.of(place);
    if (frame) frame.node.classList.toggle("works");
    work.setAttribute("aria-pressed", Boolean(frame?.node.classList.contains("works")));
  };
  again.onclick = () => {
    again.hidden = true;
    view.screens.again(place);
  };
  view.places.push(place);
  const open = make(
    "a.push.tool",
    { href: `${base()}/${place.address()}`, target: "_blank", data: { open: part.name } },
    texts.open,
  );
  return [place, node, make(".lined.tools", work, again, open)];
}

// The steps of a scene, one after the other; the screen shows the one that is chosen.
function stepsOf(view, part, place) {
  const steps = part.links.map((_, at) =>
    make(
      "li",
      { is: { said: at && part.texts[at] } },
      make(
        "button.step.framed",
        {
          "aria-current": at === (part.step ?? 0) ? "step" : null,
          onclick: () => {
            part.step = at;
            setCurrent(list.querySelectorAll("button"), at);
            view.screens.again(place);
          },
        },
        make("b", phrase(view.data.texts.step, { step: at + 1 })),
        " ",
        make("bdi", at ? part.texts[at] : ""),
      ),
    ),
  );
  const list = make("ol.wrapped.steps", steps);
  return list;
}

function partOf(view, part, at) {
  const [place, screen, tools] = screenOf(view, part);
  return make(
    "section.part",
    { data: { name: part.name } },
    make("h4", { dir: "auto" }, make("span.count", `${at + 1}`), part.title),
    part.newSentence ? glossed(part.sentence) : null,
    paragraphs(part.texts[0]),
    part.links.length > 1 ? stepsOf(view, part, place) : null,
    part.asked ? null : [screen, tools],
    part.questions.map((each) => questionOf(view, each)),
  );
}

// A sentence with the other language's words under its own.
const glossed = (pieces) =>
  make(
    "p.glossed",
    pieces.map(([word, gloss]) => make("ruby", word, make("rt", gloss || "\u00a0"))),
  );

function contents(view, parts) {
  const go = (name) => () => {
    const part = view.find(`[data-name="${name}"]`);
    part.scrollIntoView({ block: "start" });
    set(part, { tabIndex: -1 }).focus({ preventScroll: true });
  };
  return make(
    "ol.contents",
    parts.map(({ name, title }, at) =>
      make(
        "li",
        make("button.entry", { onclick: go(name), data: { to: name } }, `${at + 1} `, title),
      ),
    ),
  );
}

// Screens for what is in sight, the nearest to the middle first; and where the reader is.
function look(view) {
  if (view.isLeft || !view.root.isConnected) return;
  const middle = innerHeight / 2;
  const away = ({ node }) => {
    const { top, bottom } = node.getBoundingClientRect();
    return top > middle ? top - middle : Math.max(0, middle - bottom);
  };
  const near = view.places
    .filter((place) => place.node.isConnected && away(place) < 1.2 * innerHeight)
    .sort((one, other) => away(one) - away(other));
  view.screens.show(near);
  const parts = [...view.root.querySelectorAll(".part")];
  const passed = parts.filter((each) => each.getBoundingClientRect().top < middle);
  const here = passed.at(-1)?.dataset.name;
  if (here) remember(view, ".place", here);
  setCurrent(view.root.querySelectorAll(".entry"), passed.length - 1);
}

export default component(".article.pane", {
  start(view) {
    view.places = [];
    let waits = 0;
    view.place = () => {
      view.screens.layAll();
      clearTimeout(waits);
      waits = view.later(() => look(view), UNMOVED);
    };
    set(view.root, { tabIndex: 0 });
    // Either scrolls: the article, or on a phone the page.
    for (const each of [view.root, document])
      view.hear(each, "scroll", view.place, { capture: true, passive: true });
    view.hear(window, "resize", view.place);
    view.watch(view.root, view.place);
  },
  draw(view, { about, parts }) {
    const place = recall(view, ".place");
    view.places = [];
    for (const [at, part] of parts.entries())
      part.newSentence = `${part.sentence}` !== `${parts[at - 1]?.sentence ?? ""}`;
    view.root.replaceChildren(
      ...(about ? paragraphs(about) : []),
      contents(view, parts),
      ...parts.map((each, at) => partOf(view, each, at)),
    );
    view.screens = new Screens(view.root, base(), (each) => (each.again.hidden = false));
    const at = parts.findIndex(({ name }) => name === place);
    if (at > 0) view.find(`[data-name="${place}"]`).scrollIntoView({ block: "start" });
    view.place();
  },
});
