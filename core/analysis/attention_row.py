"""One row of one head of attention, from q to what the attention hands on, number by number.

§3.2.1 and §3.2.2. Every number is as recorded; `changed` says which of them are not what the
equations make of the numbers before: there a switch reached in.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glassformer.core.analysis.attention_views import (
    Kind,
    Numbers,
    asks_with,
    attention_at,
    maps_at,
    stages_of,
)
from glassformer.core.errors import check_index
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

CLOSE = 1e-4  # of the largest number: rounding of float32 stays far below


@dataclass(frozen=True)
class AttentionRow:
    """What one query does with S keys in one head; q and context are of all H heads."""

    head: int
    q: Numbers  # (H, K)
    k: Numbers  # (S, K)
    scores: Numbers  # (S,)
    scaled: Numbers  # (S,)
    allowed: NDArray[np.bool_]  # (S,)
    masked: Numbers  # (S,)
    weights: Numbers  # (S,)
    used: Numbers  # (S,) the weights that meet the values: less than all where dropout is on
    v: Numbers  # (S, K)
    context: Numbers  # (H, K)
    concat: Numbers  # (D,)
    output: Numbers  # (D,)
    bias: Numbers | None = None  # (S,) what distances add to the scores
    divides: bool = True  # whether this model divides the scores by √d_k

    @property
    def dropped(self) -> bool:
        """Whether dropout took some of the weights away."""
        return self.used is not self.weights

    @property
    def unscaled(self) -> bool:
        """Whether the scores went on without the division by √d_k."""
        return "scaled" in self.changed and _alike(self.scaled, self.scores)

    @property
    def changed(self) -> frozenset[str]:
        """What is not what its equation gives; a hidden entry may hold anything that weighs 0."""
        before = self.scaled if self.bias is None else self.scaled + self.bias
        masked = np.where(self.allowed, before, self.masked)
        expected = {
            "scores": self.k @ self.q[self.head],
            "scaled": self.scores / (math.sqrt(self.k.shape[1]) if self.divides else 1),
            "masked": masked,
            "weights": _softmax(self.masked),
            "context": self.used @ self.v,
            "concat": self.context.ravel(),
        }
        made = {name: getattr(self, name) for name in expected}
        made["context"] = self.context[self.head]
        return frozenset(name for name in made if not _alike(made[name], expected[name]))

    @property
    def parts(self) -> Numbers:
        """What each key's value adds to the context, (S, K)."""
        return self.used[:, None] * self.v

    @property
    def feature(self) -> int:
        """The dimension of the context that is largest: the one worth writing out."""
        return int(np.nan_to_num(np.abs(self.context[self.head])).argmax())

    def telling(self, most: int, kept: Sequence[int]) -> list[int]:
        """The keys to draw, in order: all, or those of the largest weights and `kept`.

        Of keys that weigh the same the nearest to the first of `kept` come first; a weight that is
        NaN comes last.

        Args:
            most: how many keys are drawn. One more is drawn as well where that makes them all, for
                one box for all others would save nothing.
            kept: keys that are drawn whatever they weigh, at least one; only the first `most` of
                them.

        Returns:
            Positions of keys, from 0, ascending.
        """
        size = len(self.weights)
        if size <= most + 1:  # one box for all others would save nothing
            return list(range(size))
        far = np.abs(np.arange(size) - kept[0])
        order = np.lexsort((far, -np.nan_to_num(self.weights, nan=-1.0))).tolist()
        order = [*kept, *(each for each in order if each not in kept)]
        return sorted(order[:most])


def attention_row(trace: Trace, kind: Kind, layer: int, head: int, query: int) -> AttentionRow:
    """The numbers of one row of one head, from the query to what the attention hands on (§3.2.2).

    Args:
        trace: the run that is read, its first sentence.
        kind: which of the attentions.
        layer: counted from 0.
        head: of the queries, from 0; keys and values are those of the head that it shares them
            with.
        query: the position that looks, from 0.

    Returns:
        Every number as recorded; `used` are the weights after dropout, `bias` is None where
        distances add nothing.

    Raises:
        GlassformerError: `out_of_range` for a query beyond the sentence, `unknown_address` for a
            kind or a layer that the run does not have.
        IndexError: no such head.
    """
    where = attention_at(kind, layer)
    check_index("query", query, trace[f"{where}/q"].shape[2])

    def of_row(name: str) -> Numbers:
        found: Numbers = as_numpy(maps_at(trace, f"{where}/{name}")[0, head, query])
        return found

    config = trace.config
    asks, answers = asks_with(config, kind)
    q, context = (as_numpy(trace[f"{where}/{name}"][0, :, query]) for name in (asks, "context"))
    theirs = config.of(where).key_head(head)
    k, v = (as_numpy(trace[f"{where}/{name}"][0, theirs]) for name in (answers, "v"))
    bias = of_row("position_bias") if "biased" in stages_of(trace, kind) else None
    concat, output = (as_numpy(trace[f"{where}/{name}"][0, query]) for name in ("concat", "output"))
    used = weights = of_row("weights")
    if f"{where}/kept" in trace.tensors:
        used = weights * of_row("kept") / np.float32(1 - config.dropout)
    allowed = as_numpy(trace[f"{where}/mask"][0, head, query])
    return AttentionRow(
        head, q, k, of_row("scores"), of_row("scaled"), allowed, of_row("masked"), weights, used,
        v, context, concat, output, bias, config.score_scale,
    )  # fmt: skip


def _softmax(scores: Numbers) -> NDArray[np.float64]:
    exact = scores.astype(np.float64)
    with np.errstate(invalid="ignore"):  # a row that may look nowhere is NaN
        powers = np.exp(exact - exact.max())
    found: NDArray[np.float64] = powers / powers.sum()
    return found


def _alike(one: Numbers, other: NDArray[np.floating]) -> bool:
    finite = np.abs(other[np.isfinite(other)])
    most = float(finite.max()) if finite.size else 1.0
    return bool(np.allclose(one, other, rtol=CLOSE, atol=CLOSE * most, equal_nan=True))
