// Text and formulas of the step in view. Formulas are set by what Streamlit brings for its markdown.

const MATH = ["language-math", "math-inline"];
const SPACES = { svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };
const NAMES = { className: "class", ariaHidden: "aria-hidden" };
let typeset = null; // until it is loaded; false where that failed
const drawn = new WeakMap(); // what each place shows

function element(kind, name, text) {
  const made = document.createElement(kind);
  made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

// Paragraphs with **strong** and *light* stress, nothing else: the text is one of our own.
function stressed(text) {
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*)/).map((part) => {
    if (part.startsWith("**")) return element("strong", "", part.slice(2, -2));
    return part.startsWith("*") ? element("em", "", part.slice(1, -1)) : part;
  });
}

// One LaTeX formula, as Streamlit's own markdown sets it: the plugin turns marked code into a tree.
function formula(latex) {
  const code = { type: "element", tagName: "code", properties: { className: MATH }, children: [{ type: "text", value: latex }] };
  const tree = { type: "root", children: [code] };
  if (typeset) typeset(tree, { message() {} });
  const made = element("span", "");
  made.append(...tree.children.map((child) => grown(child, document.documentElement.namespaceURI)));
  return made;
}

function grown(tree, around) {
  if (tree.type === "text") return document.createTextNode(tree.value);
  const space = SPACES[tree.tagName] ?? around;
  const made = document.createElementNS(space, tree.tagName);
  for (const [name, value] of Object.entries(tree.properties)) {
    made.setAttribute(NAMES[name] ?? name, [value].flat().join(" "));
  }
  made.append(...tree.children.map((child) => grown(child, space)));
  return made;
}

function show(root) {
  const content = walk.content("words");
  root.classList.toggle("waiting", content === null);
  const key = content && JSON.stringify([content, typeset !== null]);
  if (!content || typeset === null || key === drawn.get(root)) return;
  drawn.set(root, key);
  root.style.setProperty("--faint", content.faint);
  const [equations, numbers] = ["equations", "numbers"].map((name) => element("p", name));
  const text = content.text.split("\n\n").map((sentences) => {
    const paragraph = element("p", "");
    paragraph.append(...stressed(sentences));
    return paragraph;
  });
  equations.append(...content.equations.map(formula));
  if (content.numbers) numbers.append(formula(content.numbers));
  for (const [before, strong, after] of content.notes) {
    const note = element("span", "note");
    note.append(before, element("strong", "", strong), after);
    numbers.append(" ", note);
  }
  root.querySelector(".walk-text").replaceChildren(...text);
  root.querySelector(".walk-formula").replaceChildren(equations, element("p", "cell", content.cell), numbers);
  for (const part of root.children) part.scrollTop = 0;
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

export default function (component) {
  const root = component.parentElement.querySelector(".walk-words");
  walk.follow("words", () => {
    if (!root.isConnected) return;
    const content = walk.content("words");
    if (typeset === null && content) load(content.katex).then(() => show(root));
    show(root);
  });
}
