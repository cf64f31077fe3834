// One Plotly chart that is updated in place.

async function plotly(source) {
  if (window.Plotly) return window.Plotly;
  await othersDrawn();
  return chartLibrary(source);
}

// The place says how wide a chart is, and with `fill` how high; while hidden it has no size. In a
// place that is smaller than the figure's `least` it is scrolled.
function sized(chart) {
  const { layout } = chart.data.figure;
  const { height } = chart.data.more;
  const { clientWidth: wide, clientHeight: high } = chart.place;
  const own = document.fullscreenElement === chart.place ? null : height;
  const [across, down] = layout.meta?.least ?? [0, 0];
  return wide > 0 && (own ?? high) > 0
    ? { ...layout, width: Math.max(wide, across), height: own ?? Math.max(high, down) }
    : null;
}

// Plotly measures the labels of an axis with `automargin` only while it draws, and then draws all
// once more. Under the same labels, whichever is stressed, it starts from the margins that it found
// the last time; it makes them larger where a stressed one needs that.
function steadied(chart, layout) {
  const axes = Object.keys(layout)
    .filter((name) => /^[xy]axis\d*$/.test(name))
    .sort();
  const labels = axes.map((name) => {
    const { ticktext, title, side, domain, tickfont, tickangle } = layout[name];
    const words = ticktext?.map((text) => String(text).replace(/<[^>]*>/g, ""));
    return [name, words, title, side, domain, tickfont, tickangle];
  });
  const { width, height, margin } = layout;
  const frame = JSON.stringify([width, height, margin, labels]);
  const found = chart.frame === frame ? chart.place._fullLayout?._size : null;
  chart.frame = frame;
  return found
    ? { ...layout, margin: { ...margin, l: found.l, r: found.r, t: found.t, b: found.b } }
    : layout;
}

const FULL = {
  width: 24,
  height: 24,
  path: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
};

// What plotly.js is told once: its buttons, and that the wheel scrolls the page. Told another
// thing, such as the name of the picture's file, it would make the whole chart anew.
function configured(Plotly, chart) {
  const { place } = chart;
  const { words } = chart.data.more;
  const save = () => Plotly.downloadImage(place, { format: "svg", filename: chart.data.more.name });
  const enlarge = () =>
    document.fullscreenElement ? document.exitFullscreen() : place.requestFullscreen();
  const image = { name: "image", title: words.image, icon: Plotly.Icons.camera, click: save };
  const full = { name: "full", title: words.full, icon: FULL, click: enlarge };
  return {
    // Fingers have no hover, and the buttons would stay on the picture; Save… has what they do.
    displayModeBar: matchMedia("(hover: none)").matches ? false : "hover",
    displaylogo: false,
    scrollZoom: false,
    doubleClick: false,
    modeBarButtonsToRemove: ["toImage", "select2d", "lasso2d", "autoScale2d", "resetScale2d"],
    modeBarButtonsToAdd: document.fullscreenEnabled ? [image, full] : [image],
  };
}

// Charts wait for each other: the largest of the page is drawn first and painted before the next
// one is begun, so that what a click was about is not kept waiting by what stands beside it. While
// the server is still sending, the others wait for it, if not for long.
const LONGEST = 200; // ms
const RUNNING = '[data-testid="stApp"][data-test-script-state="running"]';
const line = new Set();
let drawing = false;

const area = (place) => place.clientWidth * place.clientHeight;

function draw(chart) {
  chart.place.dataset.chart = "waiting";
  chart.since = performance.now();
  line.add(chart);
  if (!drawing) drawAll();
}

async function drawAll() {
  drawing = true;
  await new Promise((done) => setTimeout(done)); // what React updates now is in the line, too
  while (line.size) {
    const next = [...line].reduce((best, each) =>
      area(each.place) > area(best.place) ? each : best,
    );
    if (hasTime(next)) {
      await painted();
      continue;
    }
    line.delete(next); // new data puts it back: only the newest is drawn
    await drawOne(next);
    if (line.size) await painted();
  }
  drawing = false;
}

function hasTime({ place, since }) {
  if (performance.now() - since > LONGEST || !document.querySelector(RUNNING)) return false;
  return [...document.querySelectorAll(".chart-place")].some((other) => area(other) > area(place));
}

// A hidden window paints nothing: there a moment must do.
const painted = () =>
  new Promise((done) => {
    if (document.hidden) setTimeout(done);
    else requestAnimationFrame(() => setTimeout(done));
  });

// Compiling plotly.js holds the page up for a second: what has no chart in it comes before, the
// translation first of all.
const MOST_WAITING = 1500; // ms
const COMING = `${RUNNING}, [data-testid^="stBidiComponent"]:not([data-component])`;

async function othersDrawn() {
  const end = performance.now() + MOST_WAITING;
  do await painted();
  while (performance.now() < end && document.querySelector(COMING));
  await painted();
}

