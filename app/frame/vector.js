// What is on screen, drawn once more as one SVG: boxes, borders, words, and the drawings as they
// are. Its words stay words and its lines lines, so that it opens in a browser, in slides and in a
// drawing program; a PNG is made of it, too.

const PAINTS = ["fill", "stroke", "stop-color", "flood-color"];
const KEPT = [
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "fill-opacity",
  "stroke-opacity",
  "fill-rule",
  "clip-path",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
  "white-space",
  "visibility",
  "display",
  "transform",
  "image-rendering",
  "marker-end",
  "marker-start",
  "mask",
  "stop-opacity",
];
const USUAL = {
  stroke: "none",
  opacity: "1",
  "fill-opacity": "1",
  "stroke-opacity": "1",
  transform: "none",
  mask: "none",
  "clip-path": "none",
  visibility: "visible",
  "stroke-dasharray": "none",
  "marker-end": "none",
  "marker-start": "none",
};
const SKIPPED = ".modebar, style, script, link, [data-no-picture]";
// a line may break at each Han character
const ALONE = /[\u2e80-\u9fff\uf900-\uffef]|[^\s\u2e80-\u9fff\uf900-\uffef]+/g;
const SIDES = ["Top", "Right", "Bottom", "Left"];
const CORNERS = ["TopLeft", "TopRight", "BottomRight", "BottomLeft"];
const TOWARDS = { top: 0, right: 90, bottom: 180, left: 270 };

const pen = make("canvas", { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
const inks = new Map();

// Any colour of CSS as one that every program reads; null for one that does not show.
function ink(colour) {
  if (!inks.has(colour)) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = "#0000";
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    const hex = `#${[r, g, b].map((each) => each.toString(16).padStart(2, "0")).join("")}`;
    inks.set(colour, a ? { colour: hex, share: a / 255 } : null);
  }
  return inks.get(colour);
}

const painted = (name, colour) => {
  const found = ink(colour);
  if (!found) return { [name]: "none" };
  return found.share < 1
    ? { [name]: found.colour, [`${name}-opacity`]: found.share.toFixed(3) }
    : { [name]: found.colour };
};

const round = (number) => Math.round(number * 100) / 100;
const meet = (one, other) => {
  const [left, top] = [Math.max(one.left, other.left), Math.max(one.top, other.top)];
  const [right, bottom] = [Math.min(one.right, other.right), Math.min(one.bottom, other.bottom)];
  return { left, top, right, bottom, width: right - left, height: bottom - top };
};

// One picture: where its corner lies in the window, and what it was drawn with.
class Sheet {
  families = new Set();
  count = 0;

  constructor(frame) {
    const size = { width: Math.ceil(frame.width), height: Math.ceil(frame.height) };
    this.frame = frame;
    this.defs = shape("defs");
    this.svg = shape(
      "svg",
      { xmlns: SVG, ...size, viewBox: `0 0 ${size.width} ${size.height}` },
      this.defs,
    );
  }

  at({ left, top, width, height }) {
    return {
      x: round(left - this.frame.left),
      y: round(top - this.frame.top),
      width: round(width),
      height: round(height),
    };
  }

  named(node) {
    this.count += 1;
    node.id = `picture-${this.count}`;
    this.defs.append(node);
    return `url(#${node.id})`;
  }

  clipped(box) {
    return shape("g", { "clip-path": this.named(shape("clipPath", shape("rect", this.at(box)))) });
  }
}

function walk(sheet, node, into, seen) {
  if (node.nodeType === Node.TEXT_NODE) return words(sheet, node, into, seen);
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(SKIPPED)) return undefined;
  const style = getComputedStyle(node);
  if (style.display === "none" || style.opacity === "0") return undefined;
  const box = node.getBoundingClientRect();
  const here =
    style.opacity === "1" ? into : into.appendChild(shape("g", { opacity: style.opacity }));
  if (style.visibility === "visible" && style.display !== "contents") {
    if (node.localName === "svg") return here.append(copied(sheet, node, box));
    if (meet(box, seen).width > 0 && meet(box, seen).height > 0)
      ground(sheet, node, style, box, here);
    if (["canvas", "img"].includes(node.localName)) return image(sheet, node, style, box, here);
    if (["input", "textarea", "select"].includes(node.localName))
      return typed(sheet, node, style, box, here);
  }
  const hides = style.overflowX !== "visible" && style.display !== "inline";
  const left = hides ? meet(seen, box) : seen;
  if (hides && (left.width < 2 || left.height < 2)) return undefined;
  const cut =
    hides && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1);
  inside(sheet, node, cut ? here.appendChild(sheet.clipped(left)) : here, left);
  return undefined;
}

