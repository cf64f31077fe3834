// Words with a bar each, and the embedding table with the rows of this sentence.

function prepareBars(scene, panel) {
  panel.rows = panel.data.labels.length;
  panel.columns = 1;
}

function drawBars(scene, panel) {
  const { pen, width, height } = fitted(panel.canvas);
  const { data } = panel;
  const { type, colours } = scene.data;
  const left = Math.min(Math.max(...data.labels.map((label) => widthOf(scene, label, 700))) + 12, width * (data.numbers.some(Boolean) ? 0.45 : 0.95));
  const right = Math.max(...data.texts.map((text) => widthOf(scene, text, 700))) + 10;
  const tall = Math.min((height - scene.above - 3) / panel.rows, type * 3);
  const room = width - left - right - 4;
  const top = scene.above;
  const end = data.end || 1; // nothing where no number is one
  const zero = data.numbers.some((each) => each < 0) ? room / 2 : 0;
  panel.geometry = { left, top, room, tall, right: width - 3, width, height };
  pen.textBaseline = "middle";
  for (const [at, number] of data.numbers.entries()) {
    const [y, chosen] = [top + at * tall, at === data.at[0]];
    const length = ((room - zero) * Math.min(Math.abs(number), end)) / end;
    pen.font = fontOf(scene, chosen ? 700 : 400);
    pen.fillStyle = chosen ? colours.text : colours.faint;
    pen.textAlign = "right";
    pen.fillText(cut(scene, data.labels[at], left - 10), left - 8, y + tall / 2);
    pen.globalAlpha = chosen ? 1 : 0.45;
    pen.fillStyle = data.colour;
    pen.fillRect(left + zero - (number < 0 ? length : 0), y + tall * 0.16, data.texts[at] ? Math.max(length, 1) : 0, tall * 0.68);
    pen.globalAlpha = 1;
    pen.fillStyle = chosen ? colours.text : colours.faint;
    pen.textAlign = "left";
    pen.fillText(data.texts[at], left + zero + (number < 0 ? 0 : length) + 5, y + tall / 2);
    if (!chosen) continue;
    pen.strokeStyle = colours.text;
    pen.lineWidth = panel.data.framed ? 2 : 1;
    pen.globalAlpha = panel.data.framed ? 1 : 0.5;
    pen.strokeRect(left - 4, y + 1, width - left, tall - 2);
    pen.globalAlpha = 1;
  }
}

function prepareTable(scene, panel) {
  panel.rows = 0;
}

function drawTable(scene, panel) {
  const { pen, width, height } = fitted(panel.canvas);
  const { data } = panel;
  const { type, colours } = scene.data;
  const [left, top] = [width * 0.16, scene.above];
  const [w, h] = [width * 0.68, Math.min(height - top - 4, scene.tallest)];
  const place = (id) => top + (h * (id + 0.5)) / data.rowCount;
  panel.geometry = { left, right: left + w, top, place };
  pen.fillStyle = colours.panel;
  pen.fillRect(left, top, w, h);
  pen.strokeStyle = colours.line;
  pen.strokeRect(left, top, w, h);
  pen.font = fontOf(scene);
  pen.fillStyle = colours.faint;
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  pen.fillText("0", left, top - 4);
  pen.textBaseline = "top";
  if (top + h + type * 1.2 < height) pen.fillText(String(data.rowCount - 1), left, top + h + 3);
  pen.strokeStyle = data.colour;
  for (const [at, id] of data.ids.entries()) {
    const chosen = at === data.at[0];
    pen.globalAlpha = chosen ? 1 : 0.5;
    pen.lineWidth = chosen ? 4 : 2;
    pen.beginPath();
    pen.moveTo(left, place(id));
    pen.lineTo(left + w, place(id));
    pen.stroke();
  }
  pen.globalAlpha = 1;
  const y = place(data.ids[data.at[0]]);
  const below = y < top + type * 2;
  pen.font = fontOf(scene, 700);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const [wide, at] = [widthOf(scene, data.rowText, 700) + 8, y + (below ? type : -type)];
  pen.fillStyle = colours.panel;
  pen.fillRect(left + w / 2 - wide / 2, at - type * 0.65, wide, type * 1.3);
  pen.fillStyle = colours.text;
  pen.fillText(data.rowText, left + w / 2, at);
}
