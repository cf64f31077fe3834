"""One cell of attention in full: a query and a key, in one head or in each of a layer.

§3.2.1. Layers, heads and positions count from 0.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glassformer.core.analysis.attention_views import (
    Kind,
    Numbers,
    Stage,
    asks_with,
    attention_at,
    maps_at,
    stages_of,
)
from glassformer.core.errors import check_index
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace


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
    bias: float | None = None  # what the distance adds to `scaled`, where it adds something
    biased: float | None = None  # the sum of both

    @property
    def products(self) -> Numbers:
        """q_i · k_i of each dimension, (K,)."""
        return self.q * self.k

    def order(self, by: str) -> list[int]:
        """The dimensions of the head, by their number or by the size of what they add to the score.

        Args:
            by: "dimension" counts up; "largest" puts the largest |q_i · k_i| first, of equal ones
                the lower dimension.

        Returns:
            Each of the K dimensions once, from 0.
        """
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


def cell_terms(trace: Trace, kind: Kind, layer: int, head: int, query: int, key: int) -> Terms:
    """The numbers of one cell of one head: query, key, score, mask and attention weight (§3.2.1).

    Args:
        trace: the run that is read, its first sentence.
        kind: which of the attentions.
        layer: counted from 0.
        head: of the queries, from 0; the key is that of the head of keys that it meets.
        query: the position that looks, from 0.
        key: the position that is looked at, from 0.

    Returns:
        Every number as recorded; `bias` and `biased` are None where distances add nothing.

    Raises:
        GlassformerError: `out_of_range` for a query or a key beyond the sentence; `unknown_address`
            for a kind or a layer that the run does not have.
        IndexError: no such head.
    """
    where, (asks, answers) = attention_at(kind, layer), asks_with(trace.config, kind)
    k = trace[f"{where}/{answers}"][0, trace.config.of(where).key_head(head)]
    q, scores, scaled, mask, masked, weights = (
        maps_at(trace, f"{where}/{name}")[0, head]  # where the model is
        for name in (asks, "scores", "scaled", "mask", "masked", "weights")
    )
    for name, index, size in (("query", query, len(q)), ("key", key, len(k))):
        check_index(name, index, size)
    by_distance = dict[str, float]()
    if "biased" in stages_of(trace, kind):
        for name, site in (("bias", "position_bias"), ("biased", "biased")):
            by_distance[name] = float(maps_at(trace, f"{where}/{site}")[0, head, query, key])
    return Terms(
        q=as_numpy(q[query]),
        k=as_numpy(k[key]),
        score=float(scores[query, key]),
        scaled=float(scaled[query, key]),
        allowed=bool(mask[query, key]),
        masked=float(masked[query, key]),
        weight=float(weights[query, key]),
        row=as_numpy(masked[query]),
        **by_distance,
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
    """One cell of attention at one stage in each head of a layer.

    Nothing is forbidden before the mask.

    Args:
        trace: the run that is read, its first sentence.
        kind: which of the attentions.
        layer: counted from 0.
        stage: which of the maps, from the scores to the weights.
        query: the position that looks, from 0.
        key: the position that is looked at, from 0.

    Returns:
        The numbers of the H heads as recorded, and where the mask has struck the cell out.

    Raises:
        GlassformerError: `unknown_address` for a kind, a layer or a stage that the run does not
            have.
        IndexError: the query or the key lies beyond the sentence.
    """
    where = attention_at(kind, layer)
    values: Numbers = as_numpy(maps_at(trace, f"{where}/{stage}")[0][:, query, key])
    mask = as_numpy(trace[f"{where}/mask"][0][:, query, key])  # (H,)
    struck = ~mask & (stage in ("masked", "weights"))
    return CellOfHeads(values, np.broadcast_to(struck, values.shape))


def _exp_sum(scores: np.float64 | NDArray[np.float64]) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(scores).sum())
