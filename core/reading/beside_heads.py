"""All heads of two runs as small pictures of how far each cell moved."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import get_args

import numpy as np

from core.reading.attention_views import (
    FORBIDDEN,
    THUMBNAIL,
    Kind,
    Overview,
    attention_at,
    layers_of,
    pooled,
)
from core.reading.beside import Beside, beside
from core.trace.trace import Trace

MIDDLE = 127  # the level of no difference


@dataclass(frozen=True)
class Furthest:
    """The cell of all attention maps whose weight differs most between two runs."""

    kind: Kind
    layer: int
    head: int
    map: Beside
    row: int  # lines of the map
    column: int


def furthest(runs: tuple[Trace, Trace], by_place: bool) -> Furthest | None:
    """The largest difference of a weight in any head; None where none differs."""
    best: Furthest | None = None
    for kind in get_args(Kind):
        layers = range(min(layers_of(trace, kind) for trace in runs))
        for layer, head in product(layers, range(runs[0].config.n_heads)):
            address = f"{attention_at(kind, layer)}/weights"
            found = beside(runs, address, pins={"head": head}, by_place=by_place)
            place = found.furthest
            if place is not None and (best is None or found.reach > best.map.reach):
                best = Furthest(kind, layer, head, found, *place)
    return best


def differences(runs: tuple[Trace, Trace], kind: Kind, by_place: bool) -> tuple[Overview, float]:
    """Second − first of every map of weights, the heads' mean last, and the largest |difference|.

    Levels 0 … 254 stand for −largest … largest; a cell without a difference is forbidden.
    """
    layers = range(min(layers_of(trace, kind) for trace in runs))
    steps = np.stack([_layer(runs, kind, layer, by_place) for layer in layers])  # (L, H + 1, R, C)
    finite = np.isfinite(steps)
    most = float(np.abs(steps[finite]).max()) if finite.any() else 0.0
    up = pooled(np.where(finite, steps, -np.inf), THUMBNAIL).astype(np.float64)
    down = pooled(np.where(finite, -steps, -np.inf), THUMBNAIL).astype(np.float64)
    strongest = np.where(up >= down, up, -down)
    known = np.isfinite(strongest)
    levels = np.rint(MIDDLE + MIDDLE * np.where(known, strongest, 0) / (most or 1.0))
    return Overview(np.where(known, levels, FORBIDDEN).astype(np.uint8)), most


def _layer(runs: tuple[Trace, Trace], kind: Kind, layer: int, by_place: bool) -> np.ndarray:
    address = f"{attention_at(kind, layer)}/weights"
    heads = [
        beside(runs, address, pins={"head": head}, by_place=by_place).difference
        for head in range(runs[0].config.n_heads)
    ]
    return np.stack([*heads, beside(runs, address, by_place=by_place, mean=True).difference])
