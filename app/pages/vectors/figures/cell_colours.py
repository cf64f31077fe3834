"""The colours of cells that are drawn one by one, not as a heat map of Plotly."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from app.plots.colours import mix
from app.plots.theme import Look

LEVELS = 48  # on each side of the middle


def signed_colours(values: np.ndarray, end: float, look: Look) -> list[list[str]]:
    """(R, C) numbers of −end … end on the diverging scale; NaN in the colour of the panel."""
    low, high = (_palette(look.colour("panel"), look.colour(role)) for role in ("query", "key"))
    return [
        [_level(low if value < 0 else high, abs(float(value)) / end) for value in row]
        for row in values
    ]


def shares_colours(shares: np.ndarray, role: str, look: Look) -> list[list[str]]:
    """(R, C) shares of 0 … 1 from the panel's colour to the role's."""
    palette = _palette(look.colour("panel"), look.colour(role))
    return [[_level(palette, float(share)) for share in row] for row in shares]


def rank_shares(ranks: np.ndarray, size: int) -> np.ndarray:
    """Ranks on a log axis as shares: 1 for the first of `size` words, 0 for the last.

    A rank of 0 (there is no number) is NaN.
    """
    known = np.where(ranks > 0, ranks, 1)
    shares: np.ndarray = np.where(ranks > 0, 1 - np.log(known) / math.log(max(size, 2)), np.nan)
    return shares


@lru_cache(maxsize=32)
def _palette(low: str, high: str) -> tuple[str, ...]:
    return tuple(mix(low, high, level / LEVELS) for level in range(LEVELS + 1))


def _level(palette: tuple[str, ...], share: float) -> str:
    if not math.isfinite(share):
        return palette[0]
    return palette[round(min(max(share, 0.0), 1.0) * LEVELS)]
