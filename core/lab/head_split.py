"""(B, S, D) → (B, S, H, K) → (B, H, S, K) and back (§3.2.2), every cell labelled by its origin."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.lab.inputs import read_whole_number
from glassformer.core.lab.parts import EVERYTHING, build_seeded
from glassformer.core.model.attention import MultiHeadAttention, attention_maps
from glassformer.core.trace.tape import Recorder


@dataclass(frozen=True)
class Step:
    """The cells after one step."""

    axes: str  # a letter an axis, such as "BHSK"
    cells: Tensor  # of the step's shape: the number of each cell's place after the linear map
    word: Tensor  # the word s that it belongs to
    misplaced: Tensor  # bool: not the cell that belongs there


@dataclass(frozen=True)
class HeadSplit:
    """The right way there and back, and two wrong ones that raise no error."""

    steps: dict[str, Step]  # linear, viewed, split, back, concat, wrong_view, wrong_concat
    weights: Tensor  # (H, S, S) of sentence 0, by the model's attention
    wrong_weights: Tensor  # (H, S, S) by the same weights after the wrong view


def head_split(sentences: Any = 1, words: Any = 4, width: Any = 8, heads: Any = 2) -> HeadSplit:
    """Follows every cell through the split into heads and the concatenation (§3.2.2).

    Every cell is drawn, so few. `wrong_view` is `x.view(B, H, S, K)` without the transpose,
    `wrong_concat` is `context.reshape(B, S, D)` without the transpose back.

    Args:
        sentences: B, 1 or 2.
        words: S, 1 to 6.
        width: D, 2 to 16, a multiple of `heads`.
        heads: H, 1 to 4.

    Returns:
        The cells after each step, and attention weights of the right and the wrong view.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    b, s = read_whole_number("sentences", sentences, 1, 2), read_whole_number("words", words, 1, 6)
    h = read_whole_number("heads", heads, 1, 4)
    d = read_whole_number("width", width, 2, 16, multiple_of=h)
    attention = _attention(d, h)
    x = torch.arange(b * s * d).view(b, s, d)
    split = attention.split(x)  # (B, H, S, K)
    viewed = split.transpose(1, 2)  # (B, S, H, K)
    rows = {  # the axes, the cells that stand there, and those that belong there
        "linear": ("BSD", x, x),
        "viewed": ("BSHK", viewed, viewed),
        "split": ("BHSK", split, split),
        "back": ("BSHK", viewed, viewed),
        "concat": ("BSD", viewed.flatten(-2), x),
        "wrong_view": ("BHSK", x.view(split.shape), split),
        "wrong_concat": ("BSD", split.reshape(x.shape), x),
    }
    steps = {
        key: Step(axes, cells, cells // d % s, cells != right)
        for key, (axes, cells, right) in rows.items()
    }
    return HeadSplit(steps, *_maps(attention, x.shape, split.shape))


@lru_cache(maxsize=8)
def _attention(width: int, heads: int) -> MultiHeadAttention:
    config = ModelConfig(vocabulary_size=1, d_model=width, n_heads=heads, positions="none")
    return build_seeded(lambda: MultiHeadAttention(config))


def _maps(
    attention: MultiHeadAttention, shape: torch.Size, split: torch.Size
) -> tuple[Tensor, Tensor]:
    """The weights (H, S, S) of sentence 0 for random words, split rightly and by the wrong view."""
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))  # (B, S, D)
    q, k = attention.w_q(x), attention.w_k(x)  # (B, S, D)
    found = []
    for one, other in ((attention.split(q), attention.split(k)), (q.view(split), k.view(split))):
        tape = Recorder()
        attention_maps(one, other, EVERYTHING, "large_negative", tape)
        found.append(tape.tensors["weights"][0])
    return found[0], found[1]
