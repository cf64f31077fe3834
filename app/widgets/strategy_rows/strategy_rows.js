// A row a strategy, a column a step: the same step of all stands in one column. Every text is set
// with textContent.

const panels = new WeakMap();

function element(tag, name, text) {
  const made = document.createElement(tag);
  made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function at(node, row, column) {
  node.style.gridRow = row;
  node.style.gridColumn = column;
  return node;
}

function makeWord(panel, line, word, step, hand) {
  const button = element("button", `word${word.new ? " new" : ""}${word.end ? " end" : ""}`);
  button.type = "button";
  button.title = word.title;
  Object.assign(button.dataset, { name: line.name, step });
  const bar = element("span", "bar");
  const filled = element("i", "");
  filled.style.width = `${100 * word.share}%`;
  bar.append(filled);
  button.append(element("span", "text", word.text), bar, element("span", "said", word.said));
  if (word.given) {
    const sign = element("span", "hand", "✎");
    sign.title = hand;
    button.append(sign);
  }
  button.onclick = () => pick(panel, line.name, step);
  return button;
}

function draw(panel, data) {
  const steps = Math.max(1, ...data.lines.map((line) => line.words.length));
  const { rows } = panel;
  rows.replaceChildren();
  rows.setAttribute("aria-label", data.texts.label);
  rows.style.setProperty("--type", `${data.font}px`);
  rows.style.gridTemplateColumns = `max-content repeat(${steps}, max-content) 1fr repeat(2, max-content)`;
  rows.style.gridTemplateRows = `max-content repeat(${data.lines.length}, minmax(max-content, 1fr))`;
  for (const [name, value] of Object.entries(data.look)) panel.frame.style.setProperty(`--${name}`, value);
  rows.append(at(element("div", "head name", data.texts.step), 1, 1));
  for (let step = 0; step < steps; step += 1) rows.append(at(element("div", "head", step + 1), 1, step + 2));
  const numbers = (texts, row, kind) => texts.forEach((text, place) => {
    const node = element("div", `${kind} number${place ? "" : " first"}`, text);
    rows.append(at(node, row, steps + 3 + place));
  });
  numbers(data.texts.numbers, 1, "head");
  data.lines.forEach((line, place) => {
    const row = place + 2;
    rows.append(at(element("div", "line"), row, "1 / -1"));
    const name = element("div", "line name");
    name.dataset.name = line.name;
    name.append(element("b", "", line.title), element("span", "", line.about));
    rows.append(at(name, row, 1));
    line.words.forEach((word, step) => {
      const cell = element("div", "cell");
      cell.append(makeWord(panel, line, word, step, data.texts.given));
      rows.append(at(cell, row, step + 2));
    });
    numbers(line.numbers, row, "line");
  });
  const second = rows.querySelector(".number:not(.first)");
  rows.style.setProperty("--second", `${second.getBoundingClientRect().width}px`);
  panel.right = second.getBoundingClientRect().width + rows.querySelector(".number.first").getBoundingClientRect().width;
}

function mark(panel, [name, step]) {
  for (const word of panel.rows.querySelectorAll(".word")) {
    const here = word.dataset.name === name && Number(word.dataset.step) === step;
    word.setAttribute("aria-pressed", String(here));
  }
  for (const each of panel.rows.querySelectorAll(".name[data-name]")) {
    each.classList.toggle("focused", each.dataset.name === name);
  }
}

// Another word than before is brought into sight between the columns that stay.
function reveal(panel, focus) {
  const key = JSON.stringify(focus);
  const word = panel.rows.querySelector('.word[aria-pressed="true"]');
  if (!word || key === panel.shown) return;
  panel.shown = key;
  const box = (node) => node.getBoundingClientRect();
  const left = box(panel.rows.querySelector(".name")).right;
  const right = box(panel.frame).right - panel.right;
  const at = box(word);
  if (at.right + at.width > right) panel.frame.scrollLeft += at.right + at.width - right;
  else if (at.left < left) panel.frame.scrollLeft -= left - at.left + at.width;
}

function pick(panel, name, step) {
  mark(panel, [name, step]);
  panel.shown = JSON.stringify([name, step]); // it is where the reader clicked
  panel.picks += 1;
  panel.send("pick", { name, step, nonce: `${performance.now()}-${panel.picks}` });
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const find = (name) => parentElement.querySelector(name);
  const panel = panels.get(parentElement) ?? { picks: 0, drawn: "", frame: find(".frame"), rows: find(".rows") };
  panels.set(parentElement, panel);
  panel.send = setTriggerValue;
  const { focus, ...picture } = data;
  const drawn = JSON.stringify(picture);
  if (drawn !== panel.drawn) draw(panel, data);
  panel.drawn = drawn;
  mark(panel, focus);
  reveal(panel, focus);
}