// What lies above is drawn later.
function inside(sheet, node, into, seen) {
  mark(sheet, node, "::before", into);
  const children =
    node.localName === "slot" ? node.assignedNodes() : (node.shadowRoot ?? node).childNodes;
  const height = (child) =>
    child.nodeType === 1 && getComputedStyle(child).position !== "static"
      ? Number(getComputedStyle(child).zIndex) || 0
      : 0;
  const ordered = [...children]
    .map((child) => [height(child), child])
    .sort(([one], [other]) => one - other);
  for (const [, child] of ordered) walk(sheet, child, into, seen);
  mark(sheet, node, "::after", into);
}

function ground(sheet, node, style, box, into) {
  const radii = CORNERS.map((corner) =>
    Math.min(parseFloat(style[`border${corner}Radius`]) || 0, box.width / 2, box.height / 2),
  );
  const rounded = (by, given) => shape("path", { d: around(sheet, box, by, radii), ...given });
  const cast = shadows(style.boxShadow);
  for (const { spread, inset, colour } of cast.toReversed())
    if (!inset) into.append(rounded(spread, painted("fill", colour)));
  if (ink(style.backgroundColor)) into.append(rounded(0, painted("fill", style.backgroundColor)));
  for (const layer of layersOf(style.backgroundImage).reverse()) {
    const fill = shade(sheet, layer);
    if (fill) into.append(rounded(0, { fill }));
  }
  for (const { spread, inset, colour } of cast)
    if (inset) into.append(rounded(-spread / 2, line(colour, spread)));
  const width = Object.fromEntries(
    SIDES.map((side) => [
      side,
      style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
    ]),
  );
  const sides = SIDES.filter((side) => width[side] && ink(style[`border${side}Color`]));
  const looks = sides.map((side) =>
    line(style[`border${side}Color`], width[side], style[`border${side}Style`]),
  );
  const alike = sides.length === 4 && new Set(looks.map((each) => JSON.stringify(each))).size === 1;
  if (alike) into.append(rounded(-width.Top / 2, looks[0]));
  else sides.forEach((side, at) => into.append(edge(sheet, box, side, looks[at])));
  const outer = style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth);
  if (outer)
    into.append(
      rounded(parseFloat(style.outlineOffset) + outer / 2, line(style.outlineColor, outer)),
    );
}

const line = (colour, width, kind) => ({
  fill: "none",
  ...painted("stroke", colour),
  "stroke-width": width,
  "stroke-dasharray": { dashed: "3 3", dotted: "1 2" }[kind] ?? null,
});

// Shadows that are frames: without blur and not moved.
const shadows = (text) =>
  layersOf(text).flatMap((each) => {
    const [, colour, spread, inset] = /^(.*\)) 0px 0px 0px ([\d.]+)px( inset)?$/.exec(each) ?? [];
    return colour && ink(colour) ? [{ colour, spread: Number(spread), inset }] : [];
  });

// A box with round corners, each its own, as a path; by: how much larger.
function around(sheet, { left, top, width, height }, by, radii) {
  const [x, y] = [left - by - sheet.frame.left, top - by - sheet.frame.top];
  const [w, h] = [Math.max(0, width + 2 * by), Math.max(0, height + 2 * by)];
  const [a, b, c, d] = radii.map((radius) => (radius ? Math.max(0, radius + by) : 0));
  const arc = (radius, dx, dy) =>
    `a${round(radius)} ${round(radius)} 0 0 1 ${round(dx)} ${round(dy)}`;
  return (
    `M${round(x + a)} ${round(y)}h${round(w - a - b)}${arc(b, b, b)}v${round(h - b - c)}${arc(c, -c, c)}` +
    `h${round(c + d - w)}${arc(d, -d, -d)}v${round(a + d - h)}${arc(a, a, -a)}z`
  );
}

function edge(sheet, { left, top, right, bottom }, side, given) {
  const by = given["stroke-width"] / 2;
  const ends = {
    Top: [left, top + by, right, top + by],
    Bottom: [left, bottom - by, right, bottom - by],
    Left: [left + by, top, left + by, bottom],
    Right: [right - by, top, right - by, bottom],
  }[side];
  const [x1, y1, x2, y2] = ends.map((end, at) =>
    round(end - (at % 2 ? sheet.frame.top : sheet.frame.left)),
  );
  return shape("line", { x1, y1, x2, y2, ...given });
}

// The layers of a background, or the parts of one, at the commas outside of brackets.
const layersOf = (text) => text.split(/,\s*(?![^(]*(?:\([^()]*\)[^()]*)*\))/);

