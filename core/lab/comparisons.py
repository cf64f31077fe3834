"""What could stand in place of softmax and layer norm, and attention as a soft dictionary."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

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


def soft_lookup(weights: Tensor, values: Tensor) -> Tensor:
    """A dictionary that answers with a mixture: weights (…, S) and values (S, K) -> (…, K)."""
    return weights @ values


def batch_norm_statistics(x: Tensor) -> tuple[Tensor, Tensor]:
    """What batch norm averages over: mean and population deviation of each feature.

    x (B, S, D) -> two (D,), over batch and positions; layer norm takes them over D instead.
    """
    flat = x.flatten(0, -2)  # (B · S, D)
    return flat.mean(dim=0), torch.std(flat, dim=0, correction=0)
