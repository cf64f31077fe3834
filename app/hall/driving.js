/* What the presenter's page and the notes share: the notes line by line, the plan, the short path,
 * the votes as a file. */
"use strict";
const LABEL = /^(\p{L}{1,9})\s*[:：]\s*/u; // "Say: …"
const OPENED = /^(\p{L}{1,9})(?:[,，]\s*|(?=[(（]))/u; // "Ask, and wait: …"

/* Notes, each line with what it asks of the speaker as its label. */
function noteLines(text) {
  const kinds = say("note_kinds").split(" ");
  return text
    .split("\n")
    .filter((each) => each.trim())
    .map((each) => {
      const opened = OPENED.exec(each);
      const found = LABEL.exec(each) ?? (kinds.includes(opened?.[1]) ? opened : null);
      return make(
        "p",
        { className: "line" },
        make("b", {}, found?.[1] ?? ""),
        make("span", {}, each.slice(found?.[0].length ?? 0)),
      );
    });
}

/* The minutes planned for all scenes, or up to the end of one; `leaves`: those left out. */
const minutesOf = (minutes, leaves, upTo = minutes.length - 1) =>
  minutes.reduce((sum, each, at) => sum + (at > upTo || leaves.includes(at) ? 0 : each), 0);

/* Where a step leads: to the next scene on that side that is not left out. */
function stepped(at, by, count, leaves) {
  let to = at + by;
  while (leaves.includes(to)) to += by;
  return to < 0 || to >= count ? at : to;
}

/* The votes on all questions, or what was learned, as a CSV file of the browser. */
async function saveVotes(key, name = "votes") {
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${here}/${name}.csv`, { headers }).catch(() => null);
  if (!answer?.ok) throw new Error(say("failed"));
  const href = URL.createObjectURL(await answer.blob());
  make("a", { href, download: `${name}-${document.body.dataset.code}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/* A scene's picture; of the next one with its title. */
const pictured = (src, title) =>
  make(
    "figure",
    { className: "pictured" },
    src ? make("img", { src, alt: "" }) : make("div", { className: "none" }),
    title ? make("figcaption", { id: "next" }, title) : null,
  );
