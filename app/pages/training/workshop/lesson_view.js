// Progress, curve and translations of a run, changed in place at every look.

const MARKUP = `<div class="lesson">
  <div class="headline cut" role="status"></div>
  <div class="bar meter" role="progressbar" aria-valuemin="0" aria-valuemax="100"><i></i></div>
  <div class="facts"></div>
  <div class="legend"><span class="of-line swatch"></span><span class="of-mark swatch"></span></div>
  <div class="chart">
    <div class="up"></div>
    <div class="plot">
      <svg preserveAspectRatio="none" viewBox="0 0 1 1" aria-hidden="true">
        <g class="grid"></g>
        <polyline class="line"></polyline>
      </svg>
      <div class="marks"></div>
    </div>
    <div class="across"></div>
  </div>
  <div class="head"><span class="step"></span><span class="said cut"></span><span class="right"></span></div>
  <div class="rows" tabindex="0"></div>
</div>`;

function drawCurve(view, { across, line, marks, up }) {
  const put = (name, nodes) => view.find(name).replaceChildren(...nodes);
  const ticks = (items, side) =>
    items.map(([at, label]) => make("span", { style: { [side]: `${100 * at}%` } }, label));
  view.find(".plot .line").setAttribute("points", line.map(([x, y]) => `${x},${1 - y}`).join(" "));
  put(
    ".grid",
    up.map(([at]) => shape("line", { x1: 0, x2: 1, y1: 1 - at, y2: 1 - at })),
  );
  put(
    ".marks",
    marks.map(([x, y]) => make("i", { style: { left: `${100 * x}%`, bottom: `${100 * y}%` } })),
  );
  put(".up", ticks(up, "bottom"));
  put(".across", ticks(across, "left"));
}

function drawRows(view, { language, rows, texts }) {
  const lines = rows.map(({ right, step, text }) =>
    make(
      ".row",
      make("span.step", { title: step }, step),
      make("span.said.cut", { title: text, lang: language }, text || make("i", texts.nothing)),
      make("span.right", { title: right }, right),
    ),
  );
  view.find(".rows").replaceChildren(...lines);
}

export default component(MARKUP, {
  draw(view, data) {
    const { drawing, facts, headline, rows, share, texts, tone } = data;
    view.root.className = `lesson ${tone}`;
    set(view.find(".bar"), {
      "aria-valuenow": Math.round(100 * share),
    }).firstChild.style.width = `${100 * share}%`;
    const told = facts.map(([what, value]) => make("span.stacked", make("small", what), value));
    view.find(".facts").replaceChildren(...told);
    view.write({ ".headline": headline, ".of-line": texts.loss, ".of-mark": texts.held_out });
    for (const [name, text] of [
      ["step", "step"],
      ["said", "translation"],
      ["right", "right"],
    ]) {
      set(view.find(`.head .${name}`), { textContent: texts[text], title: texts[text] });
    }
    if (view.differs("curve", drawing)) drawCurve(view, drawing);
    if (view.differs("rows", rows, texts)) drawRows(view, data);
  },
});
