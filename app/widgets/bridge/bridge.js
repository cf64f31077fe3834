// Reports clicks on the named Plotly charts of the page to Python.
//
// Streamlit puts the key of a chart on its container as the class "st-key-<key>". A chart with new
// data may be a new element, or the same one with new listeners: `_ev` is plotly.js's emitter of
// the chart, so a chart is ours while its emitter is the one we listened to. plotly.js 4 has no
// public sign of that; the browser test of the bridge watches over it.

const bridges = new WeakMap();

function startBridge(parentElement) {
  const bridge = { charts: [], send: () => {}, heard: new WeakMap(), clicks: 0, waiting: false };

  bridge.listen = () => {
    bridge.waiting = false;
    for (const key of bridge.charts) {
      const selector = `.st-key-${CSS.escape(key)} .js-plotly-plot`;
      for (const chart of document.querySelectorAll(selector)) {
        if (!chart.on || !chart._ev || bridge.heard.get(chart) === chart._ev) continue;
        bridge.heard.set(chart, chart._ev);
        chart.on("plotly_click", (event) => bridge.report(key, event));
        chart.dataset.bridged = "yes";
      }
    }
  };

  bridge.report = (chart, event) => {
    const point = event?.points?.[0];
    if (!point || !bridge.charts.includes(chart)) return;
    bridge.clicks += 1;
    bridge.send("click", {
      chart,
      x: Number(point.x),
      y: Number(point.y),
      curve: point.curveNumber ?? 0,
      custom: point.customdata ?? null,
      nonce: `${performance.now()}-${bridge.clicks}`,
    });
  };

  const soon = () => {
    if (bridge.waiting) return;
    bridge.waiting = true;
    requestAnimationFrame(bridge.listen);
  };
  // The subtree is the whole app: charts come and go anywhere in it.
  bridge.observer = new MutationObserver(soon);
  bridge.observer.observe(document.body, { childList: true, subtree: true });
  bridges.set(parentElement, bridge);
  return bridge;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const bridge = bridges.get(parentElement) ?? startBridge(parentElement);
  bridge.charts = data?.charts ?? [];
  bridge.send = setTriggerValue;
  bridge.listen();
  return () => {
    bridge.observer.disconnect();
    bridge.charts = [];
    bridges.delete(parentElement);
  };
}
