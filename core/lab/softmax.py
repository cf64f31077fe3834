"""The softmax: what could stand in its place, and why its scores are divided by √d_k."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.lab.inputs import array, read_number, read_whole_number
from glassformer.core.lab.parts import attention_stages, jacobian

SHARES: dict[str, Callable[[Tensor], Tensor]] = {
    "softmax": partial(torch.softmax, dim=-1),
    "relu": functional.relu,
    "sigmoid": torch.sigmoid,
    "l2": partial(functional.normalize, dim=-1),
}


def normalize_scores(scores: Tensor, how: str = "softmax") -> Tensor:
    """Four ways, of `SHARES`, to turn scores into weights.

    Only `softmax` sums to 1; `relu` keeps proportions but is unbounded, `sigmoid` judges every
    score alone, `l2` has length 1.

    Args:
        scores: (…, S).
        how: a key of `SHARES`.

    Returns:
        (…, S) weights.

    Raises:
        KeyError: there is no such way.
    """
    return SHARES[how](scores)


NEAR = 1e-9  # two numbers that differ by less are called equal


@dataclass(frozen=True)
class Normalised:
    """One way to turn scores into weights, and what it keeps."""

    key: str  # of `SHARES`
    weights: Tensor  # (S,)
    total: float  # Σ weights
    shifted: Tensor  # (S,) the weights when `shift` is added to every score
    stretched: Tensor  # (S,) the weights when every score is multiplied by `stretch`
    keeps: dict[str, bool]  # what is true of it for these scores


def normalisers(scores: Any, shift: Any = 1.0, stretch: Any = 2.0) -> tuple[Normalised, ...]:
    """Softmax, ReLU, sigmoid and L2 norm of one row, by `normalize_scores`.

    Args:
        scores: (S,), up to 32.
        shift: added to every score, to see what changes.
        stretch: what every score is multiplied by, to see what changes.

    Returns:
        One a way, in the order of `SHARES`: the weights, and what is true of them.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    row = array("scores", scores, limit=32)  # (S,)
    added, factor = read_number("shift", shift), read_number("stretch", stretch)
    return tuple(_one(key, normalise, row, added, factor) for key, normalise in SHARES.items())


def _one(
    key: str, normalise: Callable[[Tensor], Tensor], row: Tensor, shift: float, stretch: float
) -> Normalised:
    weights, shifted, stretched = (normalise(each) for each in (row, row + shift, row * stretch))
    total, slopes = float(weights.sum()), jacobian(normalise, row)  # (S, S)
    keeps = {
        "sums_to_one": abs(total - 1) < NEAR,
        "never_negative": bool((weights >= 0).all()),
        # Raising one score changes the weight of another.
        "competes": bool((slopes != torch.diag(slopes.diagonal())).any()),
        # Only differences of scores count; only their proportions.
        "unmoved_by_shift": bool(((shifted - weights).abs() < NEAR).all()),
        "unmoved_by_stretch": bool(((stretched - weights).abs() < NEAR).all()),
    }
    return Normalised(key, weights, total, shifted, stretched, keeps)


WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Saturation:
    """What the softmax makes of rows of scores; each of the shape of the rows."""

    spread: Tensor  # standard deviation of the scores it compares
    entropy: Tensor  # nats: 0 is one key, log S is all alike
    gradient: Tensor  # Frobenius norm of ∂ weights / ∂ scores, what learning gets through


@dataclass(frozen=True)
class Scaling:
    """Means over the queries for each width, (N,); the spread is that of all their scores."""

    d_k: int  # the one asked for
    widths: tuple[int, ...]  # N values of d_k, with it
    raw: Saturation  # softmax(q · k)
    scaled: Saturation  # softmax(q · k / √d_k)
    most: float  # log S, the entropy when all keys weigh the same


@dataclass(frozen=True)
class Row:
    """One row of scores without and with the division by √d_k."""

    scores: Tensor  # (2, S)
    weights: Tensor  # (2, S)
    made: Saturation  # two numbers each


def measure_scaling(
    d_k: Any = 64, keys: Any = 8, widths: Sequence[int] = WIDTHS, queries: int = 60, seed: int = 0
) -> Scaling:
    """Queries and keys of independent normal numbers, the softmax with and without √d_k (§3.2.1).

    Every query has keys of its own; a smaller width takes the first of the same numbers.

    Args:
        d_k: 1 to 512, measured beside `widths`.
        keys: how many a query compares, 2 to 16.
        widths: values of d_k, from 1 on.
        queries: how many rows the means are taken over.
        seed: of the numbers.

    Returns:
        Spread, entropy and gradient for each width, smallest first.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    width = read_whole_number("d_k", d_k, 1, max(WIDTHS))
    sizes, many = tuple(sorted({*widths, width})), read_whole_number("keys", keys, 2, 16)
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(queries, 1, max(sizes), generator=generator)
    k = torch.randn(queries, many, max(sizes), generator=generator)
    stages = [
        attention_stages(q[..., :size], k[..., :size]) for size in sizes
    ]  # (queries, 1, S) each
    return Scaling(
        d_k=width,
        widths=sizes,
        raw=_means(torch.stack([stage["scores"] for stage in stages])),
        scaled=_means(torch.stack([stage["scaled"] for stage in stages])),
        most=math.log(many),
    )


def one_row(scores: Any, d_k: Any) -> Row:
    """A row of scores with and without √d_k, e.g. 112 and 96 with d_k 64.

    Args:
        scores: (S,), up to 64 numbers.
        d_k: from 1 on.

    Returns:
        Scores and weights, (2, S): row 0 as given, row 1 divided.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    row = array("scores", scores, limit=64)  # (S,)
    both = torch.stack([row, row / math.sqrt(read_number("d_k", d_k, 1))])
    return Row(both, normalize_scores(both), saturation(both))


def saturation(scores: Tensor) -> Saturation:
    """What the softmax makes of rows of scores.

    Args:
        scores: (…, S).

    Returns:
        Spread, entropy in nats and gradient of each row, three tensors (…).
    """
    return Saturation(
        spread=scores.std(dim=-1, correction=0),
        entropy=torch.special.entr(normalize_scores(scores)).sum(dim=-1),
        gradient=jacobian(normalize_scores, scores).flatten(-2).norm(dim=-1),
    )


def _means(scores: Tensor) -> Saturation:
    each = saturation(scores.squeeze(-2))  # (N, rows)
    return Saturation(
        spread=scores.flatten(1).std(dim=1),
        entropy=each.entropy.mean(dim=-1),
        gradient=each.gradient.mean(dim=-1),
    )
