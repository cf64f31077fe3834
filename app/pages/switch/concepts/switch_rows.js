// Rows of switches. A switch, or a choice of its row, tells Python the row, whether it is on and
// all its choices; moving a choice switches its row on. A slider tells when it is let go.

function send(board, id, on) {
  const row = board.rows.get(id);
  const values = Object.fromEntries(row.choices.map((choice) => [choice.name, choice.read()]));
  turn(row, on);
  board.send("set", { id, on, values });
}

function turn({ node, toggle }, on) {
  toggle.checked = on;
  node.classList.toggle("on", on);
}

function listChoice({ label, options }, tell, name) {
  const all = options.map(([value, text]) => make("option", { value }, text));
  const node = make("select.choice", { onchange: tell, "aria-label": `${name}: ${label}` }, all);
  return {
    node,
    read: () => node.value,
    write: (value) => {
      node.value = value;
    },
  };
}

function sliderChoice({ label, options }, tell) {
  const slider = make("input", {
    type: "range",
    min: 0,
    max: options.length - 1,
    step: 1,
    "aria-label": label,
    onchange: tell,
  });
  const shown = make("span.shown");
  const show = (text) => {
    shown.textContent = text;
    slider.setAttribute("aria-valuetext", text);
  };
  const chosen = () => options[Number(slider.value)];
  slider.oninput = () => show(chosen()[1]);
  const write = (value) => {
    const far = options.map(([option]) => Math.abs(Number(option) - Number(value)));
    const least = Math.min(...far);
    slider.value = far.indexOf(least);
    show(least > 0 ? String(Number(value)) : chosen()[1]);
  };
  return { node: make("span.number", slider, shown), read: () => chosen()[0], write };
}

function numberChoice({ label }, tell) {
  const input = make("input.choice", { type: "number", min: 0, max: 999999, step: 1 });
  input.onchange = () => {
    if (input.value !== "" && input.checkValidity()) tell();
    else input.value = input.dataset.last;
  };
  const write = (value) => set(input, { value, data: { last: value } });
  return { node: make("label.number", label, input), read: () => input.value, write };
}

const MAKERS = { list: listChoice, slider: sliderChoice, number: numberChoice };

function drawRow(board, { about, choices: given, id, name }) {
  const toggle = make("input", {
    type: "checkbox",
    onchange: () => send(board, id, toggle.checked),
  });
  toggle.setAttribute("role", "switch");
  const choices = given.map((choice) => {
    const made = MAKERS[choice.kind](choice, () => send(board, id, true), name);
    made.node.title = choice.label;
    return { ...made, name: choice.name };
  });
  const problem = make("p.problem", { role: "alert" });
  const label = make("label.name.lined.fills", toggle, make("span.cut", name));
  const line = make(
    ".line",
    label,
    make(
      "span.choices",
      choices.map((each) => each.node),
    ),
  );
  const node = make(
    ".row",
    { title: about, data: { row: id } },
    line,
    make("p.about.cut", about),
    problem,
  );
  board.rows.set(id, { node, toggle, choices, problem });
  return node;
}

function draw(board, { groups }) {
  board.rows = new Map();
  const rows = groups.flatMap((group) => [
    make("h4", group.title),
    ...group.rows.map((row) => drawRow(board, row)),
  ]);
  board.root.replaceChildren(...rows);
}

export default component(".rows", {
  start: (board) => set(board.root, { role: "group" }),
  draw(board, data) {
    board.root.setAttribute("aria-label", data.label);
    const made = data.groups.map(({ title, rows }) => [
      title,
      rows.map(({ about, choices, id, name }) => [
        id,
        name,
        about,
        choices.map((each) => [each.name, each.label, each.options]),
      ]),
    ]);
    if (board.differs("rows", made)) draw(board, data);
  },
  mark(board, { groups }) {
    for (const { choices, id, on, problem } of groups.flatMap((group) => group.rows)) {
      const row = board.rows.get(id);
      turn(row, on);
      row.problem.textContent = problem;
      choices.forEach(({ hidden, value }, at) => {
        row.choices[at].write(value);
        row.choices[at].node.hidden = hidden;
      });
    }
  },
});
