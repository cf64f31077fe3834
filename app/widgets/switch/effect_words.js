// Two translations, a line a word. Every text is set with textContent.

const effects = new WeakMap();

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function writeSentence(node, words, data) {
  node.replaceChildren();
  if (!words.length) node.append(element("span", "none", data.texts.empty));
  words.forEach((word, at) => {
    if (at) node.append(data.gap);
    node.append(word.kind === "same" ? word.text : element("b", word.kind, word.text));
  });
}

function label(className, text, texts, apart) {
  const made = element("span", className);
  if (text === null) return made;
  if (apart) made.append(element("span", "tilde", "~"));
  made.append(text === "" ? element("span", "flag", texts.end) : element("span", "word", text));
  return made;
}

function bar(share, lost) {
  const made = element("span", lost ? "bar lost" : "bar");
  const filled = document.createElement("i");
  filled.style.width = `${100 * share}%`;
  made.append(filled);
  return made;
}

function makeLine(effect, line, data) {
  const fixed = line.row === null;
  const made = element(fixed ? "div" : "button", `line ${line.kind}`);
  made.classList.toggle("changed", line.kind !== "same");
  made.classList.toggle("now", line.row !== null && line.row === data.focus);
  made.title = line.apart ? `${line.title}\n~ ${data.texts.apart}` : line.title;
  if (!fixed) {
    made.type = "button";
    made.dataset.row = line.row;
    made.setAttribute("aria-pressed", String(line.row === data.focus));
    made.onclick = () => {
      effect.picks += 1;
      effect.send("pick", { row: line.row, nonce: `${performance.now()}-${effect.picks}` });
    };
  }
  const bars = element("span", "bars");
  if (line.shares) line.shares.forEach((share, at) => bars.append(bar(share, line.percents[at] === "NaN")));
  const mark = element("span", "mark", line.sign);
  mark.setAttribute("aria-label", line.mark);
  made.append(
    mark,
    label("before", line.before, data.texts, false),
    bars,
    element("span", "percents", line.percents ? line.percents.join(" → ") : ""),
    element("span", "kl", line.kl),
    label("after", line.after, data.texts, line.apart),
  );
  return made;
}

function titles(texts) {
  const made = [
    ["", "", ""],
    [texts.before, texts.help_before, ""],
    [texts.chance, texts.help_chance, "wide"],
    [texts.divergence, texts.help_divergence, "number"],
    [texts.after, texts.help_after, ""],
  ];
  return made.map(([text, help, kind]) => {
    const title = element("span", `title ${kind}`, text);
    title.title = help;
    return title;
  });
}

function writeChoices(node, caption, choices, texts) {
  node.replaceChildren(element("span", "caption", caption));
  if (!choices.length) node.append(element("span", "none", texts.lost));
  for (const choice of choices) {
    const end = choice.text === "";
    const word = element("span", choice.sign || end ? "word sign" : "word", end ? texts.end : choice.text);
    word.title = word.textContent;
    node.append(word, bar(choice.share, false), element("span", "percent", choice.percent));
  }
}

function draw(effect, data) {
  const { node } = effect;
  const find = (name) => node.querySelector(name);
  const { texts, total } = data;
  for (const [role, colour] of Object.entries(data.look)) node.style.setProperty(`--${role}`, colour);
  node.querySelectorAll(".side").forEach((side, at) => { side.textContent = [texts.before, texts.after][at]; });
  node.querySelectorAll(".sentence").forEach((each, at) => writeSentence(each, data.sentences[at], data));
  const { scrollTop } = find(".scroll");
  find(".table").replaceChildren(...titles(texts), ...data.rows.map((line) => makeLine(effect, line, data)));
  find(".scroll").scrollTop = scrollTop;
  bringIntoView(find(".line.now"), find(".scroll"));
  find(".note").textContent = data.note;
  find(".note").title = data.note;
  find(".total").title = total.help;
  find(".total .name").textContent = total.name;
  find(".total .was").textContent = total.numbers[0];
  find(".total .is").textContent = total.numbers[1];
  find(".heading").textContent = data.next.title;
  find(".heading").title = data.next.title;
  writeChoices(find(".choices.was"), texts.before, data.next.sides[0], texts);
  writeChoices(find(".choices.is"), texts.after, data.next.sides[1], texts);
}

// Unlike scrollIntoView it moves the list alone, not the dialog that it may stand in.
function bringIntoView(line, list) {
  if (!line) return;
  const [inner, outer] = [line.getBoundingClientRect(), list.getBoundingClientRect()];
  list.scrollTop += Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!data) return;
  const effect = effects.get(parentElement) ?? { picks: 0, drawn: "", node: parentElement.querySelector(".effect") };
  effects.set(parentElement, effect);
  effect.send = setTriggerValue;
  const drawn = JSON.stringify(data);
  if (drawn === effect.drawn) return;
  effect.drawn = drawn;
  draw(effect, data);
}
