"""The component: a map a step, all of one head; a click goes to that step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.plots.colours import sequential
from app.plots.theme import Look
from app.ui.component import CELLS, component, going, packed

_strip = component(__file__, "film_strip", scripts=(CELLS,))


@dataclass(frozen=True)
class Shot:
    """One map: its levels as in `core.analysis.training_views.Frame`, and what stands around it."""

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
    data = strip_data(shots, now, texts, look)
    _strip("film_strip", data, height="stretch", go=going(len(shots), on_go))


def strip_data(shots: Sequence[Shot], now: int, texts: StripTexts, look: Look) -> dict[str, Any]:
    """What is sent to the browser: a byte a cell, the colours, the texts."""
    return vars(texts) | {
        "shots": [
            vars(shot) | {"size": shot.levels.shape, "levels": packed(shot.levels)}
            for shot in shots
        ],
        "now": now,
        "scale": sequential("weights", look.dark),
    }
