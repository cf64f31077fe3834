// Text and formulas of the step in view. Formulas are set by what Streamlit brings for its
// markdown.

const MATH = ["language-math", "math-inline"];
const SPACES = { svg: SVG, math: "http://www.w3.org/1998/Math/MathML" };
const NAMES = { className: "class", ariaHidden: "aria-hidden" };
let typeset = null; // until it is loaded; false where that failed

// Paragraphs with **strong** and *light* stress, nothing else: the text is one of our own.
function stressed(text) {
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    if (part.startsWith("**")) return make("strong", part.slice(2, -2));
    return part.startsWith("*") ? make("em", part.slice(1, -1)) : part;
  });
}

// One LaTeX formula, as Streamlit's own markdown sets it: the plugin turns marked code into a tree.
function formula(latex) {
  const code = {
    type: "element",
    tagName: "code",
    properties: { className: MATH },
    children: [{ type: "text", value: latex }],
  };
  const tree = { type: "root", children: [code] };
  if (typeset) typeset(tree, { message() {} });
  return make(
    "span",
    tree.children.map((child) => grown(child, document.documentElement.namespaceURI)),
  );
}

function grown(tree, around) {
  if (tree.type === "text") return document.createTextNode(tree.value);
  const space = SPACES[tree.tagName] ?? around;
  const node = document.createElementNS(space, tree.tagName);
  for (const [name, value] of Object.entries(tree.properties)) {
    node.setAttribute(NAMES[name] ?? name, [value].flat().join(" "));
  }
  node.append(...tree.children.map((child) => grown(child, space)));
  return node;
}

function show(view) {
  const content = walk.content("words");
  view.root.classList.toggle("waiting", content === null);
  if (!content) return;
  if (typeset === null) load(content.katex).then(() => walk.draw());
  if (typeset === null || !view.differs("content", content)) return;
  const text = content.text.split("\n\n").map((sentences) => make("p", stressed(sentences)));
  const notes = content.notes.flatMap(([before, strong, after]) => [
    " ",
    make("span.note", before, make("strong", strong), after),
  ]);
  const numbers = content.numbers ? formula(content.numbers) : null;
  view.find(".walk-text").replaceChildren(...text);
  view
    .find(".walk-formula")
    .replaceChildren(
      make("p.equations", content.equations.map(formula)),
      make("p.cell", content.cell),
      make("p.numbers", numbers, notes),
    );
  return () => {
    for (const part of view.root.children) part.scrollTop = 0;
  };
}

// From beside the scripts of the page, whatever path it is served under.
async function load(file) {
  const own = document.querySelector('script[type="module"][src*="static/js/"]');
  try {
    typeset ??= (await import(new URL(file, own.src).href)).default();
  } catch {
    typeset = false; // the formulas stand there as they are written in LaTeX
  }
}

export default component(
  `<div class="walk-words"><div class="walk-text"></div><div class="walk-formula"></div></div>`,
  {
    mark: (view) => walk.follow("words", view.root, () => show(view)),
  },
);
