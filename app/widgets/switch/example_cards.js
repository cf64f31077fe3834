// A list of experiments; a click sends the id of one. Every text is set with textContent.

const lists = new WeakMap();

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function makeCard(list, card, data) {
  const made = element("button", "card");
  const chosen = card.id === data.chosen;
  made.type = "button";
  made.dataset.id = card.id;
  made.classList.toggle("chosen", chosen);
  made.setAttribute("aria-pressed", String(chosen));
  made.title = [...card.sentences, chosen ? data.texts.back : data.texts.take].join("\n");
  made.append(element("span", "name", card.name));
  const corner = element("span", "corner");
  if (chosen) corner.append(element("span", "back", `⟲ ${data.texts.back}`));
  made.append(corner, element("span", "note", card.note));
  made.append(element("span", "sentence", card.sentences.join("  |  ")));
  made.onclick = () => {
    list.picks += 1;
    list.send("pick", { id: card.id, nonce: `${performance.now()}-${list.picks}` });
  };
  return made;
}

function draw(list, data) {
  const { node } = list;
  const focused = parentFocus(node);
  for (const [role, colour] of Object.entries(data.look)) node.style.setProperty(`--${role}`, colour);
  const { scrollTop } = node;
  node.replaceChildren(
    ...data.groups.flatMap((group) => [
      element("h4", "", group.title),
      ...group.cards.map((card) => makeCard(list, card, data)),
    ]),
  );
  node.scrollTop = scrollTop;
  if (focused) node.querySelector(`[data-id="${focused}"]`)?.focus({ preventScroll: true });
  if (!scrollTop) node.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
}

// The card that has the keyboard keeps it when the list is written again.
function parentFocus(node) {
  const active = node.getRootNode().activeElement;
  return active && node.contains(active) ? active.dataset.id : null;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const list = lists.get(parentElement) ?? { picks: 0, drawn: "", node: parentElement.querySelector(".cards") };
  lists.set(parentElement, list);
  list.send = setTriggerValue;
  const drawn = JSON.stringify(data);
  if (drawn === list.drawn) return;
  list.drawn = drawn;
  draw(list, data);
}
