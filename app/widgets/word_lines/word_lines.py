"""The component: chips of source and output, attention as lines between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app import state
from app.figures.labels import format_percent
from app.widgets.component import component
from app.widgets.word_lines.chips import Chip

FAINTEST = 0.005  # weaker lines would not be seen
NO_STEP = -1  # no output word is marked

_lines = component(__file__, "word_lines")


@dataclass(frozen=True)
class Pin:
    """The word that stays in focus: "source" or "target", and its place."""

    side: str
    place: int


def word_lines(
    sources: Sequence[Chip],
    outputs: Sequence[Chip],
    weights: np.ndarray,
    pin: Pin | None,
    step: int,
    on_pin: Callable[[Pin | None], None],
    colours: Mapping[str, str],
    texts: Mapping[str, str],
    key: str,
) -> None:
    """Draw the words and their lines; `on_pin(pin)` is called when a word is clicked.

    weights (T, S): of each output to each source word. step: the output word whose probability is
    marked, because its candidates stand elsewhere on the page, or NO_STEP. colours: "line",
    "probability", "unsure", "grey". texts: "source", "output", "end", "slot" and "slot_listed"
    (with {slot} and {word}), "guarded" (with {word}), "unseen", "legend", and "mark_unknown",
    "mark_unsure", "mark_unseen", "mark_guarded" for the legend. The component fills the height of
    the container it stands in.
    """

    def clicked() -> None:
        value = state.trigger(key, "pin")
        if value:
            on_pin(read_pin(value, len(sources), len(outputs)))

    _lines(
        key=key,
        data=lines_data(sources, outputs, weights, pin, step, colours, texts),
        on_pin_change=clicked,
        height="stretch",
    )


def lines_data(
    sources: Sequence[Chip],
    outputs: Sequence[Chip],
    weights: np.ndarray,
    pin: Pin | None,
    step: int,
    colours: Mapping[str, str],
    texts: Mapping[str, str],
) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON: only the lines that can be seen.

    A line is [output place, source place, weight]; a weight that is not a number is None.
    """
    return {
        "sources": [_sent(chip) for chip in sources],
        "outputs": [_sent(chip) for chip in outputs],
        "lines": _visible_lines(weights),
        "pin": [pin.side, pin.place] if pin else None,
        "step": step,
        "colours": dict(colours),
        "texts": dict(texts),
    }


def read_pin(value: Mapping[str, Any], sources: int, outputs: int) -> Pin | None:
    """The pinned word in what the browser sent; None for "released" and for what is not there."""
    side, place = value.get("side"), value.get("place")
    sizes = {"source": sources, "target": outputs}
    if side not in sizes or not isinstance(place, int) or not 0 <= place < sizes[side]:
        return None
    return Pin(side, place)


def _sent(chip: Chip) -> dict[str, Any]:
    sent: dict[str, Any] = {"text": chip.text, "slot": chip.slot, "sink": chip.sink}
    sent |= {"typed": chip.typed, "guarded": chip.guarded}
    sent |= {"listed": chip.listed, "unseen": chip.unseen}
    if chip.probability is None:
        return sent
    number = not math.isnan(chip.probability)
    return sent | {
        "share": round(chip.probability, 4) if number else 0,
        "percent": format_percent(chip.probability) if number else "NaN",
        "unsure": chip.unsure,
    }


def _visible_lines(weights: np.ndarray) -> list[list[int | float | None]]:
    rows, columns = np.nonzero(~(weights < FAINTEST))  # NaN compares false and is kept
    return [
        [int(row), int(column), _sendable(float(weights[row, column]))]
        for row, column in zip(rows, columns, strict=True)
    ]


def _sendable(weight: float) -> float | None:
    return round(weight, 4) if math.isfinite(weight) else None  # JSON has no NaN
