// The split into heads and its merge: one slab a head, in three arrangements. On entering, the
// slabs fly from one to the next; where less motion is asked for, they stand still at once.

const FLIGHT = 2600; // milliseconds

function prepareBlocks(scene, data) {
  const [, places, features] = data.size;
  const levels = numbersOf(data.levels, Uint8Array);
  scene.slabs = data.hues.map((hue, head) => {
    const palette = paletteOf([
      [0, scene.data.colours.panel],
      [1, hue],
    ]);
    const start = head * places * features;
    return paintCells(
      make("canvas"),
      levels.subarray(start, start + places * features),
      places,
      features,
      palette,
    );
  });
}

function layBlocks(scene, data, width, height) {
  const { type } = scene.data;
  const [heads, places, features] = data.size;
  const label = Math.min(
    Math.max(20, ...data.labels.map((each) => widthOf(scene, each, 700))) + 10,
    width * 0.1,
  );
  const side = widthOf(scene, data.heads[heads - 1] ?? "", 700) + 12;
  const gap = Math.max(4, Math.min(14, 60 / heads));
  const between = type * 7;
  const across = width - label * 2 - side - between * 2 - gap * (heads - 1) - 8;
  const cell = Math.min(across / (2 * heads * features + features), type);
  const tall = Math.min((height - type * 2 - gap * (heads - 1)) / (heads * places), type * 1.5);
  const whole = heads * features * cell;
  const [middle, top] = [type * 1.6 + (height - type * 1.8) / 2, type * 1.6];
  const flat = middle - (places * tall) / 2;
  const pile = middle - (heads * places * tall + gap * (heads - 1)) / 2;
  const starts = [];
  let x = 0;
  for (const form of data.forms) {
    x += form === "heads" ? side : label;
    if (form === "apart") x -= label * 0.6;
    starts.push(x);
    x +=
      (form === "joined" ? whole : form === "apart" ? whole + gap * (heads - 1) : features * cell) +
      between;
  }
  const spare = Math.max(0, width - (x - between) - 4) / (data.forms.length - 1);
  const at = (stage, head) => {
    const form = data.forms[stage];
    const left = starts[stage] + spare * stage;
    if (form === "heads") return [left, Math.max(top, pile) + head * (places * tall + gap)];
    return [left + head * (features * cell + (form === "apart" ? gap : 0)), flat];
  };
  return { cell, tall, at, slab: [features * cell, places * tall], gap, middle, between, whole };
}

function drawBlocks(scene) {
  const { pen, width, height } = fitted(scene.blocks.canvas);
  const data = scene.data.blocks;
  const g = layBlocks(scene, data, width, height);
  scene.blocks.geometry = g;
  const [heads] = data.size;
  const time = scene.flight;
  const last = data.forms.length - 1;
  pen.imageSmoothingEnabled = false;
  for (let stage = 0; stage <= last; stage += 1) {
    const arrived = time >= stage / last || stage === 0;
    for (let head = 0; head < heads; head += 1)
      slab(scene, pen, g, g.at(stage, head), head, arrived ? 1 : 0.13);
    if (arrived) edges(scene, pen, g, stage);
    if (stage > 0) arrow(scene, pen, g, stage, data.signs[stage - 1], width);
  }
  if (time < 1) {
    const stage = Math.min(last - 1, Math.floor(time * last));
    const part = time * last - stage;
    const eased = part < 0.5 ? 2 * part * part : 1 - (-2 * part + 2) ** 2 / 2;
    for (let head = 0; head < heads; head += 1) {
      const [from, to] = [stage, stage + 1].map((each) => g.at(each, head));
      slab(
        scene,
        pen,
        g,
        from.map((value, axis) => value + (to[axis] - value) * eased),
        head,
        1,
        true,
      );
    }
  }
}

function slab(scene, pen, g, [x, y], head, alpha, flying = false) {
  const chosen = head === scene.data.blocks.at[0];
  pen.globalAlpha = alpha;
  pen.drawImage(scene.slabs[head], x, y, ...g.slab);
  const colour = flying || chosen ? scene.data.blocks.hues[head] : scene.data.colours.line;
  frameBox(pen, colour, flying ? 2.5 : chosen ? 2 : 1, x, y, ...g.slab);
  pen.globalAlpha = 1;
}

