// Two translations, a line a word.

const MARKUP = `<div class="effect pane">
  <div class="sentences">
    <span class="side swatch"></span><span class="sentence"></span>
    <span class="side swatch"></span><span class="sentence"></span>
  </div>
  <div class="scroll"><div class="table"></div></div>
  <div class="note cut"></div>
  <div class="total"><span class="name"></span><span class="was"></span><span class="arrow">→</span><span class="is"></span></div>
  <div class="next">
    <div class="heading cut"></div>
    <div class="choices was"></div>
    <div class="choices is"></div>
  </div>
</div>`;

function sentence(words, { gap, texts }) {
  if (!words.length) return [make("span.none", texts.empty)];
  const told = ({ kind, text }) => (kind === "same" ? text : make(`b.${kind}`, text));
  return words.flatMap((word, at) => (at ? [gap, told(word)] : [told(word)]));
}

function label(kind, text, { end }, apart) {
  if (text === null) return make(kind);
  const tilde = apart ? make("span.tilde", "~") : null;
  return make(kind, tilde, text === "" ? make("span.flag", end) : make("span.word", text));
}

function makeLine(view, line) {
  const { focus, texts } = view.data;
  const { apart, kind, kl, percents, row, shares } = line;
  const now = row !== null && row === focus;
  const press = { "aria-pressed": now, data: { row }, onclick: () => view.send("pick", { row }) };
  const title = apart ? `${line.title}\n~ ${texts.apart}` : line.title;
  return make(
    `${row === null ? "" : "button"}.line.subgrid.${kind}`,
    { title, is: { changed: kind !== "same", now }, ...(row === null ? {} : press) },
    make("span.mark", { "aria-label": line.mark }, line.sign),
    label("span.before.cut", line.before, texts, false),
    make(
      "span.bars",
      shares
        ? shares.map((share, at) => set(meter(share), { is: { lost: percents[at] === "NaN" } }))
        : [],
    ),
    make("span.percents", percents ? percents.join(" → ") : ""),
    make("span.kl", kl),
    label("span.after.cut", line.after, texts, apart),
  );
}

function titles(texts) {
  const all = [
    ["", "", ""],
    ["", texts.before, texts.help_before],
    [".wide", texts.chance, texts.help_chance],
    [".number", texts.divergence, texts.help_divergence],
    ["", texts.after, texts.help_after],
  ];
  return all.map(([kind, text, title]) => make(`span.title.stays${kind}`, { title }, text));
}

function choice({ percent, share, sign, text }, { end }) {
  const word = text || end;
  const name = make("span.word.cut", { title: word, is: { sign: sign || !text } }, word);
  return [name, meter(share), make("span.percent", percent)];
}

function writeNext(view, { next, texts }) {
  set(view.find(".heading"), { textContent: next.title, title: next.title });
  for (const [at, side, caption] of [
    [0, "was", texts.before],
    [1, "is", texts.after],
  ]) {
    const choices = next.sides[at];
    const told = choices.length
      ? choices.flatMap((each) => choice(each, texts))
      : [make("span.none", texts.lost)];
    view.find(`.choices.${side}`).replaceChildren(make("span.caption.swatch", caption), ...told);
  }
}

export default component(MARKUP, {
  draw(view, data) {
    const { note, rows, sentences, texts, total } = data;
    const all = (name) => [...view.root.querySelectorAll(name)];
    all(".side").forEach((side, at) => {
      side.textContent = [texts.before, texts.after][at];
    });
    all(".sentence").forEach((each, at) => each.replaceChildren(...sentence(sentences[at], data)));
    const scroll = view.find(".scroll");
    const { scrollTop } = scroll;
    view
      .find(".table")
      .replaceChildren(...titles(texts), ...rows.map((line) => makeLine(view, line)));
    scroll.scrollTop = scrollTop;
    const now = view.find(".line.now");
    if (now) reveal(scroll, now);
    set(view.find(".note"), { textContent: note, title: note });
    view.find(".total").title = total.help;
    const [was, is] = total.numbers;
    view.write({ ".total .name": total.name, ".total .was": was, ".total .is": is });
    writeNext(view, data);
  },
});
