// What comes out of each block for the words in focus (strips.py): painted into the map beside it,
// which is not sent again for another word.

function paintStrips(map, { legend, rows, stops }) {
  const palette = paletteOf(stops);
  for (const image of map.svg.querySelectorAll("[data-strip]")) {
    const [levels] = rows[image.dataset.strip] ?? [];
    if (!levels) continue;
    const cells = numbersOf(levels, Uint8Array);
    const href = paintCells(make("canvas"), cells, 1, cells.length, palette).toDataURL();
    set(image, { href });
  }
  for (const text of map.svg.querySelectorAll('[data-strips="legend"]')) text.textContent = legend;
}

export default component("", {
  mark(_, data) {
    window.paintMapStrips = (map) => paintStrips(map, data);
    window.tipOfStrip = (block) => {
      const [levels, low, high] = data.rows[block] ?? [];
      return levels ? phrase(data.tip, { low, high }) : "";
    };
    const map = views.get("map");
    if (map?.svg) paintStrips(map, data);
  },
});
