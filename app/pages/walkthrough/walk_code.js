// The symbols of a step as chips and its code.

const PARTS = new RegExp(
  [
    "(?<comment>#.*$)",
    '(?<string>"""|[rfb]?"[^"]*"|[rfb]?\'[^\']*\')',
    "(?<keyword>\\b(?:def|return|if|else|elif|for|in|is|not|and|or|None|True|False|import|from|as|" +
      "with|class|raise|assert|while|lambda)\\b)",
    "(?<digit>\\b\\d[\\d_.]*(?:e-?\\d+)?\\b)",
    "(?<name>(?:self\\.)?[A-Za-z_]\\w*)",
  ].join("|"),
  "g",
);
const MARKUP = `<div class="walk-code">
  <div class="head"><div class="symbols"></div></div>
  <section class="card boxed stacked fills">
    <div class="tabs" role="tablist"></div>
    <div class="place cut"></div>
    <div class="source fills" tabindex="0"></div>
  </section>
</div>`;

function link(view, go, title, ...inside) {
  const onclick = () => {
    walk.move(go.step);
    walk.send(view.trigger, "go", { address: go.address });
  };
  return make("button", { title, ...(go ? { data: { go: go.step }, onclick } : {}) }, ...inside);
}

function chip(view, { colour, go, on, runs, title, value }) {
  const texts = runs.map(([text, level]) =>
    make(level > 0 ? "sup" : level < 0 ? "sub" : "span", text),
  );
  const made = link(view, go, title, texts, value ? make("span.value", ` = ${value}`) : null);
  return set(made, {
    style: { "--role": colour },
    "aria-current": on ? "true" : null,
    tabIndex: go ? 0 : -1,
  });
}

function coded(view, { doc, shapes, text }) {
  const style = { "--hang": `${text.length - text.trimStart().length + 2}ch` };
  if (doc) return make("span.code.fills", { style }, make("span", text));
  const known = new Map(shapes.filter((each) => each.go).map((each) => [each.name, each]));
  const made = make("span.code.fills", { style });
  let at = 0;
  for (const { 0: part, groups, index } of text.matchAll(PARTS)) {
    if (index > at) made.append(text.slice(at, index));
    at = index + part.length;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    const variable = kind === "name" && text[at] !== "(" ? known.get(part) : undefined;
    if (variable) made.append(link(view, variable.go, variable.title, part));
    else made.append(kind === "name" ? part : make(`span.${kind}`, part));
  }
  made.append(text.slice(at));
  return made;
}

function shapesOf(view, shapes) {
  const size = ([letter, count], at) => [
    at ? " × " : "",
    letter === String(count) ? "" : `${letter} `,
    make("b", count),
  ];
  return make(
    ".shapes.wrapped",
    shapes.map(({ go, name, sizes, title }) => {
      const made = link(view, go, title, make("span.name", name), sizes.flatMap(size));
      return set(made, { className: "shape", tabIndex: -1 });
    }),
  );
}

function row(view, line) {
  const { doc, marked, number, ran, shapes } = line;
  const code = coded(view, line);
  if (shapes.length) code.append(shapesOf(view, shapes));
  return make(
    ".line",
    { is: { marked, doc, still: !ran && !doc } },
    make("span.number", number),
    code,
  );
}

// All marked lines in view where they fit, the first one never far from the top.
function scroll(source) {
  const marked = [...source.querySelectorAll(".marked")];
  if (!marked.length) return;
  const [first, last] = [marked[0].offsetTop, marked.at(-1).offsetTop + marked.at(-1).offsetHeight];
  const spare = Math.max(0, source.clientHeight - (last - first));
  source.scrollTop = Math.max(0, first - Math.min(spare / 2, source.clientHeight / 3));
}

function draw(view) {
  const {
    at,
    content: { sources, texts },
  } = view;
  const shown = sources[at];
  const tabs = sources.map(({ name }, place) => {
    const onclick = () => {
      view.at = place;
      draw(view);
      scroll(view.find(".source"));
    };
    return make("button", { role: "tab", "aria-selected": place === at, onclick }, name);
  });
  set(view.find(".tabs"), { "aria-label": texts.code_functions }).replaceChildren(...tabs);
  const said = shown ? shown.place : texts.code;
  set(view.find(".place"), { title: said, textContent: said });
  const lines = shown
    ? shown.lines.map((line) => row(view, line))
    : [make(".none", texts.code_none)];
  const source = view.find(".source");
  set(source, { "aria-label": texts.code }).replaceChildren(...lines);
}

function show(view) {
  const content = walk.content("code");
  view.root.classList.toggle("waiting", !content);
  if (!content || !view.differs("content", content)) return;
  const source = view.find(".source");
  const same = view.content?.step === content.step;
  const top = same ? source.scrollTop : null; // where the reader has scrolled to
  Object.assign(view, { content, at: same ? view.at : 0 });
  view.find(".symbols").replaceChildren(...content.symbols.map((symbol) => chip(view, symbol)));
  draw(view);
  return () => {
    if (same) {
      source.scrollTop = top;
      return;
    }
    scroll(source);
    document.fonts.ready.then(() => scroll(source)); // the font of code wraps elsewhere
  };
}

export default component(MARKUP, {
  start(view) {
    const source = view.find(".source");
    let height = 0;
    view.watch(source, () => {
      if (height && source.clientHeight !== height) scroll(source);
      height = source.clientHeight;
    });
  },
  mark: (view) => walk.follow("code", view.root, () => show(view)),
});
