// Progress, curve and translations of a run, changed in place at every look.

const SVG = "http://www.w3.org/2000/svg";
const seen = new WeakMap();

function spans(parent, items, place) {
  parent.replaceChildren(
    ...items.map(([at, label]) => {
      const span = document.createElement("span");
      span.textContent = label;
      span.style[place] = `${100 * at}%`;
      return span;
    }),
  );
}

function drawCurve(find, drawing) {
  find(".plot .line").setAttribute("points", drawing.line.map(([x, y]) => `${x},${1 - y}`).join(" "));
  find(".grid").replaceChildren(
    ...drawing.up.map(([at]) => {
      const line = document.createElementNS(SVG, "line");
      for (const [name, value] of Object.entries({ x1: 0, x2: 1, y1: 1 - at, y2: 1 - at })) {
        line.setAttribute(name, value);
      }
      return line;
    }),
  );
  find(".marks").replaceChildren(
    ...drawing.marks.map(([x, y]) => {
      const mark = document.createElement("i");
      mark.style.left = `${100 * x}%`;
      mark.style.bottom = `${100 * y}%`;
      return mark;
    }),
  );
  spans(find(".up"), drawing.up, "bottom");
  spans(find(".across"), drawing.across, "left");
}

function cell(name, text, language, nothing) {
  const span = document.createElement("span");
  span.className = name;
  if (name === "said") span.lang = language;
  if (text || name !== "said") {
    span.textContent = text;
  } else {
    const empty = document.createElement("i");
    empty.textContent = nothing;
    span.append(empty);
  }
  span.title = text;
  return span;
}

function drawRows(find, data) {
  find(".rows").replaceChildren(
    ...data.rows.map((row) => {
      const line = document.createElement("div");
      line.className = "row";
      line.append(
        cell("step", row.step),
        cell("said", row.text, data.language, data.texts.nothing),
        cell("right", row.right),
      );
      return line;
    }),
  );
}

function drawFacts(find, facts) {
  find(".facts").replaceChildren(
    ...facts.map(([what, value]) => {
      const fact = document.createElement("span");
      const name = document.createElement("small");
      name.textContent = what;
      fact.append(name, value);
      return fact;
    }),
  );
}

export default function (component) {
  const { data, parentElement } = component;
  if (!data) return;
  const find = (name) => parentElement.querySelector(name);
  const before = seen.get(parentElement) ?? {};
  const now = { curve: JSON.stringify(data.drawing), rows: JSON.stringify([data.rows, data.texts]) };
  seen.set(parentElement, now);
  const lesson = find(".lesson");
  lesson.className = `lesson ${data.tone}`;
  for (const [name, colour] of Object.entries(data.colours)) lesson.style.setProperty(`--${name}`, colour);
  find(".headline").textContent = data.headline;
  find(".bar").setAttribute("aria-valuenow", Math.round(100 * data.share));
  find(".bar i").style.width = `${100 * data.share}%`;
  drawFacts(find, data.facts);
  find(".of-line").textContent = data.texts.loss;
  find(".of-mark").textContent = data.texts.held_out;
  for (const [name, text] of [["step", "step"], ["said", "translation"], ["right", "right"]]) {
    find(`.head .${name}`).textContent = find(`.head .${name}`).title = data.texts[text];
  }
  if (now.curve !== before.curve) drawCurve(find, data.drawing);
  if (now.rows !== before.rows) drawRows(find, data);
}
