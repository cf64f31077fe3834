"""Attention as lines: query words on the left, key words on the right, a hue a head."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots.labels import visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.component import CELLS, CHIP_COLUMNS, component, pack_numbers
from glassformer.core.analysis.attention_views import Numbers, Side

_lines = component(__file__, "attention_lines", scripts=(CELLS, CHIP_COLUMNS))
FULL = 65535  # two bytes a weight: exact to 0.001 %


@dataclass(frozen=True)
class Line:
    """What one hue of the picture stands for."""

    name: str  # "Head 3"
    colour: str  # "#RRGGBB"


def attention_lines(data: dict[str, Any], on_pick: Callable[[str, int], None]) -> None:
    """Draw the lines; `on_pick("query" | "key", position)` is called before the rerun."""

    def picked(value: dict[str, Any]) -> None:
        if value.get("side") in ("query", "key"):
            on_pick(value["side"], int(value["place"]))

    _lines("attention_lines", data, height="stretch", pick=picked)


def lines_data(
    weights: Numbers, sides: tuple[Side, Side], heads: Sequence[Line],
    pinned: tuple[int, int] | None, titles: tuple[str, str], look: FigureStyle,
) -> dict[str, Any]:  # fmt: skip
    """The lines of one head, of a mean, or of several heads: weights (heads, T, S).

    A weight that is not a number draws no line.
    """
    levels = np.rint(np.clip(np.nan_to_num(weights, nan=0.0), 0, 1) * FULL).astype("<u2")
    queries, keys = (
        [
            {"text": visible(label), "sink": place in side.sinks}
            for place, label in enumerate(side.labels)
        ]
        for side in sides
    )
    return {
        "weights": pack_numbers(levels),
        "queries": queries,
        "keys": keys,
        "heads": [vars(head) for head in heads],
        "pinned": pinned and {"query": pinned[0], "key": pinned[1]},
        "titles": list(titles),
        "type": look.px(16),
        "precision": look.precision,
    }
