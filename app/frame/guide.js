// “?” in the header: opens the glossary. On a first visit the offer of the tour stands beside it.

// Called once for a language: its words are a script of their own.
async function load(view, { words: place }) {
  const { default: words } = await import(location.origin + place);
  if (place !== view.data.words) return; // another language meanwhile
  view.words = words;
  set(view.find(".help"), named(words.texts.open));
  offer(view, words.texts);
  view.terms.take(words);
  view.tour.take(words);
}

function offer(view, texts) {
  const offers = view.find(".offers");
  if (localStorage.getItem(MET) || !view.differs("offer", texts)) return;
  const taken = () => view.loading.then(() => view.tour.start());
  const refused = () => {
    localStorage.setItem(MET, "met");
    offers.replaceChildren();
    view.find(".help").focus();
  };
  offers.replaceChildren(
    make("button.offer", { title: texts.tour_start, onclick: taken }, texts.tour_offer),
    make("button.no", { ...named(texts.tour_refuse), onclick: refused }, "×"),
  );
}

export default component(
  `<div class="guide lined"><span class="offers lined"></span><button type="button" class="help">?</button>
    <section class="tour" role="dialog" hidden></section><div class="ring" hidden></div>
    <div class="tip" role="tooltip" hidden></div></div>`,
  {
    start(view) {
      const open = async (at) => {
        await view.loading;
        if (!view.find("dialog")) openGlossary(view, view.words, view.tour, at);
      };
      // Keys of the page and of Streamlit do not act below the glossary.
      view.hear(
        window,
        "keydown",
        (event) => view.find("dialog") && event.stopImmediatePropagation(),
        { capture: true },
      );
      view.tour = new Tour(view, view.find(".tour"), view.find(".ring"));
      view.terms = new Terms(view, view.find(".tip"), open);
      view.find(".help").onclick = () => open();
    },
    mark(view, data) {
      if (view.differs("words", data.words)) view.loading = load(view, data);
    },
  },
);
