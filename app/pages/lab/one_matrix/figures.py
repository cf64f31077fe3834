"""Small matrices and a concatenation above, one large matrix and a split below; cells by head."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from glassformer.app.pages.lab.split.figures import GROUP, WIDTH, Drawing
from glassformer.app.plots.colours import head_colour, mix_colours, readable_on
from glassformer.app.plots.labels import MINUS
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.one_matrix import OneMatrix

LARGEST = 34  # pixels of a cell
NAMED = 26  # of one that has room for its number
TOP, BOTTOM = 40, 26  # of a lane: its title and the names of heads, its shapes
BETWEEN = 46  # pixels between two blocks: room for a sign
Texts = Mapping[str, str]


def one_matrix_drawing(found: OneMatrix, texts: Texts, look: FigureStyle) -> dict[str, Any]:
    """Cells that are the same number have the same id in both lanes.

    texts: "small", "large", "concat", "split", "head", and with places "x", "weight", "query".
    """
    heads, width, inside = found.small.shape
    words = len(found.x)
    lane_height = min(216, TOP + BOTTOM + LARGEST * width)
    wide = width + GROUP * (heads - 1)  # of a block with gaps between the heads
    size = min(LARGEST, (lane_height - TOP - BOTTOM) / width, (WIDTH - 5 * BETWEEN) / (4 * wide))
    drawing = Drawing(round(size, 2))
    left = [24 + at * (wide * size + BETWEEN) for at in range(4)]
    weights, queries = words * width, (words + width) * width  # their first ids; those of x: 0

    def block(
        column: int, middle: float, rows: int, start: int, apart: bool, shape: str, sign: str
    ) -> None:
        top = middle - rows * size / 2
        for row, at in np.ndindex(rows, width):
            across = (at + GROUP * (at // inside) * apart) * size
            cell = start + row * width + at
            drawing.cells.append(
                [round(left[column] + across, 1), round(top + row * size, 1), cell]
            )
        right = left[column] + (wide if apart else width) * size
        drawing.say((left[column] + right) / 2, top + rows * size + 17, shape, "shape", "middle")
        drawing.say(right + BETWEEN / 2, middle + 6, sign, "title", "middle")
        for head in range(heads if apart else 0):
            x = left[column] + (head * (inside + GROUP) + inside / 2) * size
            drawing.say(x, top - 6, texts["head"].format(head=head + 1), "name", "middle")

    for lane, name in enumerate(("small", "large")):
        middle = TOP + (lane_height - TOP - BOTTOM) / 2 + lane * lane_height
        apart = lane == 0
        drawing.say(left[0], 16 + lane * lane_height, texts[name], "title")
        block(0, middle, words, 0, False, f"x: {words} × {width}", "×")
        matrices = f"{heads} × ({width} × {inside})" if apart else f"W: {width} × {width}"
        products = f"{heads} × ({words} × {inside})" if apart else f"{words} × {width}"
        block(1, middle, width, weights, apart, matrices, "=")
        block(2, middle, words, queries, apart, products, "→")
        after = f"{words} × {width}" if apart else f"{heads} × ({words} × {inside})"
        said = f"{texts['concat' if apart else 'split']}: {after}"
        block(3, middle, words, queries, not apart, said, "")
    return {"height": 2 * lane_height} | _written(drawing, found, texts, look)


def _written(drawing: Drawing, found: OneMatrix, texts: Texts, look: FigureStyle) -> dict[str, Any]:
    heads, _, inside = found.small.shape
    # (H, S, K) -> (S, D)
    joined = found.split.transpose(0, 1).flatten(-2)
    tables = (("x", found.x), ("weight", found.large), ("query", joined))
    values, labels, hues = [], [], []
    number: Callable[[float], str] = look.number
    for kind, table in tables:
        for (row, at), value in np.ndenumerate(table.numpy()):
            values.append(float(value))
            hues.append(0 if kind == "x" else 1 + at // inside)
            place = {"row": row + 1, "column": at + 1, "head": at // inside + 1}
            labels.append(texts[kind].format(value=number(float(value)), **place))
    backs = [mix_colours(look.colour("panel"), look.colour("faint"), 0.2)]
    backs += [
        mix_colours(look.colour("panel"), head_colour(head, look.dark), 0.55)
        for head in range(heads)
    ]
    named = drawing.size >= NAMED
    return {
        "width": WIDTH,
        **vars(drawing),
        "features": hues,
        "names": [f"{value:.2f}".replace("-", MINUS) for value in values] if named else [],
        "labels": labels,
        "fills": [[back, readable_on(back)] for back in backs],
    }
