// The pictures on the page, each to be saved as it is: PNG, SVG, the numbers of a chart as CSV; and
// the page itself, on paper too. All is made in the browser.

const PICTURES = '.chart-place, [data-component="here"]';
const SMALLEST = 90; // pixels a side: what is smaller is a control
const DRAWN = "svg, canvas, table, .word, .cell, .chip";
const HEADING = "h2, h3, h4, strong, .title, .place";

const rooted = (node) => node.shadowRoot ?? node;
const shownBox = (node) => node.getBoundingClientRect();

// What draws something of its own and is large enough; of one inside another the inner one.
function pictures() {
  const main = document.querySelector(".stMainBlockContainer");
  const all = [...main.querySelectorAll(PICTURES)].filter((node) => {
    const { width, height } = shownBox(node);
    return (
      width >= SMALLEST &&
      height >= SMALLEST &&
      (node.matches(".chart-place") || rooted(node).querySelector(DRAWN))
    );
  });
  return all.filter((node) => !all.some((other) => other !== node && node.contains(other)));
}

// What a picture is called: by its own label, the heading in it or before it, or by the general
// word.
function nameOf(node, texts) {
  const root = rooted(node);
  const own = [node, ...root.children, ...root.querySelectorAll("svg")]
    .map((each) => each.getAttribute("aria-label"))
    .find(Boolean);
  const before = [...document.querySelectorAll(`.stMainBlockContainer :is(${HEADING})`)]
    .filter((each) => each.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING)
    .at(-1);
  return own || (root.querySelector(HEADING) ?? before)?.textContent.trim() || texts.picture;
}

// no formula
const safe = (text) => (/^[=+\-@\t]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
const field = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
const row = (cells) => cells.map((cell) => field(safe(String(cell ?? "")))).join(",");

// The name that an axis has for a place, or the place.
function labelled(axis, at) {
  const place = axis?.tickvals
    ? [...axis.tickvals].findIndex((each) => Number(each) === Number(at))
    : -1;
  const text = place < 0 ? at : axis.ticktext?.[place];
  return typeof text === "string"
    ? new DOMParser().parseFromString(text, "text/html").body.textContent
    : text;
}

// The numbers of a chart, a row each: which of its parts, where, how much.
function numbers(chart) {
  const rows = ["part,x,y,value"];
  for (const drawn of chart._fullData) {
    const [across, down] = [drawn.xaxis, drawn.yaxis].map(
      (name) => chart._fullLayout[name?.replace(/^(.)/, "$1axis")],
    );
    const part = chart.data[drawn.index]?.name ?? drawn.index + 1;
    const add = (x, y, value) =>
      rows.push(row([part, labelled(across, x), labelled(down, y), value]));
    const { x: xs = [], y: ys = [], z } = drawn;
    // A cell without a number is drawn by another part.
    const cell = (x, y, value) => Number.isNaN(value ?? NaN) || add(x, y, value);
    if (z)
      z.forEach((line, at) =>
        line.forEach((value, over) => cell(xs[over] ?? over, ys[at] ?? at, value)),
      );
    else for (let at = 0; at < Math.max(xs.length, ys.length); at += 1) add(xs[at], ys[at]);
  }
  return new Blob([`\ufeff${rows.join("\n")}\n`], { type: "text/csv" });
}

function save(blob, name) {
  const place = URL.createObjectURL(blob);
  make("a", { href: place, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(place), 10_000);
}

const MAKE = {
  PNG: (node) => pixels(node, Math.max(2, window.devicePixelRatio)),
  SVG: async (node) => new Blob([(await vector(node)).text], { type: "image/svg+xml" }),
  CSV: (node) => numbers(node),
};

// On paper the page lies as it does on screen: a sheet as large as it is.
function print() {
  const main = document.querySelector(".stMainBlockContainer");
  const size = `${main.scrollWidth}px ${main.scrollHeight + 1}px`;
  const sheet = make("style", `@page { size: ${size}; margin: 0; }`);
  document.head.append(sheet);
  window.addEventListener("afterprint", () => sheet.remove(), { once: true });
  window.print();
}

function entry(view, node, name, kinds) {
  const { texts, name: page } = view.data;
  const file = `glassformer-${page}-${name}`.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80);
  const buttons = kinds.map((kind) =>
    make(
      "button.push",
      {
        "aria-label": `${kind}: ${name}`,
        async onclick() {
          try {
            save(await MAKE[kind](node), `${file}.${kind.toLowerCase()}`);
            view.write({ ".told": phrase(texts.saved, { file: `${file}.${kind.toLowerCase()}` }) });
          } catch (error) {
            console.error(error);
            view.write({ ".told": texts.failed });
          }
        },
      },
      kind,
    ),
  );
  const frame = (on) => set(node, { style: { outline: on ? "3px solid var(--changed)" : "" } });
  const hover = { onmouseenter: () => frame(true), onmouseleave: () => frame(false) };
  return make("li.lined", hover, make("span.name.cut", { title: name }, name), ...buttons);
}

export default component('<div class="stacked"><ol></ol><p class="told" role="status"></p></div>', {
  draw(view, { texts }) {
    const main = document.querySelector(".stMainBlockContainer");
    const page = entry(view, main, texts.page, ["PNG", "SVG"]);
    page.append(
      make("button.push", { "aria-label": `PDF: ${texts.page}`, onclick: print }, texts.paper),
    );
    const found = pictures().map((node) => {
      const kinds = node.matches(".chart-place") ? ["PNG", "SVG", "CSV"] : ["PNG", "SVG"];
      return entry(view, node, nameOf(node, texts), kinds);
    });
    view.find("ol").replaceChildren(page, ...found);
  },
  end() {
    for (const node of document.querySelectorAll(PICTURES)) set(node, { style: { outline: "" } });
  },
});
