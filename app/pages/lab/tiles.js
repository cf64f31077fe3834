// Tiles of experiments by group: a picture drawn from numbers, a name, a question. One press opens
// it.

const hueOf = (role) => (role.startsWith("#") ? role : roleOf(role));
const deep = (role, share) =>
  `color-mix(in oklab, ${hueOf(role)} ${share && Math.round(12 + 88 * share)}%, var(--page))`;

function lineOf([points, role, dashed]) {
  const given = {
    points: points.join(" "),
    style: { stroke: hueOf(role) },
    "stroke-dasharray": dashed ? "4 3" : null,
  };
  return shape("polyline", given);
}

const cellOf = ([x, y, width, height, role, share]) =>
  shape("rect", { x, y, width, height, style: { fill: deep(role, share) } });

function pictureOf({ name, picture }) {
  if (!picture) return make("span.picture.word.centred", name);
  const svg = shape("svg.picture", { viewBox: "0 0 160 72", "aria-hidden": "true" });
  svg.append(...picture.map((mark) => (mark.length === 3 ? lineOf : cellOf)(mark)));
  return svg;
}

function tileOf(board, tile) {
  const open = () => board.send("pick", { bench: tile.bench });
  return make(
    "button.tile.stacked",
    { data: { bench: tile.bench }, onclick: open },
    pictureOf(tile),
    make("span.name", tile.name),
    make("span.question", tile.question),
  );
}

// The name of a group stands over its first tile; a line on top of all joins them.
function placesOf(board, { name, tiles }) {
  return tiles.map((tile, at) =>
    make(
      ".place.stacked",
      { is: { first: at === 0 } },
      at ? make("span.group") : make("h5.group", name),
      tileOf(board, tile),
    ),
  );
}

export default component("div.tiles.pane", {
  draw(board, { groups }) {
    board.keepFocus("bench", () =>
      board.root.replaceChildren(...groups.flatMap((each) => placesOf(board, each))),
    );
  },
});
