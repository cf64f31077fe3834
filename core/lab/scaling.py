"""Why the scores are divided by √d_k (§3.2.1, footnote 4), measured on random queries and keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.errors import GlassformerError
from core.lab.inputs import array, number, whole
from core.lab.measures import attention, entropy, gradient_norm, softmax

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