async function drawOne(chart) {
  const { more } = chart.data;
  try {
    const Plotly = await plotly(more.source);
    chart.config ??= configured(Plotly, chart);
    const layout = chart.gone ? null : sized(chart);
    if (layout) await drawWithRoom(Plotly, chart, layout);
    if (layout && more.clicks) hear(chart);
    if (layout) keepPoint(chart);
    chart.failed(false);
  } catch (error) {
    console.error(error);
    chart.failed(true);
  }
  if (!line.has(chart)) chart.place.dataset.chart = "drawn";
  chart.preview(null);
}

// Shows over the cells what is known of the next picture before its numbers are, or nothing more.
// part: which of the pixels are in the picture, as shares: left, top, width, height.
function preview(chart, picture, part) {
  chart.over?.remove();
  chart.over = null;
  const cells = chart.place.querySelector(".nsewdrag")?.getBoundingClientRect();
  if (!picture || !cells) return;
  const { width, height } = picture;
  const source = part.map((share, at) => share * (at % 2 ? height : width));
  const whole = chart.root.getBoundingClientRect();
  const style = {
    left: `${cells.left - whole.left}px`,
    top: `${cells.top - whole.top}px`,
    width: `${cells.width}px`,
    height: `${cells.height}px`,
  };
  chart.over = make("canvas.chart-over", { width: cells.width, height: cells.height, style });
  const pen = chart.over.getContext("2d");
  pen.imageSmoothingEnabled = false;
  pen.drawImage(picture, ...source, 0, 0, cells.width, cells.height);
  chart.root.append(chart.over);
}

// The frame around the cell in focus goes to the one that was clicked, with the way to it from the
// words, as attention_map.py draws them; what is said of the cell comes from the server.
function moveFrame(chart, column, row) {
  const { figure } = chart.data;
  const cells = {
    row: [row, row, 0, column - 1],
    column: [0, row - 1, column, column],
    pinned: [row, row, column, column],
  };
  const shapes = (figure.layout.shapes ?? []).map((shape) => {
    const [top, bottom, left, right] = cells[shape.name] ?? [];
    return top === undefined
      ? shape
      : { ...shape, x0: left - 0.5, x1: right + 0.5, y0: top - 0.5, y1: bottom + 0.5 };
  });
  if (!window.knownAnswers || !shapes.some(({ name }) => name === "pinned")) return;
  chart.foresee({ ...chart.data, figure: { ...figure, layout: { ...figure.layout, shapes } } });
  window.knownAnswers.settle(); // it goes back where the server never hears of the click
}

// Clicks on points go to Python; plotly.js keeps what listens while a chart has new data.
function hear(chart) {
  if (chart.place.dataset.heard) return;
  chart.place.dataset.heard = "yes";
  const pick = ({ x, y, curveNumber, customdata, data }) => {
    if (data.type === "heatmap") moveFrame(chart, Number(x), Number(y));
    chart.send("click", {
      x: Number(x),
      y: Number(y),
      curve: curveNumber ?? 0,
      custom: customdata ?? null,
    });
  };
  chart.place.on("plotly_click", ({ points }) => pick(points[0]));
  // plotly.js looks only every 50 ms for what is under the pointer, and where it does so between
  // press and release it forgets the point: the click would be told to nobody.
  let pressed = false;
  chart.hear(chart.place, "mousedown", ({ button }) => (pressed = !button), { capture: true });
  chart.hear(document, "mouseup contextmenu", () => (pressed = false), { capture: true });
  chart.place.on("plotly_beforehover", () => !pressed);
  hearKeys(chart, pick);
}

const MARKUP = `<div class="chart">
  <div class="chart-place" role="figure"></div><p class="chart-note" role="status" hidden></p>
  <div class="chart-cursor" hidden></div><p class="chart-said" aria-live="polite"></p>
</div>`;

export default component(MARKUP, {
  start(chart) {
    const [place, note, cursor, said] = chart.root.children;
    let width, height;
    Object.assign(chart, { place, cursor, said });
    chart.preview = (picture, part) => preview(chart, picture, part);
    chart.failed = (is) =>
      set(note, { hidden: !is, textContent: is ? chart.data.more.words.failed : "" });
    chart.watch(place, ([{ contentRect }]) => {
      const [wide, high] = [Math.floor(contentRect.width), Math.floor(contentRect.height)];
      if (wide === width && high === height) return;
      [width, height] = [wide, high];
      if (chart.since) draw(chart);
    });
  },
  draw(chart, { more }) {
    if (chart.differs("config", more.words)) chart.config = null;
    set(chart.place, {
      "aria-label": more.alt,
      style: { height: more.height ? `${more.height}px` : "100%" },
    });
    draw(chart);
  },
  end(chart) {
    chart.gone = true;
    line.delete(chart);
    window.Plotly?.purge(chart.place);
  },
});
