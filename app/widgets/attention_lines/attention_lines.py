"""Attention as lines: query words on the left, key words on the right, a hue a head."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app import state
from app.figures.labels import visible
from app.figures.theme import Look
from app.widgets.component import component
from core.reading.attention_views import Numbers, Side

_lines = component(__file__, "attention_lines")
FULL = 65535  # two bytes a weight: exact to 0.001 %


@dataclass(frozen=True)
class Line:
    """What one hue of the picture stands for."""

    name: str  # "Head 3"
    colour: str  # "#RRGGBB"


def attention_lines(
    weights: Numbers, sides: tuple[Side, Side], heads: Sequence[Line],
    pinned: tuple[int, int] | None, titles: tuple[str, str], look: Look,
    on_pick: Callable[[str, int], None],
) -> None:  # fmt: skip
    """Draw the lines of one head, of a mean, or of several heads.

    weights (heads, T, S); `on_pick("query" | "key", position)` is called before the rerun.
    """

    def picked() -> None:
        value = state.trigger("attention_lines", "pick")
        if value and value.get("side") in ("query", "key"):
            on_pick(value["side"], int(value["place"]))

    _lines(
        key="attention_lines",
        data=lines_data(weights, sides, heads, pinned, titles, look),
        height="stretch",
        on_pick_change=picked,
    )


def lines_data(
    weights: Numbers, sides: tuple[Side, Side], heads: Sequence[Line],
    pinned: tuple[int, int] | None, titles: tuple[str, str], look: Look,
) -> dict[str, Any]:  # fmt: skip
    """What is sent to the browser; a weight that is not a number draws no line."""
    levels = np.rint(np.clip(np.nan_to_num(weights, nan=0.0), 0, 1) * FULL).astype("<u2")
    queries, keys = (
        [
            {"text": visible(label), "sink": place in side.sinks}
            for place, label in enumerate(side.labels)
        ]
        for side in sides
    )
    return {
        "weights": base64.b64encode(levels.tobytes()).decode(),
        "queries": queries,
        "keys": keys,
        "heads": [vars(head) for head in heads],
        "pinned": pinned and {"query": pinned[0], "key": pinned[1]},
        "titles": list(titles),
        "query": look.colour("query"),
        "key": look.colour("key"),
        "grey": look.colour("faint"),
        "type": look.px(16),
        "precision": look.precision,
    }
