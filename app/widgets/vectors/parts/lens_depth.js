// A row a state of the decoder, from its input down to what the generator really reads. The ranks of
// the final word are joined by a line over the rows. Every text is set with textContent.

const SVG = "http://www.w3.org/2000/svg";
const shown = new WeakMap();

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function path(className, points) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("class", className);
  let pen = "M";
  let drawn = "";
  for (const [x, y] of points) {
    if (x === null) pen = "M";
    else {
      drawn += `${pen}${x},${y}`;
      pen = "L";
    }
  }
  made.setAttribute("d", drawn);
  return made;
}

// One drawing behind the cells of the ranks; the rows are all of one height.
function ranks(data) {
  const count = data.rows.length;
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 1 ${count}`);
  drawing.setAttribute("preserveAspectRatio", "none");
  drawing.setAttribute("aria-hidden", "true");
  const middles = (places) => places.map((place, at) => [place, at + 0.5]);
  for (const [at] of data.axis.ticks) drawing.append(path("grid", [[at, 0], [at, count]]));
  for (const line of data.axis.others) drawing.append(path("other", middles(line)));
  drawing.append(path("own", middles(data.rows.map((row) => row.place))));
  const place = element("div", "ranks");
  place.style.gridRow = `3 / span ${count}`;
  place.append(drawing);
  return place;
}

function wordCell([word, percent, probability, final], look) {
  const made = element("span", final ? "word final" : "word");
  const share = Math.round(100 * Math.sqrt(probability)); // weak words would not be seen
  made.style.background = `color-mix(in srgb, ${look.weights} ${Math.round(share * 0.55)}%, transparent)`;
  made.append(element("b", "", word), element("i", "", percent));
  made.title = `${word} ${percent}`;
  return made;
}

function rankCell(row) {
  const made = element("span", "rank");
  const number = element("b", "", row.rank);
  if (row.place !== null) {
    const dot = element("i", "");
    dot.style.left = `${100 * row.place}%`;
    made.append(dot);
    if (row.place > 0.6) number.style.right = `calc(${100 * (1 - row.place)}% + 0.6rem)`;
    else number.style.left = `calc(${100 * row.place}% + 0.6rem)`;
  }
  made.append(number);
  return made;
}

function makeRow(view, data, row, at) {
  const made = element("button", at === data.chosen ? "row chosen" : "row");
  made.type = "button";
  made.title = row.title;
  made.dataset.row = at;
  made.setAttribute("aria-pressed", String(at === data.chosen));
  made.style.gridRow = String(at + 3);
  const name = element("span", "name");
  if (row.group) name.append(element("i", "", row.group));
  name.append(element("b", "", row.name));
  const words = element("span", "words");
  words.append(...row.words.map((word) => wordCell(word, data.look)));
  const entropy = element("span", "entropy");
  const track = element("u", "");
  const filled = element("i", "");
  filled.style.width = `${100 * row.spread}%`;
  track.append(filled);
  entropy.append(track, element("span", "", row.entropy));
  made.append(name, words, rankCell(row), entropy);
  made.onclick = () => {
    view.picks += 1;
    view.send("pick", { row: at, nonce: `${performance.now()}-${view.picks}` });
  };
  return made;
}

function titles({ texts, axis }) {
  const said = ["", texts.words, texts.rank, texts.entropy].map((text, at) => {
    const made = element("span", "title", text);
    made.style.gridColumn = String(at + 1);
    made.title = ["", "", texts.rank_help, texts.entropy_help][at];
    return made;
  });
  const ticks = element("span", "ticks");
  ticks.style.gridColumn = "3";
  for (const [at, text] of axis.ticks) {
    const tick = element("span", "", text);
    tick.style.left = `${100 * at}%`;
    ticks.append(tick);
  }
  return [...said, ticks];
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const view = shown.get(parentElement) ?? { picks: 0, drawn: "" };
  shown.set(parentElement, view);
  view.send = setTriggerValue;
  const drawn = JSON.stringify(data);
  if (drawn === view.drawn) return;
  view.drawn = drawn;
  const node = parentElement.querySelector(".lens");
  for (const [name, value] of Object.entries(data.look)) node.style.setProperty(`--${name}`, value);
  node.style.gridTemplateColumns = "minmax(5.5rem, max-content) minmax(0, 3.4fr) minmax(0, 1.5fr) minmax(6.5rem, 0.9fr)";
  node.style.gridTemplateRows = `auto auto repeat(${data.rows.length}, minmax(1.5rem, 1fr))`;
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", data.texts.label);
  const rows = data.rows.map((row, at) => makeRow(view, data, row, at));
  node.replaceChildren(...titles(data), ranks(data), ...rows);
}
