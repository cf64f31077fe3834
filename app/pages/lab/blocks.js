// Squares that keep their colour and name while they change places; the one under the pointer is
// lit in every block, and a click holds it.

function light(board, id) {
  const now = id ?? board.held;
  const still = now === null;
  board.find("svg").classList.toggle("held", !still);
  for (const cell of board.cells) cell.node.classList.toggle("lit", cell.id === now);
  set(board.find(".said"), {
    textContent: still ? board.data.hint : board.data.labels[now],
    is: { hint: still },
  });
}

function cellOf(board, [x, y, id]) {
  const { size, features, fills, names, labels } = board.data;
  const [fill, ink] = fills[features[id]];
  const style = { fill: ink, fontSize: `${Math.min(12, size * 0.46)}px` };
  const name = names.length
    ? shape("text", { x: x + size / 2, y: y + size / 2, style }, names[id])
    : null;
  const node = shape(
    "g.cell",
    {
      "data-id": id,
      onpointerenter: () => light(board, id),
      onpointerleave: () => light(board, null),
      onclick() {
        board.held = board.held === id ? null : id;
        light(board, board.held);
      },
    },
    shape("rect", { x, y, width: size, height: size, rx: 2, fill }),
    name,
    shape("title", labels[id]),
  );
  return { id, node };
}

// It turns into its lane at once, and leaves the lane's title free.
function arrowOf([fromX, fromY, toX, toY]) {
  const reach = Math.min(75, toX - fromX - 9);
  const turn = `C${fromX + reach * 0.6} ${fromY} ${fromX + reach * 0.3} ${toY} ${fromX + reach} ${toY}`;
  return shape("path.arrow", {
    d: `M${fromX} ${fromY}${fromY === toY ? "" : turn}H${toX}m-7 -4l7 4l-7 4`,
  });
}

export default component(
  `<div class="split"><svg role="img"></svg><p class="said cut" aria-live="polite"></p></div>`,
  {
    start: (board) => {
      board.held = null;
    },
    draw(board, data) {
      if (board.held !== null && board.held >= data.labels.length) board.held = null;
      board.cells = data.cells.map((each) => cellOf(board, each));
      const side = data.size - 1;
      const maps = data.maps.map(([x, y, fill, hover]) =>
        shape("rect.map", { x, y, width: side, height: side, fill }, shape("title", hover)),
      );
      const texts = data.texts.map(([x, y, text, kind, anchor]) =>
        shape(`text.${kind}`, { x, y, "text-anchor": anchor }, text),
      );
      const given = {
        viewBox: `0 0 ${data.width} ${data.height}`,
        preserveAspectRatio: "xMinYMid meet",
        "aria-label": data.alt,
      };
      const nodes = [
        ...data.arrows.map(arrowOf),
        ...maps,
        ...board.cells.map(({ node }) => node),
        ...texts,
      ];
      set(board.find("svg"), given).replaceChildren(...nodes);
    },
    mark: (board) => light(board, null),
  },
);
