"""The component: a map a step, all of one head; a click goes to that step."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app import state
from app.figures.colours import faded, sequential
from app.figures.theme import Look
from app.widgets.component import component

_strip = component(__file__, "film_strip")


@dataclass(frozen=True)
class Shot:
    """One map: its levels as in `core.reading.film_strip.Frame`, and what stands around it."""

    step: str
    levels: np.ndarray
    note: str  # below the map
    title: str  # for screen readers


@dataclass(frozen=True)
class StripTexts:
    """What stands around the maps, in the reader's language, and the words along their sides."""

    label: str
    legend: str
    rows: Sequence[str] = ()  # () where the maps differ in their words, or are pooled
    columns: Sequence[str] = ()


def film_strip(
    shots: Sequence[Shot], now: int, texts: StripTexts, look: Look, on_go: Callable[[int], None]
) -> None:
    """Draw the maps in two lines, the one of step `now` framed; `on_go(place)` before the rerun."""

    def gone() -> None:
        value = state.trigger("film_strip", "go")
        to = value.get("to") if value else None
        if isinstance(to, int) and 0 <= to < len(shots):
            on_go(to)

    data = strip_data(shots, now, texts, look)
    _strip(key="film_strip", data=data, on_go_change=gone, height="stretch")


def strip_data(shots: Sequence[Shot], now: int, texts: StripTexts, look: Look) -> dict[str, Any]:
    """What is sent to the browser: a byte a cell, the colours, the texts."""
    return {
        "shots": [
            {
                "step": shot.step,
                "note": shot.note,
                "title": shot.title,
                "rows": shot.levels.shape[0],
                "columns": shot.levels.shape[1],
                "levels": base64.b64encode(shot.levels.tobytes()).decode(),
            }
            for shot in shots
        ],
        "now": now,
        "label": texts.label,
        "legend": texts.legend,
        "rows": list(texts.rows),
        "columns": list(texts.columns),
        "scale": sequential("weights", look.dark),
        "role": look.colour("weights"),
        "grey": look.colour("faint"),
        "hatch": faded(look.colour("faint"), 0.7),
    }
