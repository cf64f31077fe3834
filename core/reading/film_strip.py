"""One head over a whole training: its map at every snapshot, small, and what it does there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.reading.attention_views import FORBIDDEN, HeadMap, Kind, Side, pooled
from core.reading.head_roles import Head, roles
from core.reading.training_views import Moment, Replay

SIDE = 48  # cells a side of a frame, at most; more are pooled by maximum


@dataclass(frozen=True)
class Frame:
    """One step of the film. `levels` (≤ 48, ≤ 48): 0–254 for weights of 0–1, 255 for forbidden."""

    step: int
    levels: NDArray[np.uint8]
    does: Head | None  # None where the step has read other words than the end


def film(
    replay: Replay, kind: Kind, layer: int, head: int | None, sides: tuple[Side, Side]
) -> tuple[Frame, ...]:
    """The frames of one head, or of the mean of a layer's heads (None).

    sides: who looks and what is looked at, in the translation of the end.
    """
    return tuple(_frame(moment, kind, layer, head, sides) for moment in replay.moments)


def _frame(
    moment: Moment, kind: Kind, layer: int, head: int | None, sides: tuple[Side, Side]
) -> Frame:
    maps = moment.maps[kind][layer]  # (H, T, S)
    weights = maps.mean(axis=0) if head is None else maps[head]
    allowed = np.ones(weights.shape, dtype=bool)
    if kind == "decoder":
        allowed = np.tril(allowed)
    levels = np.rint(np.nan_to_num(pooled(weights, SIDE)) * (FORBIDDEN - 1))
    seen = np.where(pooled(allowed, SIDE), levels, FORBIDDEN).astype(np.uint8)
    same = weights.shape == tuple(len(side.tokens) for side in sides)
    view = HeadMap(weights, allowed, weights)
    does = Head(layer, head, roles(view, sides[1])) if same else None
    return Frame(moment.step, seen, does)
