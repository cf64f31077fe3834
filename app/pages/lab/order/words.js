// Words in an order of the reader's: dragged, or moved with ← → while one has the focus.

const MARKUP = `<div class="order">
  <div class="name"><span class="hint"><span class="drag"></span><span class="press keys-only"></span></span><button type="button" class="reverse"></button>
    <button type="button" class="shuffle"></button><button type="button" class="restore"></button></div>
  <ol class="words"></ol>
</div>`;

const orderOf = (board) => [...board.list.children].map((chip) => Number(chip.dataset.word));

function mark(board) {
  for (const [place, word] of orderOf(board).entries())
    board.list.children[place].classList.toggle("away", word !== place);
}

function send(board) {
  const order = orderOf(board);
  mark(board);
  if (order.join() === board.sent) return;
  board.sent = order.join();
  board.trigger("order", order);
}

function step(board, chip, event) {
  const [before, after] = [chip.previousElementSibling, chip.nextElementSibling];
  if (event.key === "ArrowLeft" && before) before.before(chip);
  else if (event.key === "ArrowRight" && after) after.after(chip);
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
  const end = () => {
    chip.onpointermove = chip.onpointerup = chip.onpointercancel = null;
    chip.classList.remove("dragged");
    send(board);
  };
  const onpointermove = ({ clientX, clientY }) => {
    const places = [...board.list.children];
    const over = places.find((other) => {
      const box = other.getBoundingClientRect();
      return (
        other !== chip &&
        clientX > box.left &&
        clientX < box.right &&
        clientY > box.top &&
        clientY < box.bottom
      );
    });
    if (!over) return;
    const { left, right, width } = over.getBoundingClientRect();
    if (places.indexOf(chip) > places.indexOf(over)) {
      if (clientX < right - width / 3) over.before(chip);
    } else if (clientX > left + width / 3) over.after(chip);
  };
  set(chip, { onpointermove, onpointerup: end, onpointercancel: end });
}

function chipOf(board, word) {
  const chip = make(
    "li.boxed",
    { tabIndex: 0, data: { word } },
    make("small", word + 1),
    board.data.words[word],
  );
  return set(chip, {
    onkeydown: (event) => step(board, chip, event),
    onpointerdown: (event) => drag(board, chip, event),
  });
}

function fill(board, order) {
  board.keepFocus("word", () =>
    board.list.replaceChildren(...order.map((word) => chipOf(board, word))),
  );
  mark(board);
}

function shuffled(places) {
  const order = [...places];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

export default component(MARKUP, {
  start: (board) => {
    board.list = board.find(".words");
  },
  draw(board, { order, texts, words }) {
    for (const [name, text] of Object.entries(texts)) board.find(`.${name}`).textContent = text;
    if (board.differs("words", words) || order.join() !== orderOf(board).join()) fill(board, order);
    board.sent = orderOf(board).join();
    const places = words.map((_, at) => at);
    const orders = {
      reverse: () => [...places].reverse(),
      shuffle: () => shuffled(places),
      restore: () => places,
    };
    for (const [name, ordered] of Object.entries(orders)) {
      board.find(`.${name}`).onclick = () => {
        fill(board, ordered());
        send(board);
      };
    }
  },
});