// A gradient of CSS as one of SVG; one that is repeated as hatching.
function shade(sheet, layer) {
  const [, repeats, inner] = /^(repeating-)?linear-gradient\((.*)\)$/.exec(layer) ?? [];
  if (!inner) return null;
  const parts = layersOf(inner);
  const turn = /^(-?[\d.]+)deg$|^to (\w+)$/.exec(parts[0]);
  const angle = turn ? (TOWARDS[turn[2]] ?? Number(turn[1])) : 180;
  const stops = parts.slice(turn ? 1 : 0).map((part) => {
    const [, colour, places] = /^(.*?[)\w])((?:\s+-?[\d.]+(?:px|%))*)$/.exec(part) ?? [
      null,
      part,
      "",
    ];
    return { colour, places: places.trim().split(/\s+/).filter(Boolean) };
  });
  if (
    Number.isNaN(angle) ||
    stops.some(({ places }) => places.some((place) => place.includes("calc")))
  )
    return null;
  if (repeats) return hatched(sheet, angle, stops);
  const [x, y] = [Math.sin((angle * Math.PI) / 180) / 2, -Math.cos((angle * Math.PI) / 180) / 2];
  const made = stops.map(({ colour, places }, at) => {
    const { "stop-color": stop, "stop-color-opacity": share } = painted("stop-color", colour);
    const offset = places.at(-1) ?? `${(100 * at) / Math.max(1, stops.length - 1)}%`;
    return shape("stop", {
      offset,
      "stop-color": stop === "none" ? "#fff" : stop,
      "stop-opacity": stop === "none" ? 0 : (share ?? 1),
    });
  });
  return sheet.named(
    shape("linearGradient", { x1: 0.5 - x, y1: 0.5 - y, x2: 0.5 + x, y2: 0.5 + y }, ...made),
  );
}

function hatched(sheet, angle, [first, ...rest]) {
  const length = parseFloat(rest.at(-1)?.places.at(-1)),
    thick = parseFloat(first.places.at(-1));
  if (!(length > 0) || !(thick > 0)) return null;
  const size = {
    width: length,
    height: length,
    patternUnits: "userSpaceOnUse",
    patternTransform: `rotate(${angle - 90})`,
  };
  return sheet.named(
    shape(
      "pattern",
      size,
      shape("rect", { width: thick, height: length, ...painted("fill", first.colour) }),
    ),
  );
}

// The pieces of a text as they lie in lines: each with its box, and where it ends in the text.
function pieces(node) {
  const range = document.createRange(),
    found = [];
  const take = (from, text) => {
    const end = from + text.length;
    range.setStart(node, from);
    range.setEnd(node, end);
    if (text.length > 1 && range.getClientRects().length > 1) {
      [...text].reduce((at, letter) => (take(at, letter), at + letter.length), from);
      return;
    }
    const { left, top, right, bottom, width, height } = range.getBoundingClientRect(),
      last = found.at(-1);
    if (!width) return;
    if (last && Math.abs(last.box.top - top) < 2 && left >= last.box.right - 1) {
      last.text += node.data.slice(last.end, from).replace(/\s+/g, " ") + text;
      Object.assign(last.box, { right, width: right - last.box.left });
    } else found.push({ text, box: { left, top, right, bottom, width, height } });
    found.at(-1).end = end;
  };
  for (const match of node.data.matchAll(ALONE)) take(match.index, match[0]);
  return found;
}

function words(sheet, node, into, seen) {
  const holder = node.parentElement ?? node.getRootNode().host;
  if (!node.data.trim() || !holder) return;
  const style = getComputedStyle(holder);
  if (style.visibility !== "visible" || !ink(style.color)) return;
  const turn = turned(style);
  for (const { text, box } of pieces(node)) {
    const shown = meet(box, seen);
    if (shown.width <= 0 || shown.height <= 0) continue;
    const cut =
      style.textOverflow === "ellipsis" &&
      style.overflowX !== "visible" &&
      box.right > seen.right + 1;
    into.append(
      cut ? shortened(sheet, style, text, box, seen.right) : word(sheet, style, text, box, turn),
    );
  }
}

function shortened(sheet, style, text, box, right) {
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const letters = [...text];
  const long = () => pen.measureText(`${letters.join("")}…`).width;
  while (letters.length && box.left + long() > right) letters.pop();
  return word(sheet, style, `${letters.join("")}…`, { ...box, width: long() });
}

