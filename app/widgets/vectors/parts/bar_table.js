// Rows of texts, numbers and bars. Every text is set with textContent.

const tables = new WeakMap();

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function line(tag, at) {
  const made = document.createElement(tag);
  made.style.left = `${at}%`;
  return made;
}

function bar(column, value, look) {
  const made = element("span", "bar");
  const zero = column.signed ? 50 : 0;
  const place = (number) => zero + ((100 - zero) * number) / column.end;
  const reach = Math.max(-column.end, Math.min(column.end, value ?? 0));
  const filled = document.createElement("i");
  const [from, to] = [zero, place(reach)].sort((a, b) => a - b);
  filled.style.left = `${from}%`;
  filled.style.width = `${to - from}%`;
  filled.style.background = column.signed ? (reach < 0 ? look.query : look.key) : column.colour;
  made.append(filled, line("u", zero));
  if (column.mark !== null) {
    made.append(line("b", place(column.mark)));
    if (column.signed) made.append(line("b", place(-column.mark)));
  }
  return made;
}

function makeRow(table, row, data) {
  const made = element(data.clicks && !row.head ? "button" : "div", "row");
  made.classList.toggle("chosen", row.chosen);
  made.classList.toggle("head", row.head);
  made.title = row.title;
  made.dataset.key = row.key;
  if (made.tagName === "BUTTON") {
    made.type = "button";
    made.setAttribute("aria-pressed", String(row.chosen));
    made.onclick = () => {
      table.picks += 1;
      table.send("pick", { key: row.key, nonce: `${performance.now()}-${table.picks}` });
    };
  }
  data.columns.forEach((column, at) => {
    if (column.end === null || row.head) {
      made.append(element("span", "text", row.texts[at]));
      return;
    }
    const barred = element("span", "barred");
    barred.append(bar(column, row.values[at], data.look), element("span", "number", row.texts[at]));
    made.append(barred);
  });
  return made;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const table = tables.get(parentElement) ?? { picks: 0, drawn: "" };
  tables.set(parentElement, table);
  table.send = setTriggerValue;
  const drawn = JSON.stringify(data);
  if (drawn === table.drawn) return;
  table.drawn = drawn;
  const node = parentElement.querySelector(".table");
  for (const [name, value] of Object.entries(data.look)) node.style.setProperty(`--${name}`, value);
  node.style.gridTemplateColumns = data.columns.map((column) => column.width).join(" ");
  const titles = data.columns.map((column) => {
    const made = element("span", "title", column.title);
    made.title = column.help;
    return made;
  });
  node.replaceChildren(...titles, ...data.rows.map((row) => makeRow(table, row, data)));
}
