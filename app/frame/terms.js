// The terms in the texts of a page: looked for in what is new, underlined without touching a node
// of the page (as CSS highlights), told in a tip by mouse, finger and keyboard.

const BLOCK =
  '[data-testid="stMarkdownContainer"], [data-testid="stCaptionContainer"], .walk-text, .walk-formula';
// What is pressed, what is code, formulas (see `symbolAt`), and the lines that repeat what was
// typed.
const UNREAD =
  'button, label, a, code, pre, .katex, td, [role="alert"], [class*="st-key-stage_"], [data-testid="stSidebar"]';
const TYPED = '[class*="st-key-stage_sentence"] input';
const QUOTED = "“[^”]*”|「[^」]*」"; // words of users stand in quotes
const MOST = 3; // marks in a block
const WAITS = { show: 150, hide: 300, read: 80 }; // milliseconds

const plainly = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const bare = (text) => text.replace(/[\s\u200b_]/g, ""); // as a formula shows d_k: dk

// A word as it may stand in a text: with a capital at its begin; Latin letters are no part of a
// longer word.
function form(word) {
  const first = /^[a-z]/.test(word) ? `[${word[0].toUpperCase()}${word[0]}]` : plainly(word[0]);
  const whole = first + plainly(word.slice(1));
  return /^[\p{Script=Latin}<√]/u.test(word)
    ? `(?<![\\p{Script=Latin}\\d_-])${whole}(?![\\p{Script=Latin}\\d_-])`
    : whole;
}

class Terms {
  blocks = new Map(); // block -> its terms: { id, range, marked }
  fresh = new Set();
  marks = window.Highlight ? new Highlight() : new Set(); // an older browser has tips without marks
  now = window.Highlight ? new Highlight() : new Set();

  constructor(view, tip, open) {
    Object.assign(this, { view, tip, open });
    CSS.highlights?.set("term", this.marks);
    CSS.highlights?.set("term-now", this.now);
    const eye = new MutationObserver((changes) => this.heard(changes));
    eye.observe(document.body, { subtree: true, childList: true, characterData: true });
    view.ending.signal.addEventListener("abort", () => {
      eye.disconnect();
      for (const name of ["term", "term-now"]) CSS.highlights?.delete(name);
    });
    view.hear(document, "pointermove click", (event) => this.pointed(event), { passive: true });
    view.hear(
      document,
      "scroll",
      () => (this.block && document.activeElement === this.block ? this.tell() : this.hide()),
      { capture: true, passive: true },
    );
    view.hear(
      document,
      "focusin",
      ({ target }) => target === this.block && target.matches(":focus-visible") && this.step(0),
    );
    view.hear(document, "focusout", ({ target }) => target === this.block && this.hide());
    view.hear(window, "keydown", (event) => this.pressed(event), { capture: true });
  }

  // Takes the words of a language.
  take({ terms }) {
    this.terms = new Map(terms.map((term) => [term.id, term]));
    const words = terms
      .flatMap(({ id, words: own }) => own.map((word) => [word, id]))
      .sort(([a], [b]) => b.length - a.length);
    const shapes = terms
      .filter(({ shape: is }) => is)
      .map(({ symbol }) => symbol)
      .join("");
    this.ids = new Map(words);
    this.common = new Set(terms.flatMap(({ common }) => common));
    this.letters = new Map(
      terms.filter(({ shape: is }) => is).map(({ symbol, id }) => [symbol, id]),
    );
    this.symbols = new Map(
      terms
        .flatMap(({ id, symbol, symbols = [] }) =>
          [...symbols, ...(/^[A-Z]$/.test(symbol) ? [symbol] : [])].map((each) => [bare(each), id]),
        )
        .reverse(),
    );
    this.pattern = new RegExp(
      `${QUOTED}|(?<word>${words.map(([word]) => form(word)).join("|")})|(?<=[(×,]\\s?)(?<letter>[${shapes}])(?=\\s?[×,)])`,
      "gu",
    );
    this.again();
  }

