// Reports clicks on a named Plotly chart of the page to Python.
//
// Streamlit puts the key of a chart on its container as the class "st-key-<key>". A chart with new
// data may be a new element, or the same one with new listeners: `_ev` is plotly.js's emitter of
// the chart, so a chart is ours while its emitter is the one we listened to. plotly.js 4 has no
// public sign of that; the browser test of the bridge watches over it.

function listen(bridge) {
  bridge.waiting = false;
  const key = bridge.data.chart;
  for (const chart of document.querySelectorAll(`.st-key-${CSS.escape(key)} .js-plotly-plot`)) {
    if (!chart.on || !chart._ev || bridge.heard.get(chart) === chart._ev) continue;
    bridge.heard.set(chart, chart._ev);
    chart.on("plotly_click", (event) => report(bridge, key, event));
    chart.dataset.bridged = "yes";
  }
}

function report(bridge, chart, event) {
  const point = event?.points?.[0];
  if (!point || chart !== bridge.data.chart) return;
  const { x, y, curveNumber, customdata } = point;
  bridge.send("click", { chart, x: Number(x), y: Number(y), curve: curveNumber ?? 0, custom: customdata ?? null });
}

export default component("", {
  start(bridge) {
    Object.assign(bridge, { heard: new WeakMap(), waiting: false });
    // The subtree is the whole app: charts come and go anywhere in it.
    bridge.observer = new MutationObserver(() => {
      if (!bridge.waiting) requestAnimationFrame(() => listen(bridge));
      bridge.waiting = true;
    });
    bridge.observer.observe(document.body, { childList: true, subtree: true });
  },
  mark: listen,
  end(bridge) {
    bridge.observer.disconnect();
    bridge.data.chart = "";
  },
});
