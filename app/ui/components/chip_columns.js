// Two columns of words as chips and an SVG for the lines between them: what both pictures of
// attention share. A word is [side, place].

const columnsOf = (first, second, legend) => `<div class="frame">
  <div class="titles"><span></span><span></span></div>
  <div class="scroll"><div class="board">
    <ol class="column ${first}"></ol>
    <svg class="lines" aria-hidden="true"></svg>
    <ol class="column ${second}"></ol>
  </div></div>
  <div class="legend">${legend}</div>
</div>`;

const same = (a, b) => a === b || (a && b && a[0] === b[0] && a[1] === b[1]);

function wordOf(event) {
  const part = event.target.closest("[data-place]");
  return part ? [part.dataset.side, Number(part.dataset.place)] : null;
}

// `light(view)` shows `view.hot`, the word that is pointed at; `press(view, word)` hears of a
// click.
function startColumns(view, sides, light, press) {
  const columns = Object.fromEntries(
    [...view.root.querySelectorAll(".column")].map((column, at) => [sides[at], column]),
  );
  Object.assign(view, {
    board: view.find(".board"),
    scroll: view.find(".scroll"),
    columns,
    hot: null,
  });
  const point = (word) => {
    if (same(view.hot, word)) return;
    view.hot = word;
    light(view);
  };
  view.hear(view.board, "pointerover focusin", (event) => point(wordOf(event)));
  view.hear(view.board, "pointerleave focusout", () => point(null));
  view.hear(view.board, "click", (event) => wordOf(event) && press(view, wordOf(event)));
}

function writeTitles(view, titles) {
  [...view.find(".titles").children].forEach((node, at) => {
    node.textContent = titles[at];
  });
}

// Where lines begin and end: at the inner edges of the chips, in the middle of their height.
function edgesOf({ board, columns }) {
  const box = board.getBoundingClientRect();
  const inner = ["right", "left"];
  return Object.values(columns).map((column, at) =>
    [...column.querySelectorAll(".chip")].map((chip) => {
      const own = chip.getBoundingClientRect();
      return [own[inner[at]] - box.left, (own.top + own.bottom) / 2 - box.top];
    }),
  );
}

function curve([x, y], [u, v]) {
  const bend = (u - x) * 0.45;
  return `M${x},${y} C${x + bend},${y} ${u - bend},${v} ${u},${v}`;
}
