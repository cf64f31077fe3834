// A chart that hears clicks, by keyboard: the arrows go from point to point, Enter picks as a click
// does, and what stands on the label under the pointer is said.

const SETTLED = 70; // milliseconds until plotly.js has written the label of a point
const MARK = 14; // pixels of the cursor around a point that is no cell

// All points of a chart: where they lie in its place, in pixels, and what plotly.js calls them.
function pointsOf(place) {
  const layout = place._fullLayout;
  return (place.calcdata ?? []).flatMap((points, curve) => {
    const trace = points[0]?.trace;
    if (!trace?.xaxis || trace.visible !== true || trace.hoverinfo === "skip") return [];
    const [xa, ya] = [trace.xaxis, trace.yaxis].map((id) => layout[`${id[0]}axis${id.slice(1)}`]);
    const at = (x, y) => [xa._offset + xa.c2p(x), ya._offset + ya.c2p(y)];
    const subplot = trace.xaxis + trace.yaxis;
    const point = (number, [x, y], wide = MARK, high = MARK) => ({
      subplot,
      x,
      y,
      wide,
      high,
      name: [curve, number].join(),
      // A cell is found by its place, a point or a bar, which may be thin, by its number.
      hover: Array.isArray(number)
        ? { xpx: x - xa._offset, ypx: y - ya._offset }
        : [{ curveNumber: curve, pointNumber: number }],
    });
    if (trace.type === "heatmap") return cellsOf(points[0], at, point);
    return points
      .map((each, number) =>
        point(each.i ?? number, "p" in each ? barEnd(trace, each, at) : at(each.x, each.y)),
      )
      .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  });
}

const barEnd = ({ orientation }, { b, p, s }, at) =>
  orientation === "h" ? at(b + s, p) : at(p, b + s);

function cellsOf({ x, y, z }, at, point) {
  return z.flatMap((values, row) =>
    values.flatMap((value, column) => {
      if (value === null || value === undefined || Number.isNaN(value)) return [];
      const [[left, top], [right, bottom]] = [at(x[column], y[row]), at(x[column + 1], y[row + 1])];
      const [wide, high] = [Math.abs(right - left), Math.abs(bottom - top)];
      return [point([row, column], [(left + right) / 2, (top + bottom) / 2], wide, high)];
    }),
  );
}

// The next point in a direction: straight on before anything aside.
function nextPoint(points, from, [down, right]) {
  let [best, least] = [null, Infinity];
  for (const each of points) {
    const [u, v] = [each.x - from.x, each.y - from.y];
    const ahead = u * right + v * down;
    const far = ahead + 5 * Math.abs(u * down + v * right);
    if (ahead > 0.5 && far < least) [best, least] = [each, far];
  }
  return best;
}

// Draws the cursor and the label of a point, and says what the label says.
function showPoint(chart, point) {
  const { cursor, place, said } = chart;
  chart.point = point;
  const [wide, high] = [point.wide, point.high].map((side) => Math.max(side, 6));
  const style = {
    left: `${point.x - wide / 2 - place.scrollLeft}px`,
    top: `${point.y - high / 2 - place.scrollTop}px`,
    width: `${wide}px`,
    height: `${high}px`,
  };
  set(cursor, { hidden: false, style });
  window.Plotly.Fx.hover(place, point.hover, point.subplot);
  clearTimeout(chart.saying);
  chart.saying = setTimeout(() => {
    const labels = [...place.querySelectorAll(".hoverlayer .hovertext")];
    said.textContent = labels
      .flatMap((each) => {
        const lines = [...each.querySelectorAll(".line")];
        return (lines.length ? lines : [each]).map((line) => line.textContent.trim());
      })
      .filter(Boolean)
      .join(", ");
  }, SETTLED);
}

// Where the keyboard is, after the chart was drawn anew: on the same point, or on none.
function keepPoint(chart) {
  if (!chart.point || chart.root.getRootNode().activeElement !== chart.place) return;
  const again = pointsOf(chart.place).find(({ name }) => name === chart.point.name);
  if (again) showPoint(chart, again);
  else leavePoint(chart);
}

function leavePoint(chart) {
  clearTimeout(chart.saying);
  chart.point = null;
  chart.cursor.hidden = true;
  window.Plotly?.Fx.unhover(chart.place);
}

function hearKeys(chart, pick) {
  const { place } = chart;
  set(place, { role: "application", "aria-description": chart.data.more.words.keys });
  byKeys(
    place,
    (way) => {
      const points = pointsOf(place);
      const first = () =>
        points.reduce((best, each) => (each.y + each.x < best.y + best.x ? each : best), points[0]);
      const next = chart.point ? nextPoint(points, chart.point, way) : first();
      if (next) showPoint(chart, next);
    },
    () => {
      // Once the label is written, plotly.js knows the point as if the pointer were on it.
      if (chart.point)
        chart.later(() => place._hoverdata?.length && pick(place._hoverdata[0]), SETTLED);
    },
  );
  chart.hear(place, "blur", () => leavePoint(chart));
  chart.hear(place, "scroll", () => keepPoint(chart));
}
