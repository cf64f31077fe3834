// Of the presenter's page: texts that are smaller than the last row can read, and texts that are cut.
() => {
  const least = 0.022 * innerHeight - 0.05; // pixels
  const [small, cut] = [[], []];
  const look = (doc, scale, box) => {
    const roots = [doc];
    for (const root of roots)
      for (const each of root.querySelectorAll("*"))
        if (each.shadowRoot) roots.push(each.shadowRoot);
    for (const root of roots)
      for (const each of root.querySelectorAll("*")) {
        if (["STYLE", "SCRIPT", "TITLE", "NOSCRIPT"].includes(each.tagName)) continue;
        const own = [...each.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
        if (
          !own.length ||
          !each.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        )
          continue;
        const range = doc.createRange();
        range.selectNodeContents(own[0]);
        const r = range.getBoundingClientRect();
        if (r.width < 2 || r.height < 2) continue;
        const style = doc.defaultView.getComputedStyle(each);
        if (
          r.right < 0 ||
          style.clipPath !== "none" ||
          each.closest(".katex-mathml, .unseen, [data-testid=stTooltipHoverTarget]")
        )
          continue;
        let k = 1;
        if (each.ownerSVGElement) {
          const m = each.getScreenCTM();
          if (m) k = Math.hypot(m.a, m.b);
        }
        const size = parseFloat(style.fontSize) * scale * k;
        const text = own
          .map((n) => n.data.trim())
          .join(" ")
          .slice(0, 24);
        if (size < least) small.push([text, +size.toFixed(1)]);
        const out = [
          box.left - r.left,
          r.right - box.right,
          box.top - r.top,
          r.bottom - box.bottom,
        ];
        if (Math.max(...out) > 2) cut.push([text, ...out.map(Math.round)]);
        for (let p = each; p && p !== doc.body; p = p.parentElement) {
          const s = doc.defaultView.getComputedStyle(p);
          if (s.overflowX === "visible" && s.overflowY === "visible") continue;
          if (p.tagName === "svg" || p.ownerSVGElement) continue;
          const b = p.getBoundingClientRect();
          if (b.width < 2) break;
          if (
            r.right > b.right + 2 ||
            r.left < b.left - 2 ||
            r.bottom > b.bottom + 3 ||
            r.top < b.top - 3
          ) {
            cut.push([
              text,
              "in",
              p.className && String(p.className.baseVal ?? p.className).slice(0, 30),
            ]);
            break;
          }
        }
      }
  };
  const frame = pool.shown.node;
  const rect = frame.getBoundingClientRect();
  const scale = rect.width / frame.offsetWidth;
  look(frame.contentDocument, scale, {
    left: 0,
    top: 0,
    right: frame.offsetWidth,
    bottom: frame.offsetHeight,
  });
  look(document, 1, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  return { small, cut };
};
