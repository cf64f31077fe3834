// layoutFaults(): what of the page is cut, lies on something else or is smaller than it need be, by
// the browser's own measures, each as one line. Texts are measured line by line as they are set, in
// pages, components and drawings.
(() => {
  const ASIDE = 1.5,
    DOWN = 0.3; // pixels beside a text, and the share of a line's height, that are no fault
  const LEAST = 16; // pixels of a cell
  const EDGE = 24; // pixels of a page's own margin
  const GAP = 32; // pixels between two columns: no room to grow into

  const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const name = (node) => {
    const key =
      node.closest?.('[class*="st-key-"]') ??
      node.getRootNode().host?.closest?.('[class*="st-key-"]');
    return `${/st-key-([\w-]+?)(?:--|\s|$)/.exec(key?.getAttribute("class") ?? "")?.[1] ?? ""} ${node.localName}.${node.getAttribute("class") ?? ""}`.slice(
      0,
      70,
    );
  };
  const seen = (node) =>
    node.checkVisibility({
      opacityProperty: true,
      visibilityProperty: true,
      contentVisibilityAuto: true,
    });
  // For screen readers alone, or formulas: KaTeX lays its parts over each other.
  const unread = (node) =>
    node.closest(
      '.katex, #js-plotly-tester, style, script, noscript, title, [data-testid="stSidebar"], [class*="st-key-bridge_"]',
    );
  const box = ({ left, right, top, bottom }) => ({ left, right, top, bottom });
  const wide = (each) => each.right - each.left;
  const high = (each) => each.bottom - each.top;
  const both = (a, b) => ({
    left: Math.max(a.left, b.left),
    right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top),
    bottom: Math.min(a.bottom, b.bottom),
  });

  // What holds a node and may cut it, from the inside out, ending with the window.
  const held = new Map();
  function holders(node) {
    if (held.has(node)) return held.get(node);
    const found = [];
    // what is placed absolutely is not cut by what is around it, up to its own frame
    let free = null;
    for (let each = node; each && each !== document.documentElement; each = up(each)) {
      const style = getComputedStyle(each);
      const frames =
        style.position !== "static" ||
        style.transform !== "none" ||
        style.contain.includes("paint") ||
        style.contain === "content";
      if (free === null || frames) {
        free = null;
        const { overflowX, overflowY, clipPath } = style;
        const x = kind(overflowX),
          y = kind(overflowY);
        if (clipPath.startsWith("inset(50%")) return held.set(node, null).get(node);
        if ((x || y) && style.display !== "inline" && style.display !== "contents") {
          const whole = each.getBoundingClientRect();
          if (whole.width <= 1.5 || whole.height <= 1.5) return held.set(node, null).get(node);
          found.push({ each, x, y, style, whole: box(whole) });
        }
        if (style.position === "fixed") break;
        if (style.position === "absolute") free = each;
      }
    }
    held.set(node, found);
    return found;
  }
  const kind = (overflow) =>
    overflow === "hidden" || overflow === "clip" ? "cuts" : overflow === "visible" ? "" : "scrolls";

  // Where a rectangle of a node is seen, and by how much it is cut where nobody can scroll.
  function cut(rect, node) {
    const found = holders(node);
    if (found === null) return null;
    let now = box(rect),
      laid = box(rect), // where the page's own scrolling could bring it
      over = 0,
      by = null,
      below = 0,
      scrolled = false;
    const window_ = {
      each: null,
      x: "cuts",
      y: "cuts",
      whole: { left: 0, top: 0, right: innerWidth, bottom: innerHeight },
    };
    for (const { each, x, y, whole, style } of [...found, window_]) {
      const aside = Math.max(whole.left - now.left, now.right - whole.right);
      const down = Math.max(whole.top - now.top, now.bottom - whole.bottom);
      if (x === "cuts" && aside > over) [over, by] = [aside, { each, style, way: "aside" }];
      if (y === "cuts" && down > below) [below, by] = [down, { each, style, way: "down" }];
      scrolled ||= !each || each.dataset.testid === "stMain";
      const bounds = {
        ...laid,
        ...(x && { left: whole.left, right: whole.right }),
        ...(y && { top: whole.top, bottom: whole.bottom }),
      };
      if (!scrolled) laid = both(laid, bounds);
      if (x === "scrolls") Object.assign(now, { left: whole.left, right: whole.right });
      if (y === "scrolls") Object.assign(now, { top: whole.top, bottom: whole.bottom });
    }
    return { laid, over, below, by };
  }

  const roots = () => {
    const all = [document];
    for (const root of all)
      for (const each of root.querySelectorAll("*")) if (each.shadowRoot) all.push(each.shadowRoot);
    return all;
  };

  // The height of a line without its leading: of what stands level the size of its type.
  function inked(node, rect) {
    const size = parseFloat(getComputedStyle(node).fontSize) * scaleOf(node);
    if (turned(node) || rect.height <= size) return box(rect);
    const middle = (rect.top + rect.bottom) / 2;
    return { ...box(rect), top: middle - size / 2, bottom: middle + size / 2 };
  }
  const scaleOf = (node) =>
    node.getScreenCTM ? Math.hypot(node.getScreenCTM().a, node.getScreenCTM().b) : 1;
  const turned = (node) =>
    node.getScreenCTM
      ? Math.abs(node.getScreenCTM().b) > 0.01
      : /matrix\(\S+ [^0]/.test(getComputedStyle(node).transform) &&
        !/matrix\(1, 0, 0, 1/.test(getComputedStyle(node).transform);

  function linesOf(root) {
    const found = [],
      walker = document.createTreeWalker(
        root === document ? document.body : root,
        NodeFilter.SHOW_TEXT,
      );
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (
        !node.data.trim() ||
        !parent ||
        unread(parent) ||
        !seen(parent) ||
        (root !== document && unread(root.host))
      )
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rects = parent.namespaceURI.endsWith("svg")
        ? [parent.getBoundingClientRect()]
        : range.getClientRects();
      for (const rect of rects)
        if (rect.width > 1 && rect.height > 1)
          found.push({
            node: parent,
            text: node.data.trim().slice(0, 60),
            rect: inked(parent, rect),
            line: true,
            turned: turned(parent),
          });
    }
    return found;
  }
  const CONTROLS = 'button, input, textarea, select, a[href], [role="slider"], [role="combobox"]';
  const PICTURES = "canvas, svg, img";
  const partsOf = (root, selector) =>
    [...root.querySelectorAll(selector)]
      .filter((each) => seen(each) && !unread(each) && !(root !== document && unread(root.host)))
      .map((node) => ({
        node,
        text: node.getAttribute("aria-label") ?? node.textContent.trim().slice(0, 40),
        rect: node.getBoundingClientRect(),
      }))
      .filter(({ rect }) => rect.width > 2 && rect.height > 2);

  // The whole of what is deliberately shortened is in its title, or written elsewhere in the same
  // control.
  function told({ each, style }, { node, text }) {
    for (let near = node, steps = 0; near && steps < 5; near = up(near), steps += 1) {
      const title = near.getAttribute?.("title");
      if (title && ((each && style.textOverflow === "ellipsis") || title.includes(text)))
        return true;
    }
    return false;
  }

  function cutOnes(parts, faults) {
    for (const part of parts) {
      const found = (part.cut = cut(part.rect, part.node));
      if (!found) continue;
      const { over, below, by } = found;
      const much = part.line ? DOWN * high(box(part.rect)) : 3;
      if (!(over > ASIDE || below > much) || told(by, part)) continue;
      const way =
        over > ASIDE ? `${over.toFixed(0)} px beside` : `${below.toFixed(0)} px above or below`;
      faults.add(
        `cut: "${part.text}" (${name(part.node)}) ${way} ${by.each ? name(by.each) : "the window"}`,
      );
    }
  }

  const inside = (outer, node) => {
    for (let each = node; each; each = up(each)) if (each === outer) return true;
    return false;
  };

  // Below the fold, too: where scrolling can bring them. The names of a chart's points stand where
  // the points do.
  function overlaps(lines, controls, faults) {
    const parts = [...lines, ...controls]
      .filter((each) => each.cut && !each.turned)
      .map((each) => ({ ...each, laid: each.cut.laid }))
      .filter(({ laid }) => wide(laid) > 2 && high(laid) > 2)
      .sort((a, b) => a.laid.top - b.laid.top);
    parts.forEach((one, at) => {
      for (
        let next = at + 1;
        next < parts.length && parts[next].laid.top < one.laid.bottom;
        next += 1
      ) {
        const other = parts[next];
        if (one.node === other.node || inside(one.node, other.node) || inside(other.node, one.node))
          continue;
        if ([one, other].every(({ node }) => node.closest(".textpoint"))) continue;
        const common = both(one.laid, other.laid);
        const least = Math.min(high(one.laid), high(other.laid));
        if (
          wide(common) < 3 ||
          high(common) < DOWN * least ||
          layer(one.node) !== layer(other.node)
        )
          continue;
        faults.add(
          `overlap: "${one.text}" (${name(one.node)}) and "${other.text}" (${name(other.node)}) ${wide(common).toFixed(0)} x ${high(common).toFixed(0)}`,
        );
      }
    });
  }

  // What stays while others are scrolled lies above them.
  function layer(node) {
    for (let each = node; each; each = up(each))
      if (["fixed", "sticky"].includes(getComputedStyle(each).position)) return each;
    return null;
  }

  // What a closed list shows of its choice; what a reader types may be longer than its field.
  function cutChoices(faults) {
    for (const each of document.querySelectorAll('[data-testid="stSelectbox"] input'))
      if (each.clientWidth && each.scrollWidth > each.clientWidth + 1)
        faults.add(
          `cut: "${each.value}" (${name(each)}) ${each.scrollWidth} of ${each.clientWidth}`,
        );
  }

  function wider(faults) {
    const main = document.querySelector('[data-testid="stMain"]');
    for (const each of [document.documentElement, main]) {
      if (each.scrollWidth > each.clientWidth + 1)
        faults.add(`wide: ${each.localName} ${each.scrollWidth} of ${each.clientWidth}`);
    }
  }

  // How far a box may grow until it meets what stands beside it (way 0) or below it (way 1): on a
  // page that is scrolled there is no end below, and nothing is asked.
  function freeAround(node, way, parts) {
    const box = node.getBoundingClientRect();
    const main = document.querySelector('[data-testid="stMain"]');
    const [near, far, first, last] = way
      ? ["bottom", "top", "left", "right"]
      : ["right", "left", "top", "bottom"];
    if (way && main.scrollHeight > main.clientHeight + 1) return 0;
    const others = parts
      .filter(({ node: other, cut }) => cut && !inside(node, other) && !inside(other, node))
      .map(({ cut }) => cut.laid)
      .filter(
        (laid) =>
          wide(laid) > 0 &&
          high(laid) > 0 &&
          Math.min(laid[last], box[last]) - Math.max(laid[first], box[first]) > 2,
      );
    const end = main.getBoundingClientRect()[near] - EDGE;
    const after =
      Math.min(
        end,
        ...others
          .map((laid) => laid[far])
          .filter((at) => at >= box[near] - 2)
          .map((at) => at - GAP),
      ) - box[near];
    if (way) return Math.max(0, after);
    const before =
      box.left -
      Math.max(
        main.getBoundingClientRect().left + EDGE,
        ...others
          .map(({ right }) => right)
          .filter((at) => at <= box.left + 2)
          .map((at) => at + GAP),
      );
    return Math.max(0, after) + Math.max(0, before);
  }

  // Matrices whose cells are small although larger ones have room, in the place they have or beside
  // it.
  function smallCells(all, parts, faults) {
    const tell = (node, lines, cell, rooms, square) => {
      const short = [0, 1].map(
        (way) => lines[way] > 1 && cell[way] < LEAST && rooms[way] >= lines[way] * LEAST,
      );
      const fits = [0, 1].every((way) => rooms[way] >= lines[way] * LEAST);
      for (const way of [0, 1]) {
        if (!short[way] || (square && !fits)) continue;
        faults.add(
          `small: cells ${cell[way].toFixed(1)} px ${way ? "high" : "wide"} (${name(node)}) in ${rooms[way].toFixed(0)} for ${lines[way]}`,
        );
      }
    };
    for (const chart of document.querySelectorAll(".js-plotly-plot")) {
      for (const trace of chart._fullData ?? []) {
        if (trace.type !== "heatmap" || trace.visible !== true) continue;
        const axes = [trace.xaxis, trace.yaxis].map(
          (id) => chart._fullLayout[`${id[0]}axis${id.slice(1)}`],
        );
        const { w, h } = chart._fullLayout._size;
        const shares = axes.map(
          ({ _inputDomain, domain }) => (_inputDomain ?? domain)[1] - (_inputDomain ?? domain)[0],
        );
        const rooms = [w, h].map(
          (side, way) => shares[way] * (side + freeAround(chart, way, parts)),
        );
        const cell = axes.map((axis) => Math.abs(axis.c2p(1) - axis.c2p(0)));
        tell(
          chart,
          [trace.z[0]?.length ?? 0, trace.z.length],
          cell,
          rooms,
          axes.some((axis) => axis.scaleanchor),
        );
      }
    }
    for (const canvas of all.flatMap((root) => [...root.querySelectorAll("canvas[data-cell]")])) {
      const { cell, rows, columns } = canvas.dataset;
      const place = canvas.closest(".scroll"),
        board = canvas.closest(".board").getBoundingClientRect();
      const [across, down] = [canvas.clientWidth, canvas.clientHeight];
      const rooms = [
        place.clientWidth - (board.width - across) + freeAround(place, 0, parts),
        place.clientHeight - (board.height - down) + freeAround(place, 1, parts),
      ];
      tell(canvas, [columns, rows].map(Number), [Number(cell), Number(cell)], rooms, true);
    }
  }

  // Charts whose place shows no mark: no line, bar, cell, point or word of its own.
  const MARKS =
    ":is(.mlayer, .pielayer, .layer-above, .layer-below, .annotation) :is(path, image, text, rect, circle), .gl-container canvas";
  function emptyCharts(all, faults) {
    for (const place of all.flatMap((root) => [...root.querySelectorAll(".chart-place")])) {
      if (!seen(place) || !place.clientWidth || !place.clientHeight) continue;
      const marks = [...place.querySelectorAll(MARKS)].filter((each) => {
        const { width, height } = each.getBoundingClientRect();
        return width > 0 || height > 0;
      });
      if (!marks.length)
        faults.add(`empty: (${name(place)}) ${place.clientWidth} x ${place.clientHeight}`);
    }
  }

  // Advice about keys where there are none.
  const KEYS = /arrow keys|← →|方向键/i;
  function keysOfNobody(lines, faults) {
    if (!matchMedia("(hover: none)").matches) return;
    for (const { node, text, cut } of lines)
      if (cut && KEYS.test(text)) faults.add(`keys: "${text}" (${name(node)})`);
  }

  window.layoutFaults = () => {
    held.clear();
    const faults = new Set();
    const all = roots();
    const lines = all.flatMap(linesOf);
    const controls = all.flatMap((root) => partsOf(root, CONTROLS));
    const pictures = all.flatMap((root) => partsOf(root, PICTURES));
    cutOnes(lines, faults);
    cutOnes([...controls, ...pictures], faults);
    overlaps(lines, controls, faults);
    wider(faults);
    cutChoices(faults);
    smallCells(all, [...lines, ...controls, ...pictures], faults);
    emptyCharts(all, faults);
    keysOfNobody(lines, faults);
    return [...faults];
  };
})();
