// A row a word, a column a hidden unit; where units are narrower than a pixel, the most active one
// of each pixel is drawn. Hover reads a number, a click chooses word and unit, the arrows move.

const MARKUP = `<div class="neurons pane">
  <div class="corner stays"></div><div class="above stays"></div><div class="shares-title stays"></div>
  <div class="words"></div>
  <div class="picture"><canvas tabindex="0" role="img"></canvas><div class="mark"></div></div>
  <div class="shares"></div>
  <div class="said cut"></div>
</div>`;

const short = (value, digits) => Number(value.toPrecision(digits)).toString().replace("-", "−");

function paint({ below, canvas, data, largest, palette, values }) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio];
  if (!width || !height) return;
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  const columns = data.units.length;
  fillBox(pen, data.colours.panel, 0, 0, width, height);
  const [wide, tall] = [width / columns, height / data.rows.length];
  const gap = wide > 5 * ratio ? ratio : 0;
  const active = [...values.keys()].filter((at) => values[at] > 0 || (below && values[at] < 0));
  active.sort((a, b) => Math.abs(values[a]) - Math.abs(values[b]));
  for (const at of active) {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const left = gap ? column * wide : Math.floor(column * wide);
    const right = gap
      ? (column + 1) * wide - gap
      : Math.max(Math.ceil((column + 1) * wide), left + 1);
    fillBox(
      pen,
      (values[at] < 0 ? below : palette)[Math.round(255 * bright(Math.abs(values[at]) / largest))],
      left,
      row * tall,
      right - left,
      Math.max(1, tall - ratio),
    );
  }
}

function mark(map) {
  const [row, unit] = map.focus;
  const column = map.data.units.indexOf(unit);
  for (const [at, word] of [...map.find(".words").children].entries()) {
    set(word, { is: { now: at === row }, "aria-pressed": at === row });
  }
  const share = 100 / map.data.units.length;
  const style = {
    display: column < 0 ? "none" : "",
    left: `calc(${column * share}% - 3px)`,
    width: `calc(${share}% + 6px)`,
  };
  set(map.find(".mark"), { style });
  say(map, row, column);
}

function say(map, row, column) {
  const { precision, rows, texts, units } = map.data;
  const at = row * units.length + column;
  const there = row >= 0 && column >= 0;
  const values = there && {
    row: rows[row],
    unit: units[column] + 1,
    value: short(map.values[at], precision),
  };
  map.write({ ".said": there ? phrase(texts.hover, values) : "" });
}

function under({ canvas, data }, event) {
  const box = canvas.getBoundingClientRect();
  const at = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
  return [
    at((event.clientY - box.top) / box.height, data.rows.length),
    at((event.clientX - box.left) / box.width, data.units.length),
  ];
}

function pick(map, row, unit) {
  map.focus = [row, unit ?? map.focus[1]];
  mark(map);
  map.send("pick", { row, unit });
}

function step(map, event) {
  const move = ARROWS[event.key];
  if (!move) return;
  event.preventDefault();
  const { rows, units } = map.data;
  const row = map.focus[0] + move[0];
  const column = Math.max(0, units.indexOf(map.focus[1])) + move[1];
  if (row >= 0 && row < rows.length && column >= 0 && column < units.length)
    pick(map, row, units[column]);
}

function shares(all) {
  const most = Math.max(...all.map(([share]) => share), 1e-9);
  return all.map(([share, text]) => make(".share", meter(share / most), make("span", text)));
}

export default component(MARKUP, {
  moving: ["focus"],
  start(map) {
    map.canvas = set(map.find("canvas"), {
      onmousemove: (event) => say(map, ...under(map, event)),
      onmouseleave: () => mark(map),
      onclick: (event) => {
        const [row, column] = under(map, event);
        pick(map, row, map.data.units[column]);
      },
      onkeydown: (event) => step(map, event),
    });
    map.watch(map.canvas, () => map.values && paint(map));
  },
  draw(map, { rows, scale, scale_below, shares: all, sinks, texts, values }) {
    map.values = numbersOf(values, Float32Array);
    map.largest = map.values.reduce(
      (most, value) => Math.max(most, scale_below ? Math.abs(value) : value),
      1e-9,
    );
    const paletteOf = (of) =>
      Array.from({ length: 256 }, (_, level) => `rgb(${mixed(of, level / 255)})`);
    map.palette = paletteOf(scale);
    // of a gated network, whose units may be negative
    map.below = scale_below && paletteOf(scale_below);
    // Many words scroll: a row keeps the height of its word.
    map.root.style.gridTemplateRows = `auto minmax(${1.1 * rows.length}rem, 1fr) 1.4rem`;
    map.write({ ".corner": texts.rows, ".above": texts.columns, ".shares-title": texts.shares });
    map.canvas.setAttribute("aria-label", texts.label);
    const word = (text, row) =>
      make(
        "button.cut",
        { is: { sink: sinks.includes(row) }, onclick: () => pick(map, row, null) },
        text,
      );
    map.find(".words").replaceChildren(...rows.map(word));
    map.find(".shares").replaceChildren(...shares(all));
    paint(map);
  },
  mark(map, { focus }) {
    map.focus = focus;
    mark(map);
  },
});