  again() {
    for (const block of document.querySelectorAll(BLOCK)) this.fresh.add(block);
    this.readFresh();
  }

  heard(changes) {
    const before = this.fresh.size;
    let gone = false;
    for (const { target, addedNodes, removedNodes } of changes) {
      if (target instanceof SVGElement) continue; // charts
      gone ||= removedNodes.length > 0;
      const block = (target.nodeType === Node.TEXT_NODE ? target.parentElement : target)?.closest(
        BLOCK,
      );
      if (block) this.fresh.add(block);
      else
        for (const node of addedNodes) {
          if (!(node instanceof HTMLElement)) continue;
          if (node.matches(BLOCK)) this.fresh.add(node);
          for (const each of node.querySelectorAll(BLOCK)) this.fresh.add(each);
        }
    }
    if (this.fresh.size > before || gone)
      this.waiting ??= setTimeout(() => this.readFresh(), WAITS.read);
  }

  readFresh() {
    this.waiting = null;
    if (!this.pattern) return;
    for (const block of this.blocks.keys()) if (!block.isConnected) this.forget(block);
    const typed = [...document.querySelectorAll(TYPED)].map(({ value }) => value).join("\n");
    // A word that the reader has typed may be theirs wherever it stands.
    const theirs = [...typed.matchAll(this.pattern)].map((match) => this.idOf(match)).join();
    if (theirs !== this.theirs) for (const block of this.blocks.keys()) this.fresh.add(block);
    this.theirs = theirs;
    for (const block of this.fresh)
      if (block.isConnected) this.read(block, new Set(theirs.split(",")));
    this.fresh.clear();
  }

  forget(block) {
    for (const { range } of this.blocks.get(block) ?? []) this.marks.delete(range);
    this.blocks.delete(block);
  }

  idOf({ 0: text, groups: { word, letter } }) {
    if (letter) return this.letters.get(letter);
    return word && (this.ids.get(text) ?? this.ids.get(text[0].toLowerCase() + text.slice(1)));
  }