// What stands at a stage: words at the rows, names of the heads, the chosen number framed.
function edges(scene, pen, g, stage) {
  const data = scene.data.blocks;
  const { type, colours } = scene.data;
  const [heads, places] = data.size;
  const [head, row, column] = data.at;
  const form = data.forms[stage];
  pen.textBaseline = "middle";
  for (let each = 0; each < heads && form !== "joined"; each += 1) {
    const [x, y] = g.at(stage, each);
    pen.font = fontOf(scene, each === head ? 700 : 400);
    Object.assign(pen, {
      fillStyle: each === head ? colours.text : colours.faint,
      textAlign: form === "heads" ? "right" : "center",
    });
    const words =
      form === "heads" || g.slab[0] > widthOf(scene, data.heads[each], 700)
        ? data.heads[each]
        : String(each + 1);
    if (form === "heads") pen.fillText(words, x - 6, y + g.slab[1] / 2);
    else pen.fillText(words, x + g.slab[0] / 2, y - type * 0.8);
  }
  if (form === "joined") {
    const [x, y] = g.at(stage, 0);
    for (const at of shownLabels(places, g.tall, type * 0.98, [row])) {
      const look = {
        font: fontOf(scene, at === row ? 700 : 400),
        fillStyle: at === row ? colours.text : colours.faint,
      };
      const text = cut(scene, data.labels[at] ?? "", x - 8);
      writeText(pen, text, x - 6, y + (at + 0.5) * g.tall, { ...look, textAlign: "right" });
    }
  }
  const [x, y] = g.at(stage, head);
  pen.globalAlpha = 0.5;
  frameBox(pen, colours.text, 1, x, y + row * g.tall, g.slab[0], g.tall);
  pen.globalAlpha = 1;
  frame(
    scene,
    pen,
    { data: { framed: true } },
    x + column * g.cell,
    y + row * g.tall,
    g.cell,
    g.tall,
  );
}

function arrow(scene, pen, g, stage, text) {
  const { type, colours } = scene.data;
  const form = scene.data.blocks.forms[stage];
  const [x] = g.at(stage, 0);
  const end = x - (form === "heads" ? widthOf(scene, scene.data.blocks.heads[0], 700) + 12 : 6);
  const [before] = g.at(
    stage - 1,
    scene.data.blocks.forms[stage - 1] === "heads" ? 0 : scene.data.blocks.size[0] - 1,
  );
  const start = before + g.slab[0] + 6;
  const label = form === "joined" ? end - Math.min(end - start - 20, type * 5) : end;
  strokeLines(pen, { strokeStyle: colours.faint, fillStyle: colours.faint, lineWidth: 1.5 }, [
    start,
    g.middle,
    label - 6,
    g.middle,
  ]);
  pen.fill(new Path2D(`M${label} ${g.middle}l-8 -5v10z`));
  const look = { font: fontOf(scene), textAlign: "center", textBaseline: "bottom" };
  writeText(pen, text, (start + label) / 2, g.middle - 6, look);
}

function blockAt(scene, x, y) {
  const data = scene.data.blocks;
  const g = scene.blocks.geometry;
  for (let stage = 0; stage < data.forms.length; stage += 1) {
    for (let head = 0; head < data.size[0]; head += 1) {
      const [left, top] = g.at(stage, head);
      if (x < left || y < top || x >= left + g.slab[0] || y >= top + g.slab[1]) continue;
      return { head, row: Math.floor((y - top) / g.tall), column: Math.floor((x - left) / g.cell) };
    }
  }
  return null;
}

function fly(scene) {
  cancelAnimationFrame(scene.moving);
  if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
    scene.flight = 1;
    return;
  }
  const begin = performance.now() + 250;
  const move = (now) => {
    if (!scene.blocks) return;
    scene.flight = Math.max(0, Math.min(1, (now - begin) / FLIGHT));
    drawBlocks(scene);
    if (scene.flight < 1) scene.moving = requestAnimationFrame(move);
  };
  scene.flight = 0;
  scene.moving = requestAnimationFrame(move);
}
