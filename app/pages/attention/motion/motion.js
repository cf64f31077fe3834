// One row of attention as a movement. Its state is a place on a line: at whole numbers stand the
// stations, between two of them every box is on its way. Steps and playing set only the goal, so
// all can be gone back at any time. Where the system asks for less motion, the goal is reached at
// once.

const MOVE = 1.5; // seconds from one station to the next
const READ = 2.8; // seconds at a station while playing
const REST = 700; // milliseconds at a station, then the link is told
const SPEEDS = [0.5, 1, 2];
const KEYS = {
  ArrowLeft: -1,
  PageUp: -1,
  ArrowRight: 1,
  PageDown: 1,
  Home: -Infinity,
  End: Infinity,
};
const OTHERS =
  "input:not([type=range]), textarea, select, [contenteditable], [role=radio], [role=combobox], [role=listbox], [role=slider], [role=menu], [role=dialog]";
const MARKUP = `<section class="motion stacked">
  <header><h2></h2><p class="formula"></p><p class="says"></p></header>
  <div class="stage fills"><div class="inner"></div></div>
  <footer class="lined">
    <button class="push back" type="button">‹</button><button class="push play" type="button"></button>
    <button class="push on" type="button">›</button>
    <input type="range" min="0" step="any" /><span class="count"></span><span class="segments" role="group"></span>
  </footer>
  <div class="said" aria-live="polite"></div>
</section>`;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const smooth = (share) => share * share * (3 - 2 * share);
const bounded = (value, low, high) => Math.max(low, Math.min(high, value));

function nodeOf(view, id, { key, kind, line, picture }) {
  let node = view.nodes.get(id);
  if (node) return node;
  if (kind === "word" && key !== null) {
    const help = { title: view.data.texts.pick, onclick: () => view.send("pick", { key }) };
    node = make("button.box.word.cut", help);
  } else if (kind === "strip") {
    const { levels, width } = view.levels[picture];
    node = paintCells(
      make("canvas.box.strip"),
      levels.subarray(line * width, (line + 1) * width),
      1,
      width,
      view.palette,
    );
  } else node = make(`.box.${kind}.cut`);
  view.nodes.set(id, node);
  view.inner.append(node);
  return node;
}

// A box on its way from one still to the next; one that is in neither is not seen.
function place(view, id, from, to, share) {
  const near = (share < 0.5 ? from : to) ?? from ?? to;
  const node = nodeOf(view, id, near);
  const [start, end] = [from ?? { ...to, o: 0 }, to ?? { ...from, o: 0 }];
  const gone = smooth(bounded(1.3 * share - 0.3 * (near.late ?? 0), 0, 1));
  const at = (name, plain) =>
    (start[name] ?? plain) + ((end[name] ?? plain) - (start[name] ?? plain)) * gone;
  const opacity = at("o", 1);
  set(node, {
    style: {
      transform: `translate(${at("x")}px, ${at("y")}px)`,
      width: `${at("w")}px`,
      height: `${at("h")}px`,
      opacity,
      visibility: opacity < 0.01 ? "hidden" : "visible",
    },
  });
  if (node.near === near) return;
  node.near = near;
  const { focus, hidden, middle, role, share: weight, text } = near;
  set(node, {
    is: { focus, hidden, middle },
    style: { "--role": roleOf(role), "--share": `${100 * (weight ?? 0)}%` },
  });
  if (text !== undefined) node.textContent = text;
}

function paint(view) {
  const low = Math.floor(view.at);
  const [from, to] = [view.stills[low], view.stills[Math.min(low + 1, view.last)]];
  for (const [id, node] of view.nodes)
    if (!from.has(id) && !to.has(id)) node.style.visibility = "hidden";
  for (const id of new Set([...from.keys(), ...to.keys()]))
    place(view, id, from.get(id), to.get(id), view.at - low);
}

// The words of the nearest station; said once it is reached.
function tell(view) {
  const { stations, texts } = view.data;
  const now = Math.round(view.at);
  const { formula, note, says, title } = stations[now];
  if (view.differs("words", now, view.text)) {
    const runs = formula.map(([text, role, level]) =>
      make(level || "span", { style: { color: role ? roleOf(role) : "" } }, text),
    );
    view.find("h2").textContent = title;
    view.find(".formula").replaceChildren(...runs);
    view.find(".says").replaceChildren(says, note ? make("b", ` ${note}`) : "");
    view.find(".count").textContent = `${now + 1} / ${stations.length}`;
  }
  set(view.range, {
    value: view.at,
    "aria-valuetext": `${now + 1} / ${stations.length}: ${title}`,
  });
  view.find(".back").disabled = view.goal === 0;
  view.find(".on").disabled = view.goal === view.last;
  const name = view.playing ? "stop" : "play";
  if (view.differs("play", name, texts))
    view.find(".play").textContent = `${view.playing ? "❚❚" : "▶"} ${texts[name]}`;
  if (view.at === view.goal && view.differs("said", now, view.text))
    view.find(".said").textContent = `${title}. ${says} ${note}`;
}

function show(view) {
  paint(view);
  tell(view);
}

