"""The cells of an attention map: their colours, the range of the colours, what is grey."""

from __future__ import annotations

import numpy as np

from app.figures.colours import Scale, diverging, mix, sequential
from app.figures.labels import escape, visible
from app.figures.theme import Look
from core.reading.attention_views import HeadMap, Numbers, Side

GREYED = 0.8  # of the way to grey; the rest keeps the sign of a score


def colour_limits(
    view: HeadMap, sides: tuple[Side, Side], stage: str, without_sinks: bool
) -> tuple[float, float]:
    """The values at both ends of the colour scale.

    Forbidden cells never count; sinks do not where there is anything else.
    """
    counted = view.allowed & np.isfinite(view.values)
    words = counted & ~_sink_cells(sides)
    if without_sinks and words.any():
        counted = words
    largest = float(np.abs(view.values[counted]).max()) if counted.any() else 1.0
    largest = largest or 1.0
    return (0.0, largest) if stage == "weights" else (-largest, largest)


def _sink_cells(sides: tuple[Side, Side]) -> np.ndarray:
    rows, columns = (np.isin(np.arange(len(side.tokens)), sorted(side.sinks)) for side in sides)
    return rows[:, None] | columns[None, :]


def cells_of(values: Numbers, sides: tuple[Side, Side], grey: bool) -> np.ndarray:
    """The cells of the words or of the sinks; the others are gaps."""
    return np.where(_sink_cells(sides) == grey, values, np.float32(np.nan)).astype(np.float32)


def colour_scale(stage: str, grey: bool, look: Look) -> Scale:
    """Purple from 0 for weights, diverging for scores; `grey` for the cells of sinks."""
    if stage == "weights":
        return sequential("faint" if grey else "weights", look.dark)
    if not grey:
        return diverging(look.dark)
    faint, panel = look.colour("faint"), look.colour("panel")
    below, above = (mix(look.colour(role), faint, GREYED) for role in ("query", "key"))
    return [[0, below], [0.5, panel], [1, above]]


def pair_names(rows: Side, columns: Side) -> np.ndarray:
    """The two words of every cell, (T, S), for maps whose axes have no room for words."""
    across = [escape(visible(token)) for token in columns.tokens]
    down = [escape(visible(token)) for token in rows.labels]
    return np.array([[f"{row} → {column}" for column in across] for row in down], dtype=object)
