// Rows of terms with their factors and signed bars, or the list of the numbers visited.
// Every text is set with textContent: words of users stay words.

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function link(cell, send) {
  const made = element("button", cell ? "go" : "");
  made.type = "button";
  if (cell) made.onclick = () => send("go", { ...cell, nonce: performance.now() });
  else made.tabIndex = -1;
  return made;
}

function factor(each, send) {
  const made = link(each.go[0], send);
  made.style.setProperty("--role", each.colour);
  made.title = `${each.name}: ${each.exact}`;
  made.append(element("span", "sign", each.sign), element("span", "", each.number));
  return made;
}

function factors(row, send) {
  const made = element("span", "factors");
  row.factors.forEach((each, place) => {
    if (place) made.append(element("span", "", "·"));
    made.append(factor(each, send));
    each.go.slice(1).forEach((cell) => {
      const also = link(cell, send);
      also.style.setProperty("--role", each.colour);
      also.textContent = "↳";
      also.title = cell.address;
      made.append(also);
    });
  });
  return made;
}

function bar(value, largest, colours) {
  const made = element("span", "bar");
  const part = Number.isFinite(value) && largest > 0 ? (50 * Math.abs(value)) / largest : 0;
  const filled = document.createElement("i");
  filled.style.width = `${part}%`;
  filled.style.left = value < 0 ? `${50 - part}%` : "50%";
  filled.style.background = value < 0 ? colours.down : colours.up;
  made.append(filled);
  return made;
}

function drawRows(list, data, send) {
  const sizes = data.rows.map((row) => Math.abs(row.value)).filter(Number.isFinite);
  const largest = Math.max(...sizes, 0);
  for (const row of data.rows) {
    const label = element("span", row.own ? "label own" : "label", row.label);
    label.title = row.label;
    list.append(label, factors(row, send), bar(row.value, largest, data.colours));
    list.append(element("span", "number", row.number));
  }
}

function drawWay(list, data, send) {
  data.way.forEach((stop, place) => {
    const made = link(stop.go, send);
    made.className = place === data.way.length - 1 ? "stop here" : "stop";
    made.style.setProperty("--role", stop.colour);
    made.style.cursor = "pointer";
    made.title = stop.place;
    made.append(element("span", "name", stop.name), element("span", "where", stop.where));
    made.append(element("span", "number", stop.value));
    list.append(made);
  });
  list.scrollTop = list.scrollHeight;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const list = parentElement.querySelector(".list");
  for (const [name, value] of Object.entries(data.colours)) {
    parentElement.host?.style.setProperty(`--${name}`, value);
    list.parentNode.querySelector(".title").style.setProperty(`--${name}`, value);
    list.style.setProperty(`--${name}`, value);
  }
  parentElement.querySelector(".title").textContent = data.title;
  list.replaceChildren();
  list.className = data.way ? "list way" : "list rows";
  if (data.way) drawWay(list, data, setTriggerValue);
  else drawRows(list, data, setTriggerValue);
}
