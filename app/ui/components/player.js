// Goes from step to step, by button, by arrow key, or by itself.
//
// Playing is the browser's affair: a timer starts when a step has arrived and asks for the next
// one. Where steps are asked for faster than they arrive, the place last asked for counts; a place
// that nobody asked for here was chosen elsewhere on the page, and counts at once.

const FIELD = 'input, textarea, select, [contenteditable], [role="slider"], [role="combobox"]';
const ICONS = { play: "M3 1.5v13l11-6.5z", stop: "M2.5 2.5h11v11h-11z" };

function listen(player, event) {
  const [target] = event.composedPath();
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!move || target.closest?.(FIELD)) return;
  event.preventDefault();
  go(player, player.at + move);
}

function go(player, to) {
  if (to < 0 || to >= player.data.count || to === player.at) return;
  player.at = to;
  player.awaited.push(to);
  player.send("go", { to });
  show(player);
}

function toggle(player) {
  player.playing = !player.playing;
  if (player.playing && player.at === player.data.count - 1) go(player, 0);
  else schedule(player);
  show(player);
}

function schedule(player) {
  clearTimeout(player.timer);
  if (player.at === player.data.count - 1) player.playing = false;
  if (player.playing)
    player.timer = player.later(() => go(player, player.at + 1), player.data.wait);
}

function show(player) {
  const { at, buttons, data, playing } = player;
  const name = playing ? "stop" : "play";
  buttons.back.disabled = at === 0;
  buttons.on.disabled = at === data.count - 1;
  set(buttons.play, { data: { state: name } }).replaceChildren(
    shape("svg", { viewBox: "0 0 16 16", "aria-hidden": true }, shape("path", { d: ICONS[name] })),
    make("span", data.texts[name]),
  );
}

function arrived(player, now) {
  const place = player.awaited.indexOf(now);
  player.awaited = place < 0 ? [] : player.awaited.slice(place + 1);
  if (player.awaited.length) return;
  player.at = now;
  schedule(player);
}

export default component("div.player", {
  start(player, { now }) {
    const back = make("button.push.back", { onclick: () => go(player, player.at - 1) }, "‹");
    const play = make("button.push.play", { onclick: () => toggle(player) });
    const on = make("button.push.on", { onclick: () => go(player, player.at + 1) }, "›");
    Object.assign(player, { at: now, awaited: [], playing: false, buttons: { back, play, on } });
    set(player.root, { role: "group" }).append(back, play, on);
    player.hear(document, "keydown", (event) => listen(player, event));
  },
  draw({ buttons }, { texts }) {
    for (const name of ["back", "on"]) set(buttons[name], named(texts[name]));
  },
  mark(player, { now }) {
    arrived(player, now);
    show(player);
  },
  end: (player) => clearTimeout(player.timer),
});
