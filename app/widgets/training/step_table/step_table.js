// A row a step. What a row says does not change with the step in view: rows are drawn once, and
// only the mark moves.

const tables = new WeakMap();

function makeRow(table, row, place) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "row";
  const step = document.createElement("span");
  step.className = "step";
  step.textContent = row.step;
  const said = document.createElement("span");
  said.className = "said";
  said.lang = table.language;
  for (const [text, kept] of row.parts) {
    const part = document.createElement(kept ? "b" : "span");
    part.textContent = text;
    said.append(part);
  }
  if (!row.parts.length) {
    const nothing = document.createElement("i");
    nothing.textContent = table.texts.nothing;
    said.append(nothing);
  }
  button.title = said.textContent;
  button.append(step, said);
  button.onclick = () => {
    mark(table, place);
    table.clicks += 1;
    table.send("go", { to: place, nonce: `${performance.now()}-${table.clicks}` });
  };
  return button;
}

function mark(table, now) {
  for (const [place, row] of [...table.rows.children].entries()) {
    if (place === now) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  }
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const find = (name) => parentElement.querySelector(name);
  const table = tables.get(parentElement) ?? { rows: find(".rows"), drawn: "", clicks: 0 };
  tables.set(parentElement, table);
  Object.assign(table, { send: setTriggerValue, texts: data.texts, language: data.language });
  find(".steps").style.setProperty("--accent", data.accent);
  find(".head .step").textContent = data.texts.step;
  find(".head .said").textContent = data.texts.translation;
  const drawn = JSON.stringify([data.rows, data.language, data.texts]);
  if (drawn !== table.drawn) table.rows.replaceChildren(...data.rows.map((row, at) => makeRow(table, row, at)));
  table.drawn = drawn;
  mark(table, data.now);
}
