"""Softmax beside what could stand in its place, on the same scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import torch
from torch import Tensor

from core.lab.comparisons import Share, shares
from core.lab.inputs import array, number
from core.lab.measures import jacobian

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
    """Softmax, ReLU, sigmoid and L2 norm of the same row, by `core.lab.comparisons.shares`.

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
