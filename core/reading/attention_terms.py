"""One cell of an attention map, spelled out: q · k, division, mask, softmax (§3.2.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import GlassformerError
from core.reading.attention_views import Kind, Numbers, Stage, attention_at
from core.trace.tables import as_numpy
from core.trace.trace import Trace


@dataclass(frozen=True)
class Terms:
    """How much one query looks at one key, in one head.

    The sum of `products` is `score` up to float32 rounding; every other number is as recorded.
    """

    q: Numbers  # (K,)
    k: Numbers  # (K,)
    score: float  # q · k
    scaled: float  # q · k / √K
    allowed: bool
    masked: float  # `scaled`, or what the mask writes where looking is forbidden
    weight: float  # softmax over the row
    row: Numbers  # (S,) the masked scores of all keys, which the softmax compares

    @property
    def products(self) -> Numbers:
        """q_i · k_i of each dimension, (K,)."""
        return self.q * self.k

    @property
    def root(self) -> float:
        """√d_k, by which the score is divided."""
        return math.sqrt(self.q.size)

    def order(self, by: str) -> list[int]:
        """The dimensions, by "dimension" or by the size of their product, "largest" first."""
        if by == "dimension":
            return list(range(self.q.size))
        return [int(at) for at in np.argsort(-np.abs(self.products), kind="stable")]

    @property
    def numerator(self) -> float:
        """exp(masked): what the softmax puts above the line; ∞ for a score beyond 709."""
        return _exp_sum(np.float64(self.masked))

    @property
    def denominator(self) -> float:
        """The row's sum of exp(masked): what the softmax puts below the line."""
        return _exp_sum(self.row.astype(np.float64))


def terms(trace: Trace, kind: Kind, layer: int, head: int, query: int, key: int) -> Terms:
    """The numbers of one cell; positions, layer and head count from 0.

    Raises `GlassformerError` (`out_of_range`) for a query or a key beyond the sentence.
    """
    where = attention_at(kind, layer)
    q, k, scores, scaled, mask, masked, weights = (
        trace[f"{where}/{name}"][0, head]  # where the model is
        for name in ("q", "k", "scores", "scaled", "mask", "masked", "weights")
    )
    for name, index, size in (("query", query, len(q)), ("key", key, len(k))):
        if not 0 <= index < size:
            raise GlassformerError("out_of_range", name=name, given=index, last=size - 1)
    return Terms(
        q=as_numpy(q[query]),
        k=as_numpy(k[key]),
        score=float(scores[query, key]),
        scaled=float(scaled[query, key]),
        allowed=bool(mask[query, key]),
        masked=float(masked[query, key]),
        weight=float(weights[query, key]),
        row=as_numpy(masked[query]),
    )


@dataclass(frozen=True)
class CellOfHeads:
    """One cell at one stage in each head of a layer."""

    values: Numbers  # (H,) as recorded; where forbidden, from the mask on, no score but its fill
    forbidden: NDArray[np.bool_]  # (H,) True where the mask has already struck the cell out

    @property
    def mean(self) -> float:
        """The mean over the heads, NaN where one of them is forbidden."""
        return math.nan if self.forbidden.any() else float(self.values.mean())


def cell_of_heads(
    trace: Trace, kind: Kind, layer: int, stage: Stage, query: int, key: int
) -> CellOfHeads:
    """The numbers of one cell at a stage; before the mask (scores, scaled) nothing is forbidden."""
    where = attention_at(kind, layer)
    values: Numbers = as_numpy(trace[f"{where}/{stage}"][0][:, query, key])
    mask = as_numpy(trace[f"{where}/mask"][0][:, query, key])  # (H,)
    struck = ~mask & (stage in ("masked", "weights"))
    return CellOfHeads(values, np.broadcast_to(struck, values.shape))


def _exp_sum(scores: np.float64 | NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(scores).sum())
