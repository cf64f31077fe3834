// The wires: from the chosen row of what goes in, through the operation, to that of what comes out.

function drawWires(scene) {
  const box = scene.stage.getBoundingClientRect();
  const lines = [];
  for (let at = 0; at + 1 < scene.columns.length; at += 1) {
    const operation = scene.operations[at];
    if (operation?.classList.contains("none")) continue;
    const middle = operation?.getBoundingClientRect();
    for (const panel of scene.columns[at]) {
      for (const from of anchors(panel, "right", box)) {
        if (middle) lines.push(wire(from, [middle.left - box.left, middle.top + 16 - box.top], panel.data.colour, from[2]));
        else for (const to of joined(scene.columns[at + 1], from, box)) lines.push(wire(from, to, panel.data.colour, from[2]));
      }
    }
    if (!middle) continue;
    for (const panel of scene.columns[at + 1]) {
      for (const to of anchors(panel, "left", box)) {
        lines.push(wire([middle.right - box.left, middle.top + 16 - box.top], to, panel.data.colour, to[2], true));
      }
    }
  }
  scene.svg.replaceChildren(...lines);
}

// Without an operation between: row to row, the words of a sentence to their rows of the table.
function joined(panels, from, box) {
  return panels.flatMap((panel) => anchors(panel, "left", box, true)).filter((to) => to[3] === from[3]);
}

// [x, y, whether it is the chosen row, the row]; of a table, and of what it joins, every row.
function anchors(panel, side, box) {
  const g = panel.geometry;
  if (!g) return [];
  const own = panel.canvas.getBoundingClientRect();
  const [x, y] = [own.left - box.left, own.top - box.top];
  const chosen = panel.data.at[0];
  if (panel.data.kind === "table") {
    return panel.data.ids.map((id, row) => [x + g[side], y + g.place(id), row === chosen, row]);
  }
  const rows = panel.every ? [...Array(panel.rows).keys()] : [chosen];
  const edge = side === "right" ? g.right + 3 : 0;
  return rows.map((row) => [x + edge, y + g.top + (row + 0.5) * g.tall, row === chosen, row]);
}

function wire([x1, y1], [x2, y2], colour, strong, arrow = false) {
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  const bend = Math.max(12, (x2 - x1) / 2);
  const head = arrow ? ` M ${x2 - 6} ${y2 - 4} L ${x2} ${y2} L ${x2 - 6} ${y2 + 4}` : "";
  path.setAttribute("d", `M ${x1} ${y1} C ${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}${head}`);
  path.setAttribute("fill", "none");
  path.setAttribute("stroke", colour);
  path.setAttribute("stroke-width", strong ? 2 : 1);
  path.setAttribute("opacity", strong ? 0.95 : 0.35);
  return path;
}
