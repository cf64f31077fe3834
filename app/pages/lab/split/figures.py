"""The split into heads as blocks of cells that regroup: each cell in the colour of its feature."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glassformer.app.plots.colours import head_colour, mix_colours, readable_on
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.head_split import HeadSplit, Step

WIDTH, HEIGHT = 1180, 560  # of the drawing; it is scaled into its place
COLUMNS = (60, 340, 670)  # where blocks begin
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


def split_drawing(found: HeadSplit, way: str, texts: Texts, look: FigureStyle) -> dict[str, Any]:
    """The right way above, the wrong one below, both from the same block at the left.

    way: "split" or "concat". texts: with `word`, `head`, `right_<way>`, `wrong_<way>`, `sees`,
    `whole`, `mixed`, `reads`, `cell`, `map`; the last six have places to fill.
    """
    right, wrong = LANES[way]
    extents = np.array([_extent(found.steps[key]) for key in (*right, *wrong)])
    widest, tall = extents.max(axis=0).tolist()
    size = min(LARGEST, (LANE - TOP - BOTTOM) / tall, (COLUMNS[1] - COLUMNS[0] - 76) / widest)
    drawing = Drawing(round(size, 2))
    start = found.steps[right[0]]
    _block(drawing, start, COLUMNS[0], HEIGHT / 2, texts)
    for lane, keys in enumerate((right, wrong)):
        middle = TOP + (LANE - TOP - BOTTOM) / 2 + lane * LANE
        tone = "wrong" if lane else "right"
        drawing.say(COLUMNS[1], 16 + lane * LANE, texts[f"{tone}_{way}"], f"{tone} title")
        _arrow(drawing, start, COLUMNS[0], HEIGHT / 2, _place(keys[1]), middle)
        for key in keys[1:]:
            _block(drawing, found.steps[key], _place(key), middle, texts)
            if key in NEXT:
                _arrow(drawing, found.steps[key], _place(key), middle, COLUMNS[2], middle)
        last = found.steps[keys[-1]]
        right_edge = COLUMNS[2] + _extent(last)[0] * size
        if way == "split":
            _maps(drawing, found, bool(lane), right_edge, middle, texts, look)
        else:
            _rows(drawing, last, right_edge, middle, texts)
    return _written(drawing, found, texts, look)


def cell_colours(found: HeadSplit, look: FigureStyle) -> list[list[str]]:
    """[background, ink] of each feature: the hue of the head it belongs to, deeper by place."""
    _, heads, _, features = found.steps["split"].cells.shape
    pairs = []
    for head in range(heads):
        for at in range(features):
            share = 0.3 + 0.6 * (at / max(features - 1, 1))
            back = mix_colours(look.colour("panel"), head_colour(head, look.dark), share)
            pairs.append([back, readable_on(back)])
    return pairs


def cell_places(step: Step) -> np.ndarray:
    """Where the cells of a step stand, x and y in cells: (2, *shape).

    Words go down, features across, sentences stand side by side, heads apart from each other.
    """
    size = dict(zip(step.axes, step.cells.shape, strict=True))
    at = dict(zip(step.axes, np.indices(step.cells.shape), strict=True))
    across, down = at["D" if "D" in at else "K"], at["S"]
    if step.axes == "BSHK":
        across = across + at["H"] * (size["K"] + GROUP)
    elif step.axes == "BHSK":
        down = down + at["H"] * (size["S"] + CARD)
    return np.stack([across + at["B"] * (across.max() + 2.0), down])


def _extent(step: Step) -> tuple[float, float]:
    wide, tall = cell_places(step).reshape(2, -1).max(axis=1).tolist()
    return wide + 1, tall + 1


def _block(drawing: Drawing, step: Step, x: float, middle: float, texts: Texts) -> None:
    size, (wide, tall) = drawing.size, _extent(step)
    top = middle - tall * size / 2
    spots = cell_places(step).reshape(2, -1).T.tolist()
    for (across, down), cell in zip(spots, step.cells.flatten().tolist(), strict=True):
        drawing.cells.append([round(x + across * size, 1), round(top + down * size, 1), cell])
    if step.axes == "BHSK":
        _, heads, words, _ = step.cells.shape
        for head in range(heads):
            y = top + (head * (words + CARD) + words / 2) * size + 5
            drawing.say(x - 8, y, texts["head"].format(head=head + 1), "name", "end")
    shape = f"({', '.join(step.axes)}) = {' × '.join(map(str, step.cells.shape))}"
    drawing.say(x + wide * size / 2, top + tall * size + 17, shape, "shape", "middle")


def _place(key: str) -> float:
    """A way's last block stands in the last column, below or above the other's."""
    return COLUMNS[1] if key in ("viewed", "back") else COLUMNS[2]


def _arrow(drawing: Drawing, step: Step, x: float, middle: float, to: float, at: float) -> None:
    start = x + _extent(step)[0] * drawing.size + 12
    end = to - (58 if step.axes != "BHSK" and to == COLUMNS[2] else 14)
    drawing.arrows.append([round(start, 1), round(middle, 1), round(end, 1), round(at, 1)])


def _maps(
    drawing: Drawing, found: HeadSplit, wrong: bool, x: float, middle: float, texts: Texts,
    look: FigureStyle,
) -> None:  # fmt: skip
    """Beside each head of sentence 0: which words it reads, and what it looks at."""
    step = found.steps["wrong_view" if wrong else "split"]
    size, tall = drawing.size, _extent(step)[1]
    most = max(float(found.weights.max()), float(found.wrong_weights.max()))
    kind, left = "wrong" if wrong else "text", x + 34
    for head, rows in enumerate((found.wrong_weights if wrong else found.weights).tolist()):
        top = middle - tall * size / 2 + head * (len(rows) + CARD) * size
        read = (step.word[0, head, :, 0] + 1).tolist()
        for r, c in np.ndindex(len(rows), len(rows)):
            weight = format_number(rows[r][c], look.precision)
            hover = texts["map"].format(query=read[r], key=read[c], weight=weight)
            back = mix_colours(look.colour("panel"), look.colour("weights"), rows[r][c] / most)
            drawing.maps.append([round(left + c * size, 1), round(top + r * size, 1), back, hover])
        y, after = top + len(read) * size / 2, left + len(read) * size + 14
        said = texts["reads"].format(words=" ".join(map(str, read)))
        drawing.say(after, y - 3, said, kind)
        seen = texts["sees"].format(seen=len(set(read)), words=len(read))
        drawing.say(after, y + 15, seen, kind)


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


def _written(drawing: Drawing, found: HeadSplit, texts: Texts, look: FigureStyle) -> dict[str, Any]:
    linear = found.steps["linear"].cells
    inside = found.steps["split"].cells.shape[-1]
    cells = list(np.ndindex(*linear.shape))  # sentence, word, feature
    labels = [
        texts["cell"].format(sentence=b + 1, word=s + 1, feature=d + 1, head=d // inside + 1)
        for b, s, d in cells
    ]
    named = drawing.size >= READABLE and linear.size(2) < 10
    return {
        "width": WIDTH,
        "height": HEIGHT,
        **vars(drawing),
        "features": [d for _, _, d in cells],
        "names": [f"{s + 1}·{d + 1}" for _, s, d in cells] if named else [],
        "labels": labels,
        "fills": cell_colours(found, look),
    }
