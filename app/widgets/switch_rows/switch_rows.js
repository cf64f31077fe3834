// Rows of switches. A switch, or a choice of its row, tells Python the row, whether it is on and
// all its choices; moving a choice switches its row on. A slider tells when it is let go.

const boards = new WeakMap();

function startBoard(root) {
  const board = { node: root.querySelector(".rows"), drawn: "", rows: new Map(), sent: 0 };
  boards.set(root, board);
  return board;
}

function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function send(board, id, on) {
  const row = board.rows.get(id);
  const values = Object.fromEntries(row.choices.map((choice) => [choice.name, choice.read()]));
  board.sent += 1;
  mark(row, on);
  board.send("set", { id, on, values, nonce: `${performance.now()}-${board.sent}` });
}

function mark(row, on) {
  row.toggle.checked = on;
  row.node.classList.toggle("on", on);
}

function listChoice(choice, tell) {
  const node = element("select");
  for (const [value, text] of choice.options) {
    const option = element("option", "", text);
    option.value = value;
    node.append(option);
  }
  node.onchange = tell;
  return { node, read: () => node.value, write: (value) => { node.value = value; } };
}

function sliderChoice(choice, tell) {
  const node = element("span", "number");
  const slider = element("input");
  Object.assign(slider, { type: "range", min: 0, max: choice.options.length - 1, step: 1 });
  slider.setAttribute("aria-label", choice.label);
  const shown = element("span", "shown");
  const text = () => choice.options[Number(slider.value)][1];
  slider.oninput = () => {
    shown.textContent = text();
    slider.setAttribute("aria-valuetext", text());
  };
  slider.onchange = tell;
  node.append(slider, shown);
  const write = (value) => {
    const far = choice.options.map(([option]) => Math.abs(Number(option) - Number(value)));
    slider.value = far.indexOf(Math.min(...far));
    shown.textContent = Math.min(...far) > 0 ? String(Number(value)) : text();
    slider.setAttribute("aria-valuetext", shown.textContent);
  };
  return { node, read: () => choice.options[Number(slider.value)][0], write };
}

function numberChoice(choice, tell) {
  const node = element("label", "number", choice.label);
  const input = element("input");
  Object.assign(input, { type: "number", min: 0, max: 999999, step: 1 });
  input.onchange = () => {
    if (input.value !== "" && input.checkValidity()) tell();
    else input.value = input.dataset.last;
  };
  node.append(input);
  const write = (value) => {
    input.value = value;
    input.dataset.last = value;
  };
  return { node, read: () => input.value, write };
}

const MAKERS = { list: listChoice, slider: sliderChoice, number: numberChoice };

function drawRow(board, given) {
  const node = element("div", "row");
  node.dataset.row = given.id;
  const line = element("div", "line");
  const name = element("label", "name");
  const toggle = element("input");
  toggle.type = "checkbox";
  toggle.setAttribute("role", "switch");
  toggle.onchange = () => send(board, given.id, toggle.checked);
  name.append(toggle, element("span", "", given.name));
  const choices = given.choices.map((choice) => {
    const made = MAKERS[choice.kind](choice, () => send(board, given.id, true));
    made.node.title = choice.label;
    if (choice.kind === "list") made.node.setAttribute("aria-label", `${given.name}: ${choice.label}`);
    return { ...made, name: choice.name };
  });
  const right = element("span", "choices");
  right.append(...choices.map((choice) => choice.node));
  line.append(name, right);
  const about = element("p", "about", given.about);
  node.title = given.about;
  const problem = element("p", "problem");
  problem.setAttribute("role", "alert");
  node.append(line, about, problem);
  board.rows.set(given.id, { node, toggle, choices, problem });
  return node;
}

function draw(board, data) {
  board.rows.clear();
  board.node.replaceChildren();
  for (const group of data.groups) {
    board.node.append(element("h4", "", group.title), ...group.rows.map((row) => drawRow(board, row)));
  }
}

function refresh(board, data) {
  for (const given of data.groups.flatMap((group) => group.rows)) {
    const row = board.rows.get(given.id);
    mark(row, given.on);
    row.problem.textContent = given.problem;
    given.choices.forEach((choice, at) => {
      row.choices[at].write(choice.value);
      row.choices[at].node.hidden = choice.hidden;
    });
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const board = boards.get(parentElement) ?? startBoard(parentElement);
  board.send = setTriggerValue;
  board.node.setAttribute("aria-label", data.label);
  for (const [name, value] of Object.entries(data.style)) board.node.style.setProperty(`--${name}`, value);
  const shape = JSON.stringify(data.groups.map((group) => [group.title, group.rows.map(
    (row) => [row.id, row.name, row.about, row.choices.map((choice) => [choice.name, choice.label, choice.options])],
  )]));
  if (shape !== board.drawn) draw(board, data);
  board.drawn = shape;
  refresh(board, data);
}
