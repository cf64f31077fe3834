// The sentences of a padded batch as rows of a table: a column is a position of the tensor. A row
// is picked with a click, with Enter, or with the arrow keys.

const batches = new WeakMap();

function element(kind, name, text) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  return made;
}

function headings(data) {
  const row = element("tr");
  row.append(element("th"));
  data.lines[0].sides.forEach((side, at) => {
    const head = element("th", "", data.texts.sides[at]);
    head.colSpan = side.words.length;
    row.append(head, element("th"));
  });
  for (const [text, title] of data.texts.numbers) {
    const head = element("th", "number", text);
    head.title = title;
    row.append(head);
  }
  return row;
}

function words(data, side, at, row) {
  side.words.forEach((word, place) => {
    const cell = element("td");
    const pad = place >= side.real;
    const chip = element("span", pad ? `chip pad${data.seen[at] ? " seen" : ""}` : "chip", word);
    if (pad) chip.title = data.seen[at] ? data.texts.seen : data.texts.masked;
    cell.append(chip);
    row.append(cell);
  });
  row.append(element("td", "gap"));
}

function sentence(batch, data, line, number) {
  const row = element("tr", "line");
  row.tabIndex = 0;
  row.dataset.row = number;
  row.setAttribute("aria-selected", number === data.chosen);
  row.append(element("td", "place", String(number + 1)));
  line.sides.forEach((side, at) => words(data, side, at, row));
  for (const [text, moved] of line.numbers) {
    row.append(element("td", moved ? "number moved" : "number", text));
  }
  row.addEventListener("click", () => pick(batch, number));
  row.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0, " ": 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    pick(batch, Math.min(Math.max(number + step, 0), data.lines.length - 1));
  });
  return row;
}

function pick(batch, number) {
  for (const row of batch.table.querySelectorAll("tr.line")) {
    const here = Number(row.dataset.row) === number;
    row.setAttribute("aria-selected", here);
    if (here) row.focus();
  }
  batch.send("pick", number);
}

// The chosen row is in sight, below the headings that stay.
function reveal(frame, row) {
  if (!row) return;
  const head = frame.querySelector("th").offsetHeight;
  const above = row.offsetTop - head - frame.scrollTop;
  const below = row.offsetTop + row.offsetHeight - frame.clientHeight - frame.scrollTop;
  if (above < 0) frame.scrollTop += above;
  else if (below > 0) frame.scrollTop += below;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const batch = batches.get(parentElement) ?? { drawn: "", table: parentElement.querySelector("table") };
  batches.set(parentElement, batch);
  batch.send = setTriggerValue;
  const content = JSON.stringify(data);
  if (content === batch.drawn) return;
  batch.drawn = content;
  const { table } = batch;
  table.setAttribute("aria-label", data.texts.label);
  for (const [name, value] of Object.entries(data.colours)) table.style.setProperty(`--${name}`, value);
  const focused = table.contains(parentElement.getRootNode().activeElement);
  table.replaceChildren(
    headings(data),
    ...data.lines.map((line, number) => sentence(batch, data, line, number)),
  );
  const row = table.querySelector('tr[aria-selected="true"]');
  if (focused) row?.focus();
  // The frame gets its height after the first drawing.
  batch.sizes?.disconnect();
  batch.sizes = new ResizeObserver(() => reveal(table.parentElement, row));
  batch.sizes.observe(table.parentElement);
}
