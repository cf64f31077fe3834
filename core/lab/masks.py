"""Ways to apply a mask (§3.2.3), the row in which all is forbidden, and how far a NaN spreads."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from glassformer.core.lab.inputs import array, flags, read_choice
from glassformer.core.lab.parts import attention_stages, jacobian
from glassformer.core.lab.softmax import normalize_scores
from glassformer.core.model.masks import apply_mask

Way = Literal[
    "large_negative", "minus_infinity", "additive", "add_large_negative", "multiply_before",
    "multiply_after",
]  # fmt: skip
WAYS: tuple[Way, ...] = get_args(Way)
PRECISIONS = {"float16": torch.float16, "float32": torch.float32, "float64": torch.float64}
LARGE_NEGATIVE = -1e9
MOST = 16  # words on a side


@dataclass(frozen=True)
class Applied:
    """The same scores and mask, applied one way."""

    weights: Tensor  # (T, S) what the softmax gives; of `multiply_after` what the mask leaves of it
    totals: Tensor  # (T,) the sums of the rows: 1 for a mean
    leaked: Tensor  # (T,) the weight that went to forbidden words
    not_numbers: Tensor  # (T,) bool: rows with NaN
    reached: Tensor  # (T,) bool: rows with NaN once everybody has looked at everybody again
    gradient_lost: Tensor  # (T,) bool: rows with NaN in ∂ weights / ∂ scores


@dataclass(frozen=True)
class Masks:
    """All ways on one table of scores."""

    scores: Tensor  # (T, S), in the precision asked for
    allowed: Tensor  # (T, S) bool, True where the query may look
    empty: Tensor  # (T,) bool: queries that may look at nothing
    ways: dict[Way, Applied]


def masks(scores: Any, mask: Any, meaning: Any = "visible", precision: Any = "float32") -> Masks:
    """Applies one mask in six ways: the model's three, and three that are found in code.

    `large_negative` writes −1e9, `minus_infinity` writes −∞, `additive` adds 0 or −∞ (these are
    `core.model.masks.apply_mask`); `add_large_negative` adds 0 or −1e9, `multiply_before`
    multiplies the scores by 1 or 0, `multiply_after` the weights.

    Args:
        scores: (T, S), up to 256 numbers, such as 16 × 16.
        mask: (T, S) of 0 and 1.
        meaning: whether a 1 in it is "visible" or "hidden": both are in use.
        precision: of `PRECISIONS`; −1e9 is out of float16's range.

    Returns:
        The weights of every way, and what goes wrong with each.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    kind = PRECISIONS[read_choice("precision", precision, PRECISIONS)]
    hidden = read_choice("meaning", meaning, ("visible", "hidden")) == "hidden"
    table = array("scores", scores, 2, limit=MOST * MOST).to(kind)  # (T, S)
    drawn = flags("mask", mask, 2, tuple(table.shape))  # (T, S)
    allowed = ~drawn if hidden else drawn
    ways = {way: _apply(way, table, allowed) for way in WAYS}
    return Masks(table, allowed, ~allowed.any(dim=1), ways)


def masked_scores(way: Way, scores: Tensor, allowed: Tensor) -> Tensor:
    """What the softmax gets in one of the six ways.

    Args:
        way: how the mask is applied; "multiply_after" leaves the scores as they are.
        scores: (T, S).
        allowed: (T, S) bool, True where the query may look.

    Returns:
        (T, S), of the type of the scores.
    """
    if way == "multiply_after":
        return scores
    if way == "multiply_before":
        return scores * allowed
    if way == "add_large_negative":
        large = torch.tensor(LARGE_NEGATIVE).to(scores)  # in float16 it is −∞
        return scores + torch.where(allowed, torch.zeros_like(large), large)
    return apply_mask(scores[None, None], allowed[None, None], way)[0, 0]


def _weights(way: Way, scores: Tensor, allowed: Tensor) -> Tensor:
    weights = normalize_scores(masked_scores(way, scores, allowed))  # (T, S)
    return weights * allowed if way == "multiply_after" else weights


def _apply(way: Way, scores: Tensor, allowed: Tensor) -> Applied:
    weights = _weights(way, scores, allowed)  # (T, S)
    context = weights @ torch.arange(1, scores.size(1) + 1).to(scores)[:, None]  # (T, 1)
    again = attention_stages(context, context)["weights"] @ context
    slopes = jacobian(partial(_weights, way, allowed=allowed), scores)  # (T, S, S)
    return Applied(
        weights=weights,
        totals=weights.sum(dim=1),
        leaked=weights.masked_fill(allowed, 0).sum(dim=1),
        not_numbers=weights.isnan().any(dim=1),
        reached=again.isnan().any(dim=1),
        gradient_lost=slopes.isnan().flatten(1).any(dim=1),
    )
