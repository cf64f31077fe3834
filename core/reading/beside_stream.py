"""How far apart the vectors of two runs are, word by word and place by place along depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.reading.alignment import NONE, Edge, paired
from core.reading.blocks import Stack
from core.reading.residual_stream import State, states
from core.reading.vectors import Numbers, cosines, lengths, rows_at, tokens_of
from core.trace.trace import Trace


@dataclass(frozen=True)
class Apart:
    """N places that both runs have, T lines of words; NaN where only one run has the word."""

    states: tuple[State, ...]  # N, as in the second run
    words: Edge  # T
    means: tuple[Numbers, Numbers]  # (N,) mean length over the words of either run
    distance: Numbers  # (N, T) ‖second − first‖
    ratio: Numbers  # (N, T) the same over ‖first‖; ∞ from nothing, 0 where nothing moved
    cosine: Numbers  # (N, T) between first and second


def apart(runs: tuple[Trace, Trace], stack: Stack, by_place: bool) -> Apart:
    """The residual stream of two runs of one model; a place is known by its layer and its part."""
    tokens = tuple(tokens_of(trace, stack) for trace in runs)
    pairs = paired(tokens[0], tokens[1], by_place)
    places = [np.array([NONE if p[run] is None else p[run] for p in pairs]) for run in (0, 1)]
    edge = Edge("position", (places[0], places[1]), tokens)
    before = {(each.layer, each.part): each for each in states(runs[0].config, stack)}
    common = [
        (before[each.layer, each.part], each)
        for each in states(runs[1].config, stack)
        if (each.layer, each.part) in before
    ]
    one = np.stack([rows_at(runs[0], each.address) for each, _ in common])  # (N, T₁, D)
    two = np.stack([rows_at(runs[1], each.address) for _, each in common])  # (N, T₂, D)
    both = (places[0] != NONE) & (places[1] != NONE)
    first, second = (x[:, at] for x, at in zip((one, two), places, strict=True))  # (N, T, D)
    distance = lengths(second - first)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(distance == 0, 0.0, distance / lengths(first))
    return Apart(
        states=tuple(each for _, each in common),
        words=edge,
        means=(lengths(one).mean(axis=1), lengths(two).mean(axis=1)),
        distance=np.where(both, distance, np.nan),
        ratio=np.where(both, ratio, np.nan),
        cosine=np.where(both, cosines(first, second), np.nan),
    )
