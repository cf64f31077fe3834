// Words in an order of the reader's: dragged, or moved with ← → while one has the focus.

const boards = new WeakMap();

function orderOf(board) {
  return [...board.list.children].map((chip) => Number(chip.dataset.word));
}

function mark(board) {
  [...board.list.children].forEach((chip, place) => {
    chip.classList.toggle("away", Number(chip.dataset.word) !== place);
  });
}

function send(board) {
  const order = orderOf(board);
  mark(board);
  if (order.join() === board.sent) return;
  board.sent = order.join();
  board.trigger("order", order);
}

function step(board, chip, event) {
  const { key } = event;
  if (key === "ArrowLeft" && chip.previousElementSibling) chip.previousElementSibling.before(chip);
  else if (key === "ArrowRight" && chip.nextElementSibling) chip.nextElementSibling.after(chip);
  else return;
  event.preventDefault();
  event.stopPropagation();
  chip.focus();
  send(board);
}

function drag(board, chip, event) {
  if (event.button !== 0) return;
  chip.setPointerCapture(event.pointerId);
  chip.classList.add("dragged");
  chip.onpointermove = ({ clientX, clientY }) => {
    const over = [...board.list.children].find((other) => {
      const box = other.getBoundingClientRect();
      return other !== chip && clientX > box.left && clientX < box.right && clientY > box.top && clientY < box.bottom;
    });
    if (!over) return;
    const box = over.getBoundingClientRect();
    const places = [...board.list.children];
    const forwards = places.indexOf(chip) < places.indexOf(over);
    const passed = forwards ? clientX > box.left + box.width / 3 : clientX < box.right - box.width / 3;
    if (passed) forwards ? over.after(chip) : over.before(chip);
  };
  chip.onpointerup = chip.onpointercancel = () => {
    chip.onpointermove = chip.onpointerup = chip.onpointercancel = null;
    chip.classList.remove("dragged");
    send(board);
  };
}

function chipOf(board, word) {
  const chip = document.createElement("li");
  const place = document.createElement("small");
  chip.tabIndex = 0;
  chip.dataset.word = word;
  place.textContent = word + 1;
  chip.append(place, board.words[word]);
  chip.onkeydown = (event) => step(board, chip, event);
  chip.onpointerdown = (event) => drag(board, chip, event);
  return chip;
}

function fill(board, order) {
  const focused = board.list.getRootNode().activeElement?.dataset?.word;
  board.list.replaceChildren(...order.map((word) => chipOf(board, word)));
  if (focused !== undefined) board.list.querySelector(`[data-word="${focused}"]`)?.focus();
  mark(board);
}

function shuffled(count) {
  const order = [...Array(count).keys()];
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const find = (name) => parentElement.querySelector(name);
  const board = boards.get(parentElement) ?? { drawn: "", sent: "" };
  boards.set(parentElement, board);
  Object.assign(board, { trigger: setTriggerValue, words: data.words, list: find(".words") });
  for (const [role, colour] of Object.entries(data.colours)) find(".order").style.setProperty(`--${role}`, colour);
  for (const [name, text] of Object.entries(data.texts)) find(`.${name}`).textContent = text;
  const drawn = JSON.stringify([data.words, data.order]);
  if (drawn !== board.drawn && (data.words.join("\n") !== board.before || data.order.join() !== orderOf(board).join())) {
    fill(board, data.order);
  }
  board.drawn = drawn;
  board.before = data.words.join("\n");
  board.sent = orderOf(board).join();
  const put = (order) => () => {
    fill(board, order());
    send(board);
  };
  const places = data.words.map((_, at) => at);
  find(".reverse").onclick = put(() => [...places].reverse());
  find(".shuffle").onclick = put(() => shuffled(places.length));
  find(".restore").onclick = put(() => places);
}
