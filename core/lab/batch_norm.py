"""Layer norm beside batch norm on a padded batch: who is averaged with whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.lab.comparisons import batch_norm_statistics
from core.lab.inputs import array, number, whole
from core.lab.layer_norms import model_norm


@dataclass(frozen=True)
class Side:
    """One normalisation; `mean` and `std` broadcast over x (B, S, D)."""

    mean: Tensor
    std: Tensor  # population deviation
    normalized: Tensor  # (B, S, D)
    moved_by_neighbours: float  # how far sentence 0 moves when it stands alone, largest cell
    moved_by_padding: float  # how far the real words move when padding is no longer counted


@dataclass(frozen=True)
class Norms:
    """Both on the same batch, whose rows after `lengths` are padding."""

    x: Tensor  # (B, S, D)
    real: Tensor  # (B, S) bool, False for padding
    layer: Side  # averages the D features of one word
    batch: Side  # averages one feature over all B · S places, padding too


def beside_batch_norm(x: Any, lengths: Any = None, epsilon: Any = 1e-6) -> Norms:
    """Layer norm by the model, batch norm as in training (Ioffe & Szegedy 2015).

    Args:
        x: (B, S, D), D at least 2; what stands in the padding counts as it is.
        lengths: (B,) how many words each sentence really has, 1 to S; None: no padding.
        epsilon: 0 to 1.

    Raises:
        GlassformerError: `lab_…` for what is no number, too large or does not fit together.
    """
    cells = array("x", x, 3)  # (B, S, D)
    cells = array("x", x, 3, (None, None, max(2, cells.size(-1))))
    batch, words, _ = cells.shape
    given = array("lengths", [words] * batch if lengths is None else lengths, 1, (batch,))
    sizes = [whole("lengths", each, 1, words) for each in given.tolist()]
    real = torch.arange(words) < torch.tensor(sizes)[:, None]  # (B, S)
    tiny = number("epsilon", epsilon, 0, 1)
    return Norms(cells, real, _layer_side(cells, sizes, tiny), _batch_side(cells, real, tiny))


def _layer_side(x: Tensor, sizes: list[int], epsilon: float) -> Side:
    width = x.size(-1)
    norm = model_norm(
        "population", epsilon, torch.ones(width, dtype=x.dtype), torch.zeros(width, dtype=x.dtype)
    )
    normalized: Tensor = norm(x)  # (B, S, D)
    apart = [norm(x[at : at + 1, :size])[0] for at, size in enumerate(sizes)]
    moved = [_most(normalized[at, : len(rows)] - rows) for at, rows in enumerate(apart)]
    return Side(
        mean=x.mean(dim=-1, keepdim=True),
        std=x.std(dim=-1, correction=0, keepdim=True),
        normalized=normalized,
        moved_by_neighbours=_most(norm(x[:1])[0] - normalized[0]),
        moved_by_padding=max(moved),
    )


def _batch_side(x: Tensor, real: Tensor, epsilon: float) -> Side:
    mean, std = batch_norm_statistics(x)  # (D,) each
    normalized = _divided(x, mean, std, epsilon)  # (B, S, D)
    alone = _divided(x[0], *batch_norm_statistics(x[:1]), epsilon)  # (S, D)
    words = x[real]  # (N, D), without the padding
    unpadded = _divided(words, *batch_norm_statistics(words), epsilon)
    return Side(
        mean=mean,
        std=std,
        normalized=normalized,
        moved_by_neighbours=_most(alone - normalized[0]),
        moved_by_padding=_most(unpadded - normalized[real]),
    )


def _divided(x: Tensor, mean: Tensor, std: Tensor, epsilon: float) -> Tensor:
    return (x - mean) / (std.square() + epsilon).sqrt()


def _most(difference: Tensor) -> float:
    return float(difference.abs().max())
