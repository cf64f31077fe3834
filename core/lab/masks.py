"""Ways to apply a mask (§3.2.3), the row in which all is forbidden, and how far a NaN spreads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from core.lab.inputs import array, choice, flags, whole
from core.lab.parts import attention, jacobian, softmax
from core.model.masks import apply_mask, causal_mask

Way = Literal[
    "large_negative", "minus_infinity", "additive", "add_large_negative", "multiply_before",
    "multiply_after",
]  # fmt: skip
WAYS: tuple[Way, ...] = get_args(Way)
PRECISIONS = {"float16": torch.float16, "float32": torch.float32, "float64": torch.float64}
Meaning = Literal["visible", "hidden"]  # what a 1 in the mask that was drawn means
LARGE_NEGATIVE = -1e9
MOST = 16  # words on a side


@dataclass(frozen=True)
class Applied:
    """The same scores and mask, applied one way."""

    key: Way
    masked: Tensor  # (T, S) what the softmax gets
    weights: Tensor  # (T, S) what it gives, and for `multiply_after` what the mask leaves of it
    totals: Tensor  # (T,) the sums of the rows: 1 for a mean
    context: Tensor  # (T, V) weights @ values
    leaked: Tensor  # (T,) the weight that went to forbidden words
    differs: Tensor  # (T,) bool: not the row of `minus_infinity`, which forbids outright
    not_numbers: Tensor  # (T,) bool: rows with NaN
    reached: Tensor  # (T,) bool: rows with NaN once everybody has looked at everybody again
    gradient_lost: Tensor  # (T,) bool: rows with NaN in ∂ weights / ∂ scores


@dataclass(frozen=True)
class Masks:
    """All ways on one table of scores."""

    scores: Tensor  # (T, S), in the precision asked for
    allowed: Tensor  # (T, S) bool, True where the query may look
    empty_rows: tuple[int, ...]  # queries that may look at nothing
    ways: tuple[Applied, ...]

    def way(self, key: Way) -> Applied:
        """The result of one way."""
        return self.ways[WAYS.index(key)]


def masks(
    scores: Any,
    mask: Any,
    values: Any = None,
    meaning: Any = "visible",
    precision: Any = "float32",
) -> Masks:
    """Applies one mask in six ways: the model's three, and three that are found in code.

    `large_negative` writes −1e9, `minus_infinity` writes −∞, `additive` adds 0 or −∞ (these are
    `core.model.masks.apply_mask`); `add_large_negative` adds 0 or −1e9, `multiply_before`
    multiplies the scores by 1 or 0, `multiply_after` the weights.

    Args:
        scores: (T, S), up to 16 × 16.
        mask: (T, S) of 0 and 1.
        values: (S, V); None numbers the words 1, 2, … (V = 1).
        meaning: whether a 1 in `mask` is "visible" or "hidden": both are in use.
        precision: "float16", "float32" or "float64"; −1e9 is out of float16's range.

    Raises:
        GlassformerError: `lab_…` for what is no number, too large or does not fit together.
    """
    kind = PRECISIONS[choice("precision", precision, PRECISIONS)]
    hidden = choice("meaning", meaning, get_args(Meaning)) == "hidden"
    table = array("scores", scores, 2, limit=MOST * MOST).to(kind)  # (T, S)
    drawn = flags("mask", mask, 2, tuple(table.shape))  # (T, S)
    words = table.size(1)
    numbered = [[float(word)] for word in range(1, words + 1)]
    v = array("values", numbered if values is None else values, 2, (words, None)).to(kind)
    allowed = ~drawn if hidden else drawn
    strict = _weights("minus_infinity", table, allowed)
    return Masks(
        scores=table,
        allowed=allowed,
        empty_rows=tuple((~allowed.any(dim=1)).nonzero().flatten().tolist()),
        ways=tuple(_apply(way, table, allowed, v, strict) for way in WAYS),
    )


def causal(length: Any) -> Tensor:
    """The model's causal mask to start from, bool (T, T), True where the query may look."""
    return causal_mask(whole("length", length, 1, MOST))[0, 0]


def masked_scores(way: Way, scores: Tensor, allowed: Tensor) -> Tensor:
    """What the softmax gets: scores and allowed (T, S) -> (T, S)."""
    if way == "multiply_after":
        return scores
    if way == "multiply_before":
        return scores * allowed
    if way == "add_large_negative":
        large = torch.tensor(LARGE_NEGATIVE).to(scores)  # in float16 it is −∞
        return scores + torch.where(allowed, torch.zeros_like(large), large)
    return apply_mask(scores[None, None], allowed[None, None], way)[0, 0]


def _weights(way: Way, scores: Tensor, allowed: Tensor) -> Tensor:
    weights = softmax(masked_scores(way, scores, allowed))  # (T, S)
    return weights * allowed if way == "multiply_after" else weights


def _apply(way: Way, scores: Tensor, allowed: Tensor, values: Tensor, strict: Tensor) -> Applied:
    weights = _weights(way, scores, allowed)  # (T, S)
    context = weights @ values  # (T, V)
    near = torch.finfo(scores.dtype).eps * 4
    same = torch.isclose(weights, strict, rtol=0, atol=near, equal_nan=True).all(dim=1)
    again = attention(context, context)["weights"] @ context  # (T, V)
    return Applied(
        key=way,
        masked=masked_scores(way, scores, allowed),
        weights=weights,
        totals=weights.sum(dim=1),
        context=context,
        leaked=weights.masked_fill(allowed, 0).sum(dim=1),
        differs=~same,
        not_numbers=weights.isnan().any(dim=1),
        reached=again.isnan().any(dim=1),
        gradient_lost=_gradient_lost(partial(_weights, way, allowed=allowed), scores),
    )


def _gradient_lost(weigh: Callable[[Tensor], Tensor], scores: Tensor) -> Tensor:
    return jacobian(weigh, scores).isnan().flatten(1).any(dim=1)  # (T,)
