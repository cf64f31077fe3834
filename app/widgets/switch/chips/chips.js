// The switches of the experiment; × takes one out.

function makeChip(data, chip, send) {
  const node = document.createElement("div");
  node.className = chip.greyed ? "chip greyed" : "chip";
  node.setAttribute("role", "listitem");
  node.style.setProperty("--role", chip.greyed ? data.grey : data.colour);
  node.style.setProperty("--panel", data.panel);
  node.title = chip.greyed ? `${chip.text}\n${chip.greyed}` : chip.text;
  const text = document.createElement("span");
  text.textContent = chip.text;
  const out = document.createElement("button");
  out.type = "button";
  out.textContent = "×";
  out.title = data.takeOut;
  out.setAttribute("aria-label", `${data.takeOut}: ${chip.text}`);
  out.addEventListener("click", () => {
    node.classList.add("leaving");
    send(chip.id);
  });
  node.append(text, out);
  return node;
}

function makeEmpty(data) {
  const node = document.createElement("div");
  node.className = "empty";
  node.style.setProperty("--role", data.grey);
  node.textContent = data.empty;
  return node;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const list = parentElement.querySelector(".chips");
  const send = (id) => setTriggerValue("out", id);
  const made = data.chips.map((chip) => makeChip(data, chip, send));
  list.replaceChildren(...(made.length ? made : [makeEmpty(data)]));
}