function tick(view, time) {
  const passed = (Math.min(time - view.then, 100) / 1000) * view.speed;
  const gap = view.goal - view.at;
  view.then = time;
  view.frame = null;
  if (gap) {
    const most = (passed / MOVE) * Math.max(1, Math.abs(gap));
    view.at = calm.matches || Math.abs(gap) <= most ? view.goal : view.at + Math.sign(gap) * most;
    view.waited = 0;
  } else if ((view.waited += passed) > READ) {
    view.waited = 0;
    if (view.goal === view.last) view.playing = false;
    else view.goal += 1;
  }
  show(view);
  if (view.goal !== view.at || view.playing) run(view);
  else settle(view);
}

function run(view) {
  if (view.frame) return;
  view.then = performance.now();
  view.frame = requestAnimationFrame((time) => tick(view, time));
}

// A link opens the movement where it rests.
function settle(view) {
  clearTimeout(view.timer);
  const at = Math.round(view.at);
  if (at !== view.told)
    view.timer = view.later(() => {
      view.told = at;
      view.sent.push(at);
      view.send("at", { at });
    }, REST);
}

// Where the link leads: to a station at once, unless it only says where the movement has come to.
function follow(view, at) {
  if (at === view.linked) return;
  view.linked = at;
  const known = view.sent.splice(0, view.sent.indexOf(at) + 1);
  if (known.length) return;
  clearTimeout(view.timer);
  Object.assign(view, { at, goal: at, told: at, playing: false });
  if (view.stills) show(view);
}

// One station on or back from where the movement is, or to an end of the line.
function step(view, by) {
  view.playing = false;
  const from =
    by > 0 ? Math.floor(Math.max(view.at, view.goal)) : Math.ceil(Math.min(view.at, view.goal));
  view.goal = bounded(from + by, 0, view.last);
  run(view);
}

function play(view) {
  view.playing = !view.playing;
  if (view.playing && view.at === view.last) view.at = view.goal = 0;
  view.goal = view.playing ? Math.ceil(view.at) : view.at;
  view.waited = READ / 2;
  run(view);
}

function scrub(view) {
  const value = Number(view.range.value);
  view.playing = false;
  view.at = view.goal = calm.matches ? Math.round(value) : value;
  run(view);
}

function hearKey(view, event) {
  const target = event.composedPath()[0];
  if (
    event.defaultPrevented ||
    event.ctrlKey ||
    event.altKey ||
    event.metaKey ||
    target.closest?.(OTHERS)
  )
    return;
  const space = event.key === " " && !target.closest?.("button, a, summary");
  if (!space && !(event.key in KEYS)) return;
  event.preventDefault();
  if (space) play(view);
  else step(view, KEYS[event.key]);
}

function arrange(view) {
  const { data, stage } = view;
  if (!data || !stage.clientWidth) return;
  const g = geometry(stage, data);
  view.stills = data.stations.map((_, at) => stillAt(at, data, g));
  set(view.inner, {
    style: { width: `${g.width}px`, height: `${g.height}px`, fontSize: `${g.type}px` },
  });
  // one that scrolls is reached by keys
  set(stage, { tabIndex: g.width > stage.clientWidth || g.height > stage.clientHeight ? 0 : -1 });
  show(view);
}

export default component(MARKUP, {
  moving: ["at"],
  start(view, { at, texts }) {
    Object.assign(view, {
      at,
      goal: at,
      told: at,
      linked: at,
      sent: [],
      speed: 1,
      waited: 0,
      playing: false,
      nodes: new Map(),
    });
    Object.assign(view, {
      stage: view.find(".stage"),
      inner: view.find(".inner"),
      range: view.find("input"),
    });
    for (const [name, act] of Object.entries({
      back: () => step(view, -1),
      on: () => step(view, 1),
      play: () => play(view),
    })) {
      set(view.find(`.${name}`), { onclick: act });
    }
    const faster = (speed) =>
      make(
        "button",
        { "aria-label": `${texts.speed} ${speed}×`, onclick: () => pace(view, speed) },
        `${speed}×`,
      );
    view.find(".segments").append(...SPEEDS.map(faster));
    pace(view, 1);
    view.range.oninput = () => scrub(view);
    view.hear(document, "keydown", (event) => hearKey(view, event));
    view.watch(view.stage, () => arrange(view));
  },
  draw(view, { pictures, scale, stations, texts }) {
    view.last = stations.length - 1;
    view.palette = paletteOf(scale);
    view.levels = Object.fromEntries(
      Object.entries(pictures).map(([name, { levels, width }]) => [
        name,
        { levels: numbersOf(levels, Uint8Array), width },
      ]),
    );
    set(view.root, { "aria-label": texts.label });
    for (const name of ["back", "on"]) set(view.find(`.${name}`), named(texts[name]));
    set(view.range, { max: view.last, "aria-label": texts.line });
    set(view.find(".segments"), { "aria-label": texts.speed });
    view.nodes.clear();
    view.inner.replaceChildren();
    arrange(view);
  },
  mark(view, { at }) {
    follow(view, at);
  },
  end(view) {
    clearTimeout(view.timer);
    cancelAnimationFrame(view.frame);
  },
});

function pace(view, speed) {
  view.speed = speed;
  for (const [at, button] of [...view.find(".segments").children].entries())
    set(button, { "aria-pressed": SPEEDS[at] === speed });
}
