// Goes from step to step, by button, by arrow key, or by itself.
//
// Playing is the browser's affair: a timer starts when a step has arrived and asks for the next one.
// Where steps are asked for faster than they arrive, the place last asked for counts; a place that
// nobody asked for here was chosen elsewhere on the page, and counts at once.

const FIELD = 'input, textarea, select, [contenteditable], [role="slider"], [role="combobox"]';
const ICONS = { play: "M3 1.5v13l11-6.5z", stop: "M2.5 2.5h11v11h-11z" };
const players = new WeakMap();

function start(root) {
  const find = (name) => root.querySelector(name);
  const player = {
    group: find(".player"), back: find(".back"), play: find(".play"), on: find(".on"),
    at: 0, last: 0, asks: 0, awaited: [], timer: 0, playing: false, send: () => {},
  };
  player.back.onclick = () => go(player, player.at - 1);
  player.on.onclick = () => go(player, player.at + 1);
  player.play.onclick = () => toggle(player);
  player.heard = (event) => listen(player, event);
  document.addEventListener("keydown", player.heard);
  players.set(root, player);
  return player;
}

function listen(player, event) {
  const [target] = event.composedPath();
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (target.closest?.(FIELD)) return;
  const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!move) return;
  event.preventDefault();
  go(player, player.at + move);
}

function go(player, to) {
  if (to < 0 || to > player.last || to === player.at) return;
  player.at = to;
  player.asks += 1;
  player.awaited.push(to);
  player.send("go", { to, nonce: `${performance.now()}-${player.asks}` });
  show(player);
}

function toggle(player) {
  player.playing = !player.playing;
  if (player.playing && player.at === player.last) go(player, 0);
  else schedule(player);
  show(player);
}

function schedule(player) {
  clearTimeout(player.timer);
  if (player.playing && player.at === player.last) player.playing = false;
  if (player.playing) player.timer = setTimeout(() => go(player, player.at + 1), player.wait);
}

function show(player) {
  const name = player.playing ? "stop" : "play";
  player.back.disabled = player.at === 0;
  player.on.disabled = player.at === player.last;
  player.play.querySelector("span").textContent = player.texts[name];
  player.play.querySelector("path").setAttribute("d", ICONS[name]);
  player.play.dataset.state = name;
}

function arrived(player, now) {
  const place = player.awaited.indexOf(now);
  player.awaited = place < 0 ? [] : player.awaited.slice(place + 1);
  if (player.awaited.length) return;
  player.at = now;
  schedule(player);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return undefined;
  const fresh = !players.has(parentElement);
  const player = players.get(parentElement) ?? start(parentElement);
  Object.assign(player, { send: setTriggerValue, last: data.count - 1, texts: data.texts, wait: data.wait });
  player.group.style.setProperty("--accent", data.accent);
  for (const name of ["back", "on"]) {
    player[name].title = data.texts[name];
    player[name].setAttribute("aria-label", data.texts[name]);
  }
  if (fresh) player.at = data.now;
  else arrived(player, data.now);
  show(player);
  return () => {
    clearTimeout(player.timer);
    document.removeEventListener("keydown", player.heard);
    players.delete(parentElement);
  };
}
