"""What the blocks did to the vectors that pass through them, in numbers a reader can compare.

§3.1: each word's vector travels up the stack, and every sub-layer adds something to it. How far it
moved, measured against how long it was, is the same question for every block of every layer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.reading.attention_views import entropy
from core.reading.blocks import Block, blocks
from core.trace.tables import as_numpy
from core.trace.trace import Trace

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """How one block moved each word's vector; all are Euclidean lengths, one a word (T,)."""

    before: Numbers  # ‖before‖
    moved: Numbers  # ‖after − before‖
    after: Numbers  # ‖after‖
    cosine: Numbers  # of the angle between before and after: 1 is the same direction

    @property
    def ratios(self) -> Numbers:
        """‖after − before‖ / ‖before‖ of each word, (T,); NaN for a word of length 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.before > 0, self.moved / self.before, np.nan)

    @property
    def ratio(self) -> float:
        """The mean over the words; NaN where one of them has no number."""
        return float(self.ratios.mean())


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over the features of each word's vector, (T,) each (§5.4)."""

    mean: Numbers
    std: Numbers


@dataclass(frozen=True)
class Neurons:
    """Which hidden units of a feed-forward network fired: those with an activation above 0."""

    active: Numbers  # (T,) the share that fired for each word, 0..1
    silent: int  # units that fired for no word of the sentence
    width: int  # F, how many there are


def change(trace: Trace, block: Block) -> Change | None:
    """What a block did to each word's vector; None where before and after are not comparable."""
    if block.stream is None:
        return None
    before, after = (_rows(trace, address) for address in block.stream)  # (T, D) each
    lengths = np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = (before * after).sum(axis=1) / (lengths[0] * lengths[1])
    return Change(lengths[0], np.linalg.norm(after - before, axis=1), lengths[1], cosine)


def ratios(trace: Trace) -> Mapping[str, float]:
    """The mean ‖after − before‖ / ‖before‖ of every block that has one, by block id."""
    changes = {block.id: change(trace, block) for block in blocks(trace.config)}
    return {name: found.ratio for name, found in changes.items() if found is not None}


def spread(trace: Trace, address: str) -> Spread:
    """Mean and population standard deviation over the features, for a (B, T, D) address."""
    rows = _rows(trace, address)
    return Spread(rows.mean(axis=1), rows.std(axis=1))


def neurons(trace: Trace, block: Block) -> Neurons:
    """How many hidden units of a feed-forward block fired."""
    fired = _rows(trace, f"{block.id}/activation") > 0  # (T, F)
    silent = int((~fired.any(axis=0)).sum())
    return Neurons(fired.mean(axis=1), silent, int(fired.shape[1]))


def head_entropies(trace: Trace, block: Block) -> Numbers:
    """The mean entropy of each head's rows, (H,) in nats; 0 looks at one word only."""
    weights = as_numpy(trace[f"{block.id}/weights"][0])  # (H, T, S)
    means: Numbers = entropy(weights).astype(np.float64).mean(axis=-1)
    return means


def highest_entropy(trace: Trace, block: Block) -> float:
    """The mean entropy if every row looked at all its allowed words alike, in nats."""
    allowed = as_numpy(trace[f"{block.id}/mask"][0]).sum(axis=-1)  # (H, T)
    return float(np.log(np.maximum(allowed, 1)).mean())


def scale_end(values: Mapping[str, float]) -> float:
    """A round number at or above the largest finite value: where a colour scale ends."""
    largest = max((value for value in values.values() if math.isfinite(value)), default=0.0)
    if largest <= 0:
        return 1.0
    unit: float = 10.0 ** math.floor(math.log10(largest))
    steps = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return next(step * unit for step in steps if step * unit >= largest * (1 - 1e-9))


def _rows(trace: Trace, address: str) -> Numbers:
    rows: Numbers = as_numpy(trace[address][0]).astype(np.float64)  # (T, D)
    return rows
