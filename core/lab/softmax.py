"""The softmax: what could stand in its place, and why its scores are divided by √d_k."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional

from core.errors import GlassformerError
from core.lab.inputs import array, number, whole
from core.lab.parts import attention, entropy, gradient_norm, jacobian, softmax

Share = Literal["softmax", "relu", "sigmoid", "l2"]


def shares(scores: Tensor, how: Share = "softmax") -> Tensor:
    """Four ways to turn scores (…, S) into weights of the same shape.

    Only `softmax` sums to 1; `relu` keeps proportions but is unbounded, `sigmoid` judges every
    score alone, `l2` has length 1.
    """
    if how == "softmax":
        return scores.softmax(dim=-1)
    if how == "relu":
        return functional.relu(scores)
    if how == "sigmoid":
        return scores.sigmoid()
    return functional.normalize(scores, dim=-1)


SHARES: tuple[Share, ...] = get_args(Share)
NEAR = 1e-9  # two numbers that differ by less are called equal


@dataclass(frozen=True)
class Normalised:
    """One way to turn scores into weights, and what it keeps."""

    key: Share
    weights: Tensor  # (S,)
    total: float  # Σ weights
    length: float  # √Σ weights²
    jacobian: Tensor  # (S, S), ∂ weight_i / ∂ score_j: off the diagonal, scores compete
    shifted: Tensor  # (S,) the weights when `shift` is added to every score
    stretched: Tensor  # (S,) the weights when every score is multiplied by `stretch`

    @property
    def sums_to_one(self) -> bool:
        return abs(self.total - 1) < NEAR

    @property
    def never_negative(self) -> bool:
        """Whether no weight is below 0."""
        return bool((self.weights >= 0).all())

    @property
    def competes(self) -> bool:
        """Whether raising one score changes the weight of another."""
        apart = self.jacobian - torch.diag(self.jacobian.diagonal())
        return bool((apart != 0).any())

    @property
    def unmoved_by_shift(self) -> bool:
        """Whether only differences of scores count."""
        return bool(((self.shifted - self.weights).abs() < NEAR).all())

    @property
    def unmoved_by_stretch(self) -> bool:
        """Whether only proportions of scores count."""
        return bool(((self.stretched - self.weights).abs() < NEAR).all())


def normalisers(scores: Any, shift: Any = 1.0, stretch: Any = 2.0) -> tuple[Normalised, ...]:
    """Softmax, ReLU, sigmoid and L2 norm of the same row, by `shares`.

    Args:
        scores: (S,), up to 32 numbers.
        shift: what is added to all scores for `shifted`.
        stretch: what they are multiplied by for `stretched`.

    Raises:
        GlassformerError: `lab_…` for what is no row of numbers.
    """
    row = array("scores", scores, limit=32)  # (S,)
    added, factor = number("shift", shift), number("stretch", stretch)
    return tuple(_one(key, partial(shares, how=key), row, added, factor) for key in SHARES)


def _one(
    key: Share, normalise: Callable[[Tensor], Tensor], row: Tensor, shift: float, stretch: float
) -> Normalised:
    weights = normalise(row)
    return Normalised(
        key=key,
        weights=weights,
        total=float(weights.sum()),
        length=float(weights.norm()),
        jacobian=jacobian(normalise, row),
        shifted=normalise(row + shift),
        stretched=normalise(row * stretch),
    )


WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
MOST_DRAWN = 2**19  # numbers drawn for one experiment


@dataclass(frozen=True)
class Saturation:
    """What the softmax makes of rows of scores; each of the shape of the rows."""

    spread: Tensor  # standard deviation of the scores it compares
    entropy: Tensor  # nats: 0 is one key, log S is all alike
    largest: Tensor  # the largest weight
    gradient: Tensor  # Frobenius norm of ∂ weights / ∂ scores, what learning gets through


@dataclass(frozen=True)
class Scaling:
    """Means over the queries for each width, (N,); the spread is that of all their scores."""

    widths: tuple[int, ...]  # N values of d_k
    raw: Saturation  # softmax(q · k)
    scaled: Saturation  # softmax(q · k / √d_k)
    most: float  # log S, the entropy when all keys weigh the same


@dataclass(frozen=True)
class Row:
    """One row of scores with and without the division."""

    scores: Tensor  # (S,)
    scaled: Tensor  # (S,) scores / √d_k
    raw_weights: Tensor  # (S,)
    scaled_weights: Tensor  # (S,)
    raw: Saturation  # numbers
    divided: Saturation  # numbers


def scaling(
    widths: Sequence[Any] = WIDTHS, keys: Any = 8, queries: Any = 96, seed: Any = 0
) -> Scaling:
    """Queries and keys of independent normal numbers, the softmax with and without √d_k.

    Every query has keys of its own; a smaller width takes the first of the same numbers.

    Args:
        widths: up to 16 values of d_k, 1 to 1024 each.
        keys: how many keys a query compares, 2 to 64.
        queries: how many rows the means are taken over, 1 to 1024.
        seed: which numbers are drawn.

    Raises:
        GlassformerError: `lab_…` for an input outside of these, or too much of them together.
    """
    sizes = tuple(whole("widths", each, 1, 1024) for each in _listed(widths))
    many, rows = whole("keys", keys, 2, 64), whole("queries", queries, 1, 1024)
    generator = torch.Generator().manual_seed(whole("seed", seed, 0, 2**31))
    drawn = (many + 1) * rows * max(sizes)
    if drawn > MOST_DRAWN:
        raise GlassformerError("lab_large", name="queries", given=drawn, limit=MOST_DRAWN)
    q = torch.randn(rows, 1, max(sizes), generator=generator)
    k = torch.randn(rows, many, max(sizes), generator=generator)
    stages = [attention(q[..., :size], k[..., :size]) for size in sizes]  # (rows, 1, S) each
    return Scaling(
        widths=sizes,
        raw=_means(torch.stack([stage["scores"] for stage in stages])),
        scaled=_means(torch.stack([stage["scaled"] for stage in stages])),
        most=math.log(many),
    )


def one_row(scores: Any, d_k: Any) -> Row:
    """A row of scores as typed, e.g. 112 and 96 with d_k 64.

    Raises:
        GlassformerError: `lab_…` for what is no row of numbers, or a d_k outside 1 to 1e6.
    """
    row = array("scores", scores, limit=64)  # (S,)
    scaled = row / math.sqrt(number("d_k", d_k, 1))
    return Row(row, scaled, softmax(row), softmax(scaled), saturation(row), saturation(scaled))


def saturation(scores: Tensor) -> Saturation:
    """What the softmax makes of scores (…, S): four tensors (…)."""
    weights = softmax(scores)
    return Saturation(
        spread=scores.std(dim=-1, correction=0),
        entropy=entropy(weights),
        largest=weights.amax(dim=-1),
        gradient=gradient_norm(softmax, scores),
    )


def _means(scores: Tensor) -> Saturation:
    each = saturation(scores.squeeze(-2))  # (N, rows)
    return Saturation(
        spread=scores.flatten(1).std(dim=1),
        entropy=each.entropy.mean(dim=-1),
        largest=each.largest.mean(dim=-1),
        gradient=each.gradient.mean(dim=-1),
    )


def _listed(widths: Sequence[Any]) -> list[Any]:
    found: list[Any] = array("widths", widths, limit=16).tolist()
    return found
