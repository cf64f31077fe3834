// The translation as large as its box allows: the largest of a few sizes that needs no scrolling.

const SIZES = [2.75, 2.25, 1.9, 1.4, 1.15]; // rem; the last one may scroll
const COMPACT = [1.9, 1.4, 1.15, 0.95];
const MARKUP = `<div class="headline">
  <div class="box"><div class="text" dir="auto"><span class="before"></span><span class="first"></span><span class="after"></span></div></div>
  <div class="below wrapped">
    <span class="cue swatch cut"><b class="badge"></b><span class="why"></span></span><span class="hint cut"></span>
  </div>
</div>`;

const fit = (view) => fitType(view.find(".text"), view.find(".box"), view.sizes ?? []);

// Other sentences of the text, each picked by a click where it can be; `from`: the place of the
// first.
function others(view, sentences, from) {
  const { pick } = view.data;
  return sentences.map((text, at) => {
    const go = () => view.send("sentence", { to: from + at });
    const press = (event) => event.target === event.currentTarget && presses(event) && go();
    const picked = pick
      ? { role: "button", tabIndex: 0, title: pick, onclick: go, onkeydown: press }
      : {};
    return make("span.other", picked, text);
  });
}

// A first reader is told what there is to see, until a word has been clicked.
function hint(view) {
  const [about, action] = (isNew() && view.data.first) || [view.data.hint, ""];
  const place = view.find(".hint");
  place.replaceChildren(about, action && " ", action && make("b", action));
  set(place, { title: `${about} ${action}`, is: { inviting: action } });
}

export default component(MARKUP, {
  start(view) {
    view.watch(view.find(".box"), () => fit(view));
    view.hear(document, "click", () => hint(view)); // after what was clicked has heard of it
  },
  draw(view, data) {
    const { compact, cue, cue_help: help, level } = data;
    const doubted = level === "unsure";
    set(view.root, { is: { compact, doubted } });
    const below = view.find(".below");
    if (doubted) view.root.prepend(below); // read before the translation, by ear, too
    else view.root.append(below);
    const sizes = compact ? COMPACT : SIZES;
    view.sizes = doubted ? sizes.slice(-2) : sizes; // nonsense does not look like success
    const parts = data.parts.map(([text, given]) => make(given ? "span.given" : "span", text));
    view.find(".first").replaceChildren(...(parts.length ? parts : [data.text]));
    const { before, after, space } = data;
    view
      .find(".before")
      .replaceChildren(...others(view, before, 0).flatMap((each) => [each, space]));
    view
      .find(".after")
      .replaceChildren(...others(view, after, before.length + 1).flatMap((each) => [space, each]));
    view.write({ ".badge": data.badge, ".why": cue });
    hint(view);
    view.find(".text").lang = data.language;
    set(view.find(".cue"), { title: `${cue}\n${help}`, className: `cue swatch cut ${level}` });
  },
  mark: fit,
});
