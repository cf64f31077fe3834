// A component of the app in a notebook: `mount` stands above, the script of the component itself.

const FONT =
  'system-ui, -apple-system, "Segoe UI", "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif';

// plotly.js comes from Python once for all charts of the page; it must not take a loader's place.
function drawing(model) {
  window.glassformerDrawing ??= new Promise((done) => {
    const hear = (content, [script]) => {
      if (content.has !== "plotly") return;
      model.off("msg:custom", hear);
      new Function("define", "module", "exports", new TextDecoder().decode(script)).call(window);
      done();
    };
    model.on("msg:custom", hear);
    model.send({ wants: "plotly" });
  });
  return window.glassformerDrawing;
}

async function render({ model, el }) {
  const place = document.createElement("div");
  const roles = Object.entries(model.get("colours"));
  place.style.cssText = `height: ${model.get("height")}px; background: var(--page); color: var(--text);`;
  for (const [role, colour] of roles)
    place.style.setProperty(`--${role.replaceAll("_", "-")}`, colour);
  place.style.setProperty("--st-font", FONT);
  place.style.setProperty("--st-background-color", "var(--page)");
  place.style.setProperty("--soft", "color-mix(in srgb, var(--faint) 14%, transparent)");
  el.append(place);
  const chart = model.get("draws") === "plotly"; // it finds its styles on the page
  if (chart && !window.Plotly) await drawing(model);
  const parentElement = chart ? place : place.attachShadow({ mode: "open" });
  const setTriggerValue = (event, value) => {
    model.set("sent", { event, value });
    model.save_changes();
  };
  let end;
  const draw = () => (end = mount({ data: model.get("data"), parentElement, setTriggerValue }));
  model.on("change:data", draw);
  draw();
  return () => {
    model.off("change:data", draw);
    place.remove(); // a component ends where its place has gone
    end?.();
  };
}

export default { render };
