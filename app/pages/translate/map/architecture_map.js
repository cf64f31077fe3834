// Paints the plan that Python made and answers pointer and keyboard.

const MARKUP = `<div class="map">
  <svg preserveAspectRatio="xMidYMin meet" role="group"></svg>
  <div class="tip" role="tooltip" hidden></div>
</div>`;

const blockOf = (event) => event.target.closest(".block");

function pick(map, block) {
  if (block) map.send("pick", { block: block.dataset.block });
}

// Whether the pointer is still where it clicked: what was clicked is looked at, not explained.
// A click is told in whole pixels, a pointer in parts of them.
function rests({ clicked }, event) {
  const [x, y] = clicked ?? [NaN, NaN];
  return Math.abs(x - event.clientX) < 2 && Math.abs(y - event.clientY) < 2;
}

function paint(looks, item) {
  if (item.kind === "button") return paintBlock(looks, item);
  const { look, ...own } = item;
  const { kind, text, after, after_fill: fill, ...attributes } = { ...looks[look], ...own };
  return shape(
    kind,
    attributes,
    text,
    after === undefined ? null : shape("tspan", { dx: 8, fill }, after),
  );
}

// Lines as sentences, for who hears the map.
const sentences = (lines) =>
  lines
    .filter(Boolean)
    .map((line) => (/[.。]$/.test(line) ? line : `${line}.`))
    .join(" ");

function paintBlock(looks, { id, items, pressed, ring, tip }) {
  const inside = items.map((item) => paint(looks, item));
  const given = {
    role: "button",
    tabindex: 0,
    "aria-label": spoken(inside, sentences(tip)),
    "aria-pressed": pressed,
    "data-block": id,
  };
  const made = shape(
    "g.block",
    given,
    apart(inside),
    set(paint(looks, ring), { is: { ring: true } }),
  );
  return Object.assign(made, { tip });
}

function showTip(map, block) {
  const { root, svg, tip } = map;
  tip.hidden = !block;
  if (!block) return;
  tip.replaceChildren(
    ...[...block.tip, window.tipOfStrip?.(block.dataset.block)]
      .filter(Boolean)
      .map((line, at) => make("p", { is: { fact: at > 1 } }, line)),
  );
  const [frame, place, own] = [root, block, tip].map((each) => each.getBoundingClientRect());
  const middle = place.left + place.width / 2 - frame.left - own.width / 2;
  const left = Math.min(Math.max(middle, 0), frame.width - own.width);
  const [above, below] = [place.top - frame.top - own.height - 8, place.bottom - frame.top + 8];
  const free = [above, below].filter((top) => top >= 0 && !covers(svg, frame, left, top, own));
  set(tip, { style: { left: `${left}px`, top: `${free[0] ?? (above >= 0 ? above : below)}px` } });
}

// Whether a tip placed there would lie on the block that is open.
function covers(svg, frame, left, top, tip) {
  const open = svg
    .querySelector('.block[aria-pressed="true"]:not([data-block="tint"])')
    ?.getBoundingClientRect();
  if (!open) return false;
  const [x, y] = [open.left - frame.left, open.top - frame.top];
  return (
    left < x + open.width && x < left + tip.width && top < y + open.height && y < top + tip.height
  );
}

export default component(MARKUP, {
  start(map) {
    const [svg, tip] = map.root.children;
    Object.assign(map, { svg, tip });
    const hide = () => showTip(map, null);
    map.hear(svg, "pointerover", (event) => rests(map, event) || showTip(map, blockOf(event)));
    map.hear(svg, "pointerleave focusout", hide);
    map.hear(
      svg,
      "focusin",
      (event) => event.target.matches(":focus-visible") && showTip(map, blockOf(event)),
    );
    map.hear(svg, "click", (event) => {
      map.clicked = event.detail ? [event.clientX, event.clientY] : null; // null: by keyboard
      hide();
      pick(map, blockOf(event));
    });
    map.hear(svg, "keydown", (event) => {
      if (event.key === "Escape") hide();
      if (presses(event)) pick(map, blockOf(event));
    });
  },
  draw(map, { height, items, label, large, looks, width }) {
    set(map.svg, { viewBox: `0 0 ${width} ${height}`, "aria-label": label, is: { large } });
    map.keepFocus("block", () =>
      map.svg.replaceChildren(...items.map((item) => paint(looks, item))),
    );
    window.paintMapStrips?.(map);
    showTip(map, null);
  },
});
