// All steps of a run as dots, by stack and sub-layer; a click jumps, hover names a step.

const SAID = 300; // milliseconds without a move, then the step is said
const PACE = 4000; // the same that a step stays while the steps are played
const KEYS = {
  ArrowLeft: -1,
  PageUp: -1,
  ArrowRight: 1,
  PageDown: 1,
  Home: -Infinity,
  End: Infinity,
};
const FIELD = "input:not([type=checkbox], [type=button]), textarea, select, [contenteditable]";
const OWN = "[role=slider], [role=listbox], [role=combobox], [role=menu], [role=dialog]";
const MARKUP = `<div class="walk">
  <button class="way push previous" type="button"></button>
  <nav class="strip fills"></nav>
  <button class="way push next" type="button"></button>
  <button class="way push play" type="button"></button>
  <div class="said" aria-live="polite"></div>
</div>`;

// The name of a step stands below its dot, as far as the strip reaches.
function place(strip, tag, button) {
  const { left, width } = strip.node.getBoundingClientRect();
  const dot = button.getBoundingClientRect();
  const { scrollLeft } = strip.node;
  const middle = dot.left + dot.width / 2 - left + scrollLeft - tag.offsetWidth / 2;
  tag.style.left = `${Math.max(scrollLeft, Math.min(middle, scrollLeft + width - tag.offsetWidth))}px`;
}

// The step here, its group, and whether there is one on either side; said once the keys rest.
// What is left to do is to show its name where its dot is.
function mark(strip) {
  const at = walk.order.indexOf(walk.here);
  setCurrent(strip.dots, at);
  const step = walk.names.get(walk.here);
  if (step) {
    strip.tag.textContent = step.name;
    clearTimeout(strip.saying);
    strip.saying = setTimeout(() => {
      strip.find(".said").textContent = `${step.counter}: ${step.name}. ${step.where}`;
    }, SAID);
  }
  for (const { node, steps } of strip.groups) node.classList.toggle("now", steps.includes(step));
  strip.find(".previous").disabled = at <= 0;
  strip.find(".next").disabled = at < 0 || at + 1 >= walk.order.length;
  document.body.dataset.walk = walk.here === walk.drawn ? "drawn" : "ahead";
  return () => step && toStep(strip, strip.dots[at]);
}

function toStep(strip, button) {
  reveal(strip.node, button, { sideways: true, more: 60 });
  place(strip, strip.tag, button);
}

// From step to step by itself, until the last one or until the reader goes somewhere.
function play(strip, on) {
  const { play: button, texts } = strip;
  strip.playing = on && walk.order.indexOf(walk.here) + 1 < walk.order.length;
  clearTimeout(strip.timer);
  if (strip.playing) strip.timer = setTimeout(() => (walk.turn(1), play(strip, true)), PACE);
  set(button, {
    textContent: strip.playing ? "❚❚" : "▶",
    ...named(texts[strip.playing ? "stop" : "play"]),
  });
}

function dot(strip, { id, name }) {
  const point = (on) => {
    strip.over.hidden = !on;
    strip.tag.hidden = on;
  };
  const button = make(
    "button",
    {
      data: { step: id },
      "aria-label": name,
      onclick: () => walk.move(id),
      onmouseenter() {
        strip.over.textContent = name;
        point(true);
        place(strip, strip.over, button);
      },
      onmouseleave: () => point(false),
    },
    make("i"),
  );
  strip.dots.push(button);
  return button;
}

function layers(strip, { chosen, name, picks }) {
  const buttons = picks.map((title, layer) => {
    const onclick = () => walk.send(strip.trigger, "layer", { stack: name, layer });
    return make("button.outlined", { title, "aria-pressed": layer === chosen, onclick }, layer + 1);
  });
  const [before, after] = strip.data.around;
  return make("span.layers", before, buttons, after);
}

function drawGroup(strip, { colour, steps, title }) {
  const dots = make(
    ".dots",
    steps.map((step) => dot(strip, step)),
  );
  const node = make(
    ".group",
    { style: { flex: `${steps.length} 1 auto`, "--role": colour } },
    make(".name.cut", title),
    dots,
  );
  strip.groups.push({ node, steps });
  return node;
}

function drawStack(strip, stack) {
  const count = stack.groups.reduce((all, group) => all + group.steps.length, 0);
  return make(
    ".stack.stacked.fills",
    { style: { flex: `${count} 1 auto` } },
    make(".title.centred", stack.title, stack.layers > 1 ? layers(strip, stack) : null),
    make(
      ".groups",
      stack.groups.map((group) => drawGroup(strip, group)),
    ),
  );
}

// The steps in their order, with all that can be said of them before the server was asked.
function steps({ counter, stacks }) {
  const groups = stacks.flatMap((stack) => stack.groups);
  const all = groups.flatMap((group) =>
    group.steps.map((step) => Object.assign(step, { where: group.where })),
  );
  return all.map((step, at) => Object.assign(step, { counter: counter.replace("§", at + 1) }));
}

// Keys act wherever the focus is, but for fields and what the arrows work in: heard before the page
// scrolls. A clicker sends Page Up and Page Down. Whether it was one of them.
function hearKey(event) {
  const target = event.composedPath()[0];
  const by = KEYS[event.key];
  if (
    !by ||
    event.defaultPrevented ||
    event.isComposing ||
    target.matches?.(FIELD) ||
    target.closest?.(OWN)
  )
    return false;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
  event.preventDefault();
  walk.turn(by);
  return true;
}

export default component(MARKUP, {
  start(strip) {
    Object.assign(strip, {
      node: strip.find(".strip"),
      play: strip.find(".play"),
      dots: [],
      texts: strip.data.play,
    });
    strip.play.onclick = () => {
      if (!strip.playing) walk.turn(1); // what is on screen has been read
      play(strip, !strip.playing);
    };
    play(strip, false);
    strip.watch(strip.node, () => strip.node.isConnected && strip.dots.length && mark(strip)());
    strip.hear(document, "keydown", (event) => hearKey(event) && play(strip, false));
    // What is clicked next, a link to another page also, finds the server told.
    strip.hear(
      document,
      "pointerdown",
      (event) => {
        if (strip.playing && !event.composedPath().includes(strip.play)) play(strip, false);
        walk.tell();
      },
      { capture: true },
    );
  },
  draw(strip, data) {
    const all = steps(data);
    walk.order = all.map((step) => step.id);
    walk.names = new Map(all.map((step) => [step.id, step]));
    Object.assign(strip, {
      dots: [],
      groups: [],
      tag: make(".tag"),
      over: make(".tag.over", { hidden: true }),
    });
    const stacks = data.stacks.map((stack) => drawStack(strip, stack));
    set(strip.node, { "aria-label": data.label }).replaceChildren(...stacks, strip.tag, strip.over);
    for (const [at, { name, key, help }] of data.ways.entries()) {
      const way = set(strip.find(at ? ".next" : ".previous"), {
        title: help,
        onclick: () => walk.turn(at ? 1 : -1),
      });
      way.replaceChildren(name, ...(key ? [make("kbd", { "aria-hidden": true }, key)] : []));
    }
  },
  mark(strip) {
    walk.goes = strip.trigger;
    strip.texts = strip.data.play;
    walk.follow("strip", strip.node, () => mark(strip));
    walk.draw();
  },
  end: (strip) => clearTimeout(strip.timer),
});
