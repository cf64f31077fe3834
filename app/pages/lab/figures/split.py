"""The split into heads as blocks of cells that regroup: each cell in the colour of its feature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.plots.colours import head_colour, mix, readable_on
from app.plots.labels import format_number
from app.plots.theme import Look
from core.lab.head_split import HeadSplit, Step

WIDTH, HEIGHT = 1180, 560  # of the drawing; it is scaled into its place
COLUMNS = (60, 340, 670)  # where blocks begin
INKS = ("text", "faint", "line", "changed", "value")
LANE = HEIGHT / 2
TOP, BOTTOM = 30, 24  # of a lane: its title above, its shape below
LARGEST, READABLE = 27, 19  # pixels of a cell; of one that has room for its name
GROUP, CARD = 0.45, 0.75  # gaps between groups of columns and between heads, in cells
LANES = {
    "split": (("linear", "viewed", "split"), ("linear", "wrong_view")),
    "concat": (("split", "back", "concat"), ("split", "wrong_concat")),
}
NEXT = {"viewed": "split", "back": "concat"}

Texts = Mapping[str, str]


@dataclass
class Drawing:
    """What the browser draws: squares with the cell they came from, texts and arrows."""

    size: float  # of a cell
    cells: list[list[float]] = field(default_factory=list)  # x, y, id, step
    maps: list[list[Any]] = field(default_factory=list)  # x, y, colour, hover
    texts: list[list[Any]] = field(default_factory=list)  # x, y, text, kind, anchor
    arrows: list[list[float]] = field(default_factory=list)  # x, y, x, y

    def say(self, x: float, y: float, text: str, kind: str, anchor: str = "start") -> None:
        """Add a text; y is its base line."""
        self.texts.append([round(x, 1), round(y, 1), text, kind, anchor])


@dataclass(frozen=True)
class Group:
    """Cells that stand together: a head of a sentence, or all of a sentence. Ids by row."""

    x: float  # of its corner, from the block's, in cells
    y: float
    rows: Sequence[Sequence[int]]
    head: int | None = None
    sentence: int = 0


def split_drawing(found: HeadSplit, way: str, texts: Texts, look: Look) -> dict[str, Any]:
    """The right way above, the wrong one below, both from the same block at the left.

    way: "split" or "concat". texts: with `word`, `head`, `right_<way>`, `wrong_<way>`, `sees`,
    `whole`, `mixed`, `reads`, `cell`, `map`; the last six have places to fill.
    """
    right, wrong = LANES[way]
    tall = max(_extent(found.step(key))[1] for key in (*right, *wrong))
    widest = max(_extent(found.step(key))[0] for key in (*right, *wrong))
    size = min(LARGEST, (LANE - TOP - BOTTOM) / tall, (COLUMNS[1] - COLUMNS[0] - 76) / widest)
    drawing = Drawing(round(size, 2))
    start = found.step(right[0])
    _block(drawing, start, COLUMNS[0], HEIGHT / 2, texts)
    for lane, keys in enumerate((right, wrong)):
        middle = TOP + (LANE - TOP - BOTTOM) / 2 + lane * LANE
        drawing.say(
            COLUMNS[1], 16 + lane * LANE, texts[f"{_tone(lane)}_{way}"], f"{_tone(lane)} title"
        )
        _arrow(drawing, start, COLUMNS[0], HEIGHT / 2, _place(keys[1]), middle)
        for key in keys[1:]:
            step = found.step(key)
            x = _place(key)
            _block(drawing, step, x, middle, texts)
            if key in NEXT:
                _arrow(drawing, step, x, middle, COLUMNS[2], middle)
        last = found.step(keys[-1])
        right_edge = COLUMNS[2] + _extent(last)[0] * size
        if way == "split":
            _maps(drawing, found, last, right_edge, middle, texts, look)
        else:
            _rows(drawing, last, right_edge, middle, texts)
    return _written(drawing, found, texts, look)


def cell_colours(found: HeadSplit, look: Look) -> list[list[str]]:
    """[background, ink] of each feature: the hue of the head it belongs to, deeper by place."""
    _, heads, _, features = found.step("split").shape
    pairs = []
    for head in range(heads):
        for at in range(features):
            share = 0.3 + 0.6 * (at / max(features - 1, 1))
            back = mix(look.colour("panel"), head_colour(head, look.dark), share)
            pairs.append([back, readable_on(back)])
    return pairs


def groups_of(step: Step) -> Iterator[Group]:
    """Where the cells of a step stand: words down, features across, sentences side by side."""
    ids = _ids(step)
    wide = _extent_of_sentence(step)[0] + 1.0
    for b, sentence in enumerate(ids):
        if step.axes == "BSD":
            yield Group(b * wide, 0, sentence, None, b)
        elif step.axes == "BSHK":
            for h in range(len(sentence[0])):
                rows = [word[h] for word in sentence]
                yield Group(b * wide + h * (len(rows[0]) + GROUP), 0, rows, h, b)
        else:
            for h, rows in enumerate(sentence):
                yield Group(b * wide, h * (len(rows) + CARD), rows, h, b)


def _ids(step: Step) -> Any:
    words, width = int(step.word.max()) + 1, int(step.feature.max()) + 1
    return ((step.sentence * words + step.word) * width + step.feature).tolist()


def _extent_of_sentence(step: Step) -> tuple[float, float]:
    if step.axes == "BSD":
        return step.shape[2], step.shape[1]
    if step.axes == "BSHK":
        _, words, heads, size = step.shape
        return heads * size + (heads - 1) * GROUP, words
    _, heads, words, size = step.shape
    return size, heads * words + (heads - 1) * CARD


def _extent(step: Step) -> tuple[float, float]:
    wide, tall = _extent_of_sentence(step)
    return step.shape[0] * (wide + 1.0) - 1.0, tall


def _block(drawing: Drawing, step: Step, x: float, middle: float, texts: Texts) -> None:
    size, (wide, tall) = drawing.size, _extent(step)
    top = middle - tall * size / 2
    for group in groups_of(step):
        for r, row in enumerate(group.rows):
            for c, cell in enumerate(row):
                place = (x + (group.x + c) * size, top + (group.y + r) * size)
                drawing.cells.append([round(place[0], 1), round(place[1], 1), cell])
        if step.axes == "BHSK" and group.sentence == 0:
            y = top + (group.y + len(group.rows) / 2) * size
            drawing.say(
                x - 8, y + 5, texts["head"].format(head=(group.head or 0) + 1), "name", "end"
            )
    shape = " × ".join(map(str, step.shape))
    axes = ", ".join(step.axes)
    drawing.say(
        x + wide * size / 2, top + tall * size + 17, f"({axes}) = {shape}", "shape", "middle"
    )


def _place(key: str) -> float:
    """A way's last block stands in the last column, below or above the other's."""
    return COLUMNS[1] if key in ("viewed", "back") else COLUMNS[2]


def _arrow(drawing: Drawing, step: Step, x: float, middle: float, to: float, at: float) -> None:
    start = x + _extent(step)[0] * drawing.size + 12
    end = to - (58 if step.axes != "BHSK" and to == COLUMNS[2] else 14)
    drawing.arrows.append([round(start, 1), round(middle, 1), round(end, 1), round(at, 1)])


def _maps(
    drawing: Drawing, found: HeadSplit, step: Step, x: float, middle: float, texts: Texts,
    look: Look,
) -> None:  # fmt: skip
    """Beside each head of sentence 0: which words it reads, and what it looks at."""
    size, tall = drawing.size, _extent(step)[1]
    wrong = step.key == "wrong_view"
    weights = (found.wrong_weights if wrong else found.weights).tolist()
    most = max(float(found.weights.max()), float(found.wrong_weights.max()))
    left = x + 34
    for group in groups_of(step):
        if group.sentence or group.head is None:
            continue
        top = middle - tall * size / 2 + group.y * size
        read = [int(word) + 1 for word in step.word[0, group.head, :, 0].tolist()]
        for r, row in enumerate(weights[group.head]):
            for c, weight in enumerate(row):
                hover = texts["map"].format(
                    query=read[r], key=read[c], weight=format_number(weight, look.precision)
                )
                back = mix(look.colour("panel"), look.colour("weights"), weight / most)
                drawing.maps.append(
                    [round(left + c * size, 1), round(top + r * size, 1), back, hover]
                )
        said = texts["reads"].format(words=" ".join(map(str, read)))
        seen = texts["sees"].format(seen=len(set(read)), words=len(read))
        y, after = top + len(read) * size / 2, left + len(read) * size + 14
        drawing.say(after, y - 3, said, "wrong" if wrong else "text")
        drawing.say(after, y + 15, seen, "wrong" if wrong else "text")


def _rows(drawing: Drawing, step: Step, x: float, middle: float, texts: Texts) -> None:
    """Beside each row of sentence 0: of which words it is made."""
    size, tall = drawing.size, _extent(step)[1]
    for at, row in enumerate(step.word[0].tolist()):
        words = sorted(set(row))
        y = middle - tall * size / 2 + (at + 0.5) * size + 5
        made = ", ".join(str(word + 1) for word in words)
        kind = "whole" if words == [at] else "mixed"
        said = texts[kind].format(row=at + 1, words=made)
        drawing.say(x + 16, y, said, "text" if kind == "whole" else "wrong")


def _tone(lane: int) -> str:
    return "wrong" if lane else "right"


def _written(drawing: Drawing, found: HeadSplit, texts: Texts, look: Look) -> dict[str, Any]:
    linear = found.step("linear")
    features = found.step("split").shape[-1]
    word, feature = linear.word.flatten().tolist(), linear.feature.flatten().tolist()
    sentences = linear.sentence.flatten().tolist()
    labels = [
        texts["cell"].format(sentence=b + 1, word=s + 1, feature=d + 1, head=d // features + 1)
        for b, s, d in zip(sentences, word, feature, strict=True)
    ]
    named = drawing.size >= READABLE and linear.shape[2] < 10
    return {
        "width": WIDTH,
        "height": HEIGHT,
        **vars(drawing),
        "features": feature,
        "names": [f"{s + 1}·{d + 1}" for s, d in zip(word, feature, strict=True)] if named else [],
        "labels": labels,
        "fills": cell_colours(found, look),
        "colours": {role: look.colour(role) for role in INKS},
    }