  read(block, theirs) {
    this.forget(block);
    if (block.closest(UNREAD)) return;
    const found = [];
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.parentElement.closest(UNREAD)) continue;
      for (const match of node.data.matchAll(this.pattern)) {
        const id = this.idOf(match);
        if (!id || theirs.has(id)) continue;
        // What says other things, too, is the term where it is all that is stressed.
        if (
          this.common.has(match[0].toLowerCase()) &&
          !(match[0] === node.data && node.parentElement.matches("strong, em"))
        )
          continue;
        const [startOffset, endOffset] = [match.index, match.index + match[0].length];
        const range = new StaticRange({
          startContainer: node,
          startOffset,
          endContainer: node,
          endOffset,
        });
        const marked =
          match.groups.word &&
          !found.some((each) => each.id === id) &&
          found.filter((each) => each.marked).length < MOST;
        if (marked) this.marks.add(range);
        found.push({ id, range, marked });
      }
    }
    if (found.length || block.querySelector(".katex")) this.blocks.set(block, found);
  }

  // The smallest part of a formula around a node that is a symbol by itself.
  symbolAt(target) {
    let found = null;
    for (let node = target; node && !node.matches(".katex-html"); node = node.parentElement) {
      const text = bare(node.textContent);
      if (text.length > 9) break;
      const id = !node.closest(".msupsub") && this.symbols.get(text);
      if (id) found = { id, boxes: [node.getBoundingClientRect()] };
    }
    return found;
  }

  at({ clientX, clientY, target }) {
    if (!this.pattern || !target.closest) return null;
    if (target.closest(".katex")) {
      const below = document
        .elementsFromPoint(clientX, clientY)
        .filter((node) => node.closest(".katex"));
      // parts of a root lie over what is below it
      return below.map((node) => this.symbolAt(node)).find(Boolean) ?? null;
    }
    const inside = ({ left, right, top, bottom }) =>
      clientX >= left && clientX <= right && clientY >= top - 2 && clientY <= bottom + 2;
    for (const { id, range } of this.blocks.get(target.closest(BLOCK)) ?? []) {
      const boxes = boxesOf(range);
      if (boxes.some(inside)) return { id, boxes };
    }
    return null;
  }

  pointed(event) {
    if (event.composedPath().includes(this.tip)) return clearTimeout(this.due);
    const found = this.at(event);
    if (found?.id === this.seen && event.type !== "click") return undefined;
    this.seen = found?.id;
    clearTimeout(this.due);
    const act = () => (found ? this.show(found) : this.hide());
    if (event.type === "click") act();
    else if (found || !this.tip.hidden) this.due = setTimeout(act, found ? WAITS.show : WAITS.hide);
    return undefined;
  }

  show({ id, boxes, range }) {
    this.tip.replaceChildren(...entry(this.view, this.terms.get(id), () => this.hide()));
    set(this.tip, { hidden: false });
    const [box] = boxes;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const below = box.bottom + 6 + height < window.innerHeight;
    set(this.tip, {
      style: {
        left: `${Math.max(8, Math.min(box.left, window.innerWidth - width - 8))}px`,
        top: `${below ? box.bottom + 6 : Math.max(8, box.top - height - 6)}px`,
      },
    });
    this.now.clear();
    if (range) this.now.add(range);
  }

  hide() {
    clearTimeout(this.due);
    this.seen = undefined;
    this.now.clear();
    set(this.tip, { hidden: true });
    this.block?.removeAttribute("aria-description");
  }

  // All terms on screen in their order, one of each block and name; symbols of its formulas, too.
  inOrder() {
    const shown = [...this.blocks.keys()].filter((block) =>
      block.checkVisibility({ visibilityProperty: true }),
    );
    shown.sort((one, other) =>
      one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
    return shown.flatMap((block) => {
      const symbols = [...block.querySelectorAll(".katex-html .mord")]
        .map((node) => this.symbolAt(node))
        .filter(Boolean);
      const all = [...this.blocks.get(block), ...symbols];
      return all
        .filter(({ id }, at) => all.findIndex((each) => each.id === id) === at)
        .map((each) => ({ ...each, block }));
    });
  }

  // One place of the page can have the focus: the block of the term that was told last, or the
  // first.
  pressed(event) {
    if (event.key === "Tab" && !this.block?.checkVisibility()) this.moveTo(this.inOrder()[0]);
    if (event.key === "Escape" && !this.tip.hidden) this.hide();
    else if (
      !this.block ||
      document.activeElement !== this.block ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey
    )
      return;
    else if (ARROWS[event.key]) this.step(ARROWS[event.key][0] + ARROWS[event.key][1]);
    else if (event.key === "Enter") this.open(this.told.id);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation(); // keys of the page do not act as well
  }

  moveTo(found) {
    this.block?.removeAttribute("tabindex");
    this.told = found;
    this.block = found && set(found.block, { tabIndex: 0 });
  }

  step(by) {
    const all = this.inOrder();
    const before = all.findIndex(({ block, id }) => block === this.block && id === this.told?.id);
    const found = all[Math.max(0, Math.min(all.length - 1, before + by))];
    if (!found) return;
    if (found.block !== this.block) {
      this.moveTo(found);
      found.block.focus();
      return;
    }
    this.told = found;
    if (found.range) found.range.startContainer.parentElement.scrollIntoView({ block: "nearest" });
    this.tell();
  }

  // Tells the term that the keyboard came to, where it stands now.
  tell() {
    const { id, block, range, boxes } = this.told;
    const { name, about } = this.terms.get(id);
    set(block, { "aria-description": `${name}: ${about}` });
    this.show({ id, range, boxes: range ? boxesOf(range) : boxes });
  }
}

function rangeOf({ startContainer, startOffset, endContainer, endOffset }) {
  const range = document.createRange();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, Math.min(endOffset, endContainer.length));
  return range;
}

const boxesOf = (range) => [...rangeOf(range).getClientRects()];
