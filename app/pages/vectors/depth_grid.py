"""Words down, places across: a cell a word at a place, with an arrow and numbers; clicks pick."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from glassformer.app.pages.vectors.focus import VectorsFocus, pick_word
from glassformer.app.plots.colours import mix_colours
from glassformer.app.plots.labels import visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.component import CELLS, component
from glassformer.app.words import say
from glassformer.core.analysis.attention_views import Side
from glassformer.core.trace.graph import StreamState

# Length 0..1, cosine −1..1; None where there is no number, and then no arrow.
Arrow = tuple[float | None, float | None]

LEVELS = 48  # on each side of the middle

_grid = component(__file__, "depth_grid", scripts=(CELLS,))


@dataclass(frozen=True)
class Cells:
    """What stands in the cells, a row a word."""

    colours: list[list[str]]
    main: list[list[str]]  # the number
    sub: list[list[str]] | None = None  # a second one, where there is room
    arrows: list[list[Arrow]] | None = None


def depth_grid(
    key: str, focus: VectorsFocus, states: Sequence[StreamState], cells: Cells, label: str,
    hover: str, columns: Sequence[tuple[str, str]],
    others: tuple[Side, Sequence[int]] | None = None,
) -> None:  # fmt: skip
    """Draw it over the full height of its place; a click puts a word and a state in focus.

    label: for screen readers. hover: of a cell, with {row} {column} {main} {sub}. columns: the
    group and the name of each state. others: in place of the stack's words others, and where each
    stands in the run in focus (−1: it does not).
    """
    words, places = others or (focus.words, range(len(focus.words.labels)))

    def picked(value: Mapping[str, Any]) -> None:
        place, column = places[int(value["row"])], value.get("column")
        if place >= 0:
            pick_word(focus, place, "" if column is None else states[int(column)].address)

    row = places.index(focus.position) if focus.position in places else 0
    rows = say("vectors.rows_decoder" if words.writes else "vectors.rows_encoder")
    data = {
        "rows": [visible(each) for each in words.labels],
        "sinks": sorted(words.sinks),
        "cells": cells,
        "focus": (row, focus.place(states)),
        "texts": {"label": label, "rows": rows, "hover": hover, "columns": columns},
    }
    _grid(key, data, height="stretch", pick=picked)


def signed_colours(values: np.ndarray, end: float, look: FigureStyle) -> list[list[str]]:
    """(R, C) numbers of −end … end on the diverging scale; NaN in the colour of the panel."""
    sizes = np.abs(values.astype(np.float64)) / end
    below, above = (_shades(sizes, role, look) for role in ("query", "key"))
    return np.where(values < 0, below, above).tolist()  # type: ignore[no-any-return]


def shares_colours(shares: np.ndarray, role: str, look: FigureStyle) -> list[list[str]]:
    """(R, C) shares of 0 … 1 from the panel's colour to the role's."""
    return _shades(shares, role, look).tolist()  # type: ignore[no-any-return]


def rank_shares(ranks: np.ndarray, size: int) -> np.ndarray:
    """Ranks on a log axis as shares: 1 for the first of `size` words, 0 for the last.

    A rank of 0 (there is no number) is NaN.
    """
    known = np.where(ranks > 0, ranks, 1)
    shares: np.ndarray = np.where(ranks > 0, 1 - np.log(known) / math.log(max(size, 2)), np.nan)
    return shares


@lru_cache(maxsize=32)
def _palette(low: str, high: str) -> tuple[str, ...]:
    return tuple(mix_colours(low, high, level / LEVELS) for level in range(LEVELS + 1))


def _shades(shares: np.ndarray, role: str, look: FigureStyle) -> np.ndarray:
    known = np.where(np.isfinite(shares), shares, 0.0).astype(np.float64).clip(0.0, 1.0)
    palette = np.array(_palette(look.colour("panel"), look.colour(role)))
    shades: np.ndarray = palette[np.rint(known * LEVELS).astype(int)]
    return shades