// How far a word is turned, in degrees.
function turned({ transform }) {
  const [a, b] = /^matrix\(([^,]+), ([^,]+)/.exec(transform)?.slice(1).map(Number) ?? [1, 0];
  return Math.round((Math.atan2(b, a) * 180) / Math.PI);
}

function word(sheet, style, text, box, turn = 0) {
  const { fontFamily, fontSize, fontWeight, fontStyle, textTransform } = style;
  sheet.families.add(fontFamily);
  pen.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = pen.measureText(text);
  const said = textTransform === "uppercase" ? text.toUpperCase() : text;
  const place = sheet.at(box);
  const given = {
    "font-family": fontFamily,
    "font-size": fontSize,
    "font-weight": fontWeight,
    "font-style": fontStyle === "normal" ? null : fontStyle,
    "xml:space": "preserve",
    ...painted("fill", style.color),
  };
  if (turn) {
    const at = [
      place.x + (turn < 0 ? up * 0.7 : down * 0.7),
      place.y + (turn < 0 ? place.height : 0),
    ].map(round);
    return shape("text", { ...given, transform: `translate(${at}) rotate(${turn})` }, said);
  }
  const y = round(place.y + (place.height - up - down) / 2 + up);
  const length =
    text.length > 1 ? { textLength: place.width, lengthAdjust: "spacingAndGlyphs" } : {};
  return shape("text", { x: place.x, y, ...length, ...given }, said);
}

// A mark that only a style sheet draws: a swatch at the beginning of a text, a sign in a corner.
function mark(sheet, node, which, into) {
  const style = getComputedStyle(node, which);
  if (["none", "normal"].includes(style.content) || style.display === "none") return;
  const [outer, own] = [node.getBoundingClientRect(), getComputedStyle(node)];
  const text = /^"(.*)"$/.exec(style.content)?.[1] ?? "";
  const width = parseFloat(style.width) || 0,
    height = parseFloat(style.height) || parseFloat(style.fontSize);
  const placed = style.position === "absolute";
  const before = outer.left + parseFloat(own.paddingLeft) + parseFloat(own.borderLeftWidth);
  const left = placed
    ? outer.left + parseFloat(style.left)
    : which === "::before"
      ? before
      : outer.right - width;
  const top = placed ? outer.top + parseFloat(style.top) : outer.top + (outer.height - height) / 2;
  if (!Number.isFinite(left + top)) return;
  const box = { left, top, right: left + width, bottom: top + height, width, height };
  if (width && !style.clipPath.startsWith("polygon")) ground(sheet, node, style, box, into);
  else if (width) corner(sheet, style, box, into);
  if (text)
    into.append(word(sheet, style, text, { ...box, width: width || pen.measureText(text).width }));
}

function corner(sheet, style, { left, top, width, height }, into) {
  const found = [...style.clipPath.matchAll(/([\d.]+)(%|px)? ([\d.]+)(%|px)?/g)];
  const points = found.map(([, x, , y]) =>
    [left - sheet.frame.left + (x / 100) * width, top - sheet.frame.top + (y / 100) * height].map(
      round,
    ),
  );
  into.append(
    shape("polygon", { points: points.join(" "), ...painted("fill", style.backgroundColor) }),
  );
}

function image(sheet, node, style, box, into) {
  try {
    const canvas =
      node.localName === "canvas"
        ? node
        : make("canvas", { width: node.naturalWidth, height: node.naturalHeight });
    if (canvas !== node) canvas.getContext("2d").drawImage(node, 0, 0);
    const given = {
      href: canvas.toDataURL(),
      preserveAspectRatio: "none",
      style: { imageRendering: style.imageRendering },
    };
    into.append(shape("image", { ...sheet.at(box), ...given }));
  } catch {
    // A picture of another server: the browser does not give it away.
  }
}

function typed(sheet, node, style, box, into) {
  if (node.type === "range") return slider(sheet, node, style, box, into);
  const text =
    node.localName === "select"
      ? node.selectedOptions[0]?.textContent
      : node.value || node.placeholder;
  if (!text || ["checkbox", "radio", "file"].includes(node.type)) return undefined;
  const [left, right] = [
    box.left + parseFloat(style.paddingLeft),
    box.right - parseFloat(style.paddingRight),
  ];
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { width } = pen.measureText(text);
  const free = right - left - width;
  const start =
    left + Math.max(0, { center: free / 2, right: free, end: free }[style.textAlign] ?? 0);
  return into
    .appendChild(sheet.clipped(box))
    .append(word(sheet, style, text, { left: start, top: box.top, width, height: box.height }));
}

function slider(sheet, { value, min, max }, style, box, into) {
  const { x, y, width, height } = sheet.at(box);
  const share = (value - (min || 0)) / ((max || 100) - (min || 0));
  const colour = ink(style.accentColor) ? style.accentColor : style.color;
  const cy = y + height / 2,
    cx = round(x + 8 + share * (width - 16));
  into.append(
    shape("line", {
      x1: x,
      x2: x + width,
      y1: cy,
      y2: cy,
      "stroke-width": 4,
      "stroke-linecap": "round",
      ...painted("stroke", style.color),
      "stroke-opacity": 0.25,
    }),
    shape("line", {
      x1: x,
      x2: cx,
      y1: cy,
      y2: cy,
      "stroke-width": 4,
      "stroke-linecap": "round",
      ...painted("stroke", colour),
    }),
    shape("circle", { cx, cy, r: 8, ...painted("fill", colour) }),
  );
}

// A drawing keeps its shapes; how its style sheets have it look is written on each.
function copied(sheet, node, box) {
  const copy = node.cloneNode(true);
  const pairs = [[node, copy]];
  const [from, to] = [node.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((each, at) => pairs.push([each, to[at]]));
  for (const [real, drawn] of pairs) {
    const style = getComputedStyle(real);
    if (style.display === "none") drawn.setAttribute("display", "none");
    else look(sheet, style, drawn, real === node);
  }
  const own = sheet.at(box);
  set(copy, {
    ...own,
    xmlns: SVG,
    overflow: getComputedStyle(node).overflow === "visible" ? "visible" : "hidden",
  });
  return copy;
}

function look(sheet, style, drawn, outermost) {
  for (const name of ["class", "style", "tabindex", "role"]) drawn.removeAttribute(name);
  for (const name of [...drawn.getAttributeNames()].filter((each) => /^(aria|data|on)/.test(each)))
    drawn.removeAttribute(name);
  for (const name of PAINTS) {
    const colour = style.getPropertyValue(name);
    if (!colour.startsWith("url"))
      set(drawn, colour === "none" ? { [name]: "none" } : painted(name, colour));
    else drawn.setAttribute(name, colour.replaceAll('"', ""));
  }
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    const usual =
      value === USUAL[name] ||
      (name === "transform" && (outermost || drawn.hasAttribute("transform")));
    if (!usual && !(drawn.hasAttribute(name) && ["fill-opacity", "stroke-opacity"].includes(name)))
      drawn.setAttribute(name, value.replaceAll('"', "'"));
  }
  if (drawn.localName === "text") sheet.families.add(style.fontFamily);
}

// The fonts that the page itself brings travel in the picture.
async function fonts(sheet) {
  const used = [...sheet.families].join(",");
  const rules = [...document.styleSheets].flatMap((each) => {
    try {
      return [...each.cssRules].filter((rule) => rule instanceof CSSFontFaceRule);
    } catch {
      return [];
    }
  });
  const found = rules.filter((rule) =>
    used.includes(rule.style.getPropertyValue("font-family").replaceAll(/["']/g, "")),
  );
  const whole = await Promise.all(
    found.map(async (rule) => {
      const place = /url\("?([^")]+)"?\)/.exec(rule.style.getPropertyValue("src"))?.[1];
      const data =
        place && (await read(new URL(place, rule.parentStyleSheet.href ?? location.href)));
      return data ? rule.cssText.replace(/src:[^;]+;/, `src: url(${data});`) : "";
    }),
  );
  if (whole.some(Boolean)) sheet.svg.prepend(shape("style", whole.join("\n")));
}

async function read(place) {
  const blob = await (await fetch(place)).blob();
  return new Promise((done) => {
    const reader = new FileReader();
    set(reader, { onload: () => done(reader.result) }).readAsDataURL(blob);
  });
}

// The picture of a node as SVG, on the ground of the page.
async function vector(node) {
  const box = node.getBoundingClientRect();
  const sheet = new Sheet(box);
  const page = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  sheet.svg.append(shape("rect", { width: "100%", height: "100%", ...painted("fill", page) }));
  walk(sheet, node, sheet.svg, box);
  await fonts(sheet);
  return {
    text: new XMLSerializer().serializeToString(sheet.svg),
    width: Math.ceil(box.width),
    height: Math.ceil(box.height),
  };
}

// The same as PNG or another kind, with so many of its pixels for one of the page.
async function pixels(node, scale, kind = "image/png", quality = undefined) {
  const { text, width, height } = await vector(node);
  const place = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const drawn = make("img", { src: place });
  await drawn.decode();
  const canvas = make("canvas", { width: width * scale, height: height * scale });
  canvas.getContext("2d").drawImage(drawn, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(place);
  return new Promise((done) => canvas.toBlob(done, kind, quality));
}
