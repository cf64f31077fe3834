// One head, a map a step. The maps are drawn once; only the frame moves with the step in view.

const MARKUP = `<div class="strip">
  <div class="shots" role="group"></div>
  <div class="legend"><span>0</span><i></i><span>1</span><span class="says cut"></span><output></output></div>
</div>`;

// The words of the cell under the mouse and its weight, where the map has a cell a pair of words.
function cellAt({ rows, columns }, shot, levels, event) {
  const box = event.target.getBoundingClientRect();
  const row = Math.floor(((event.clientY - box.top) / box.height) * shot.size[0]);
  const column = Math.floor(((event.clientX - box.left) / box.width) * shot.size[1]);
  const level = levels[row * shot.size[1] + column];
  const known = rows[row] !== undefined && columns[column] !== undefined && level !== undefined;
  if (!known || level === FORBIDDEN) return "";
  return `${shot.step} · ${rows[row]} → ${columns[column]} · ${(level / 254).toFixed(2)}`;
}

function makeShot(strip, shot, place, palette) {
  const levels = numbersOf(shot.levels, Uint8Array);
  const say = (text) => { strip.find("output").textContent = text; };
  const canvas = make("canvas", {
    onmousemove: (event) => say(cellAt(strip.data, shot, levels, event)),
    onmouseleave: () => say(""),
  });
  const go = () => {
    setCurrent(strip.shots.children, place);
    strip.send("go", { to: place });
  };
  return make(
    "button.shot.framed",
    { "aria-label": shot.title, data: { step: shot.step }, onclick: go },
    make(".line", make("b", shot.step), make("span.cut", shot.note)),
    paintCells(canvas, levels, ...shot.size, palette),
  );
}

export default component(MARKUP, {
  moving: ["now"],
  draw(strip, { label, legend, scale, shots }) {
    strip.shots = strip.find(".shots");
    const stop = (at) => `rgb(${mixed(scale, bright(at)).join(" ")}) ${100 * at}%`;
    strip.find("i").style.background = `linear-gradient(90deg, ${[0, 0.1, 0.25, 0.5, 0.75, 1].map(stop).join(", ")})`;
    strip.find(".says").textContent = legend;
    set(strip.shots, { "aria-label": label, style: { "--across": Math.ceil(shots.length / 2) } });
    const palette = paletteOf(scale, bright);
    strip.shots.replaceChildren(...shots.map((shot, place) => makeShot(strip, shot, place, palette)));
  },
  mark: (strip, { now }) => setCurrent(strip.shots.children, now),
});
