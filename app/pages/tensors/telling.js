// Cards with a small picture of a tensor each; a click sends its address.

function makeCard(view, { about, address, levels, scale, sides, signed, title, where }) {
  const cells = numbersOf(levels, Uint8Array);
  const palette = paletteOf(scale, signed ? undefined : bright);
  const picture = paintCells(
    make("canvas.pixels", { "aria-hidden": "true" }),
    cells,
    ...sides,
    palette,
  );
  return make(
    "button.card.boxed.stacked",
    { data: { address }, onclick: () => view.send("pick", { address }) },
    make("b", title),
    picture,
    make("span.about", about),
    make("span.where", where),
  );
}

export default component(".cards", {
  draw(view, { cards }) {
    view.keepFocus("address", () =>
      view.root.replaceChildren(...cards.map((card) => makeCard(view, card))),
    );
  },
});
