// The symbols of a step as chips and its code. All text is set with textContent.

const PARTS = new RegExp(
  [
    "(?<comment>#.*$)",
    "(?<string>\"\"\"|[rfb]?\"[^\"]*\"|[rfb]?'[^']*')",
    "(?<keyword>\\b(?:def|return|if|else|elif|for|in|is|not|and|or|None|True|False|import|from|as|with|class|raise|assert|while|lambda)\\b)",
    "(?<digit>\\b\\d[\\d_.]*(?:e-?\\d+)?\\b)",
    "(?<name>(?:self\\.)?[A-Za-z_]\\w*)",
  ].join("|"),
  "g",
);
const watching = new WeakSet();
const shown = new WeakMap(); // which function of which step each component shows

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function link(go, title, send) {
  const made = element("button", "");
  made.type = "button";
  made.title = title;
  if (go) {
    made.dataset.go = go.step;
    made.onclick = () => {
      walk.move(go.step);
      walk.send(send, "go", { address: go.address });
    };
  }
  return made;
}

function chip(symbol, send) {
  const made = link(symbol.go, symbol.title, send);
  made.style.setProperty("--role", symbol.colour);
  for (const [text, level] of symbol.runs) {
    made.append(element(level > 0 ? "sup" : level < 0 ? "sub" : "span", "", text));
  }
  if (symbol.value) made.append(element("span", "value", ` = ${symbol.value}`));
  if (symbol.on) made.setAttribute("aria-current", "true");
  if (!symbol.go) made.tabIndex = -1;
  return made;
}

function written(line, send) {
  const made = element("span", "code");
  const known = new Map(line.shapes.filter((each) => each.go).map((each) => [each.name, each]));
  const indent = line.text.length - line.text.trimStart().length;
  made.style.setProperty("--hang", `${indent + 2}ch`);
  if (line.doc) {
    made.append(element("span", "", line.text));
    return made;
  }
  let at = 0;
  for (const found of line.text.matchAll(PARTS)) {
    if (found.index > at) made.append(line.text.slice(at, found.index));
    at = found.index + found[0].length;
    const kind = Object.keys(found.groups).find((name) => found.groups[name] !== undefined);
    const variable = kind === "name" && line.text[at] !== "(" ? known.get(found[0]) : undefined;
    if (variable) {
      const made_link = link(variable.go, variable.title, send);
      made_link.textContent = found[0];
      made.append(made_link);
    } else if (kind === "name") made.append(found[0]);
    else made.append(element("span", kind, found[0]));
  }
  made.append(line.text.slice(at));
  return made;
}

function shapes(line, send) {
  const made = element("div", "shapes");
  for (const each of line.shapes) {
    const one = link(each.go, each.title, send);
    one.className = "shape";
    one.tabIndex = -1;
    one.append(element("span", "name", each.name));
    each.sizes.forEach(([letter, size], place) => {
      if (place) one.append(" × ");
      if (letter !== String(size)) one.append(`${letter} `);
      one.append(element("b", "", String(size)));
    });
    made.append(one);
  }
  return made;
}

function row(line, send) {
  const made = element("div", "line");
  made.classList.toggle("marked", line.marked);
  made.classList.toggle("doc", line.doc);
  made.classList.toggle("still", !line.ran && !line.doc);
  made.append(element("span", "number", String(line.number)));
  const code = written(line, send);
  if (line.shapes.length) code.append(shapes(line, send));
  made.append(code);
  return made;
}

// All marked lines in view where they fit, the first one never far from the top.
function scroll(view) {
  const marked = view.querySelectorAll(".marked");
  if (!marked.length) return;
  const first = marked[0].offsetTop;
  const last = marked[marked.length - 1].offsetTop + marked[marked.length - 1].offsetHeight;
  const spare = Math.max(0, view.clientHeight - (last - first));
  view.scrollTop = Math.max(0, first - Math.min(spare / 2, view.clientHeight / 3));
}

function draw(root, data, send) {
  const find = (name) => root.querySelector(name);
  const now = shown.get(root);
  const source = data.sources[now.at];
  find(".tabs").replaceChildren(
    ...data.sources.map((each, place) => {
      const tab = element("button", "", each.name);
      tab.type = "button";
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(place === now.at));
      tab.onclick = () => {
        now.at = place;
        draw(root, data, send);
      };
      return tab;
    }),
  );
  find(".tabs").setAttribute("aria-label", data.texts.code_functions);
  find(".place").textContent = source ? source.place : data.texts.code;
  find(".source").setAttribute("aria-label", data.texts.code);
  const lines = source ? source.lines.map((line) => row(line, send)) : [];
  find(".source").replaceChildren(
    ...(source ? lines : [element("div", "none", data.texts.code_none)]),
  );
  scroll(find(".source"));
}

function show(root, send) {
  const data = walk.content("code");
  root.classList.toggle("waiting", !data);
  const before = shown.get(root);
  const drawn = data && JSON.stringify(data);
  if (!data || drawn === before?.drawn) return;
  for (const [name, value] of Object.entries(data.colours)) {
    root.style.setProperty(`--${name}`, value);
  }
  const view = root.querySelector(".source");
  const top = view.scrollTop;
  const same = before?.step === data.step;
  shown.set(root, { step: data.step, at: same ? before.at : 0, drawn });
  root.querySelector(".symbols").replaceChildren(...data.symbols.map((symbol) => chip(symbol, send)));
  draw(root, data, send);
  if (same) view.scrollTop = top;
}

export default function (component) {
  const { parentElement, setTriggerValue } = component;
  const root = parentElement.querySelector(".walk-code");
  const view = root.querySelector(".source");
  if (!watching.has(root)) {
    let height = view.clientHeight;
    const resized = new ResizeObserver(() => {
      if (view.clientHeight !== height) scroll(view);
      height = view.clientHeight;
    });
    watching.add(root);
    resized.observe(view);
  }
  walk.follow("code", () => root.isConnected && show(root, setTriggerValue));
}
