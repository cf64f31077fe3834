"""H small matrices and a concatenation are one large matrix and a split (§3.2.2)."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.lab.inputs import read_whole_number
from glassformer.core.lab.parts import build_seeded
from glassformer.core.model.attention import MultiHeadAttention


@dataclass(frozen=True)
class OneMatrix:
    """The queries of S words in H heads, both ways; K = D / H."""

    x: Tensor  # (S, D)
    small: Tensor  # (H, D, K) a matrix of its own for every head
    large: Tensor  # (D, D) the same side by side
    apart: Tensor  # (H, S, K) x times each small one
    split: Tensor  # (H, S, K) x times the large one, split by the model's own attention

    @property
    def difference(self) -> float:
        """The largest between the two."""
        return float((self.apart - self.split).abs().max())


def one_matrix(words: Any = 3, width: Any = 4, heads: Any = 2, seed: Any = 0) -> OneMatrix:
    """An untrained W_Q on random words, cut into the heads' own matrices and whole (§3.2.2).

    Args:
        words: S, 1 to 4.
        width: D, 2 to 12, a multiple of `heads`.
        heads: H, 1 to 4.
        seed: 0 to 2³¹, of the weights and the words.

    Returns:
        The queries both ways.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    many, h = read_whole_number("words", words, 1, 4), read_whole_number("heads", heads, 1, 4)
    d, start = (
        read_whole_number("width", width, 2, 12, multiple_of=h),
        read_whole_number("seed", seed, 0, 2**31),
    )
    config = ModelConfig(vocabulary_size=1, d_model=d, n_heads=h)
    attention = build_seeded(lambda: MultiHeadAttention(config), start)
    x = torch.randn(many, d, generator=torch.Generator().manual_seed(start))  # (S, D)
    return both_ways(attention, x)


@torch.no_grad()
def both_ways(attention: MultiHeadAttention, x: Tensor) -> OneMatrix:
    """The queries of an attention for some words: by matrices of its heads, and as it does it.

    Args:
        attention: of H heads.
        x: (S, D).

    Returns:
        The queries both ways.
    """
    linear, heads = attention.w_q, attention.config.n_heads
    large = linear.weight.T  # (D, D), torch keeps it transposed
    small = torch.stack(large.chunk(heads, dim=1))  # (H, D, K)
    apart = x @ small  # (H, S, K)
    if linear.bias is not None:
        apart = apart + linear.bias.view(heads, 1, -1)
    return OneMatrix(x, small, large, apart, attention.split(linear(x[None]))[0])
