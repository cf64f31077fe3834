"""(B, S, D) → (B, S, H, K) → (B, H, S, K) and back (§3.2.2), every cell labelled by its origin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import torch
from torch import Tensor

from core.config import ModelConfig
from core.errors import GlassformerError
from core.lab.inputs import CELLS, whole
from core.lab.parts import seeded
from core.model.attention import MultiHeadAttention, attention_maps
from core.trace.tape import Recorder

AXES: dict[str, str] = {
    "linear": "BSD", "viewed": "BSHK", "split": "BHSK", "back": "BSHK", "concat": "BSD",
    "wrong_view": "BHSK", "wrong_concat": "BSD",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """The cells after one step; a cell is told by where it stood after the linear map."""

    key: Literal["linear", "viewed", "split", "back", "concat", "wrong_view", "wrong_concat"]
    axes: str  # a letter an axis, such as "BHSK"
    sentence: Tensor  # whole numbers, of the step's shape: b of each cell's origin
    word: Tensor  # s
    feature: Tensor  # d
    misplaced: Tensor  # bool: not the cell that belongs there

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.word.shape)


@dataclass(frozen=True)
class HeadSplit:
    """The right way there and back, and two wrong ones that raise no error."""

    steps: tuple[Step, ...]
    weights: Tensor  # (H, S, S) of sentence 0, by the model's attention
    wrong_weights: Tensor  # (H, S, S) by the same weights after the wrong view

    def step(self, key: str) -> Step:
        """One step by its key."""
        return next(each for each in self.steps if each.key == key)


def head_split(
    sentences: Any = 1, words: Any = 4, width: Any = 8, heads: Any = 2, seed: Any = 0
) -> HeadSplit:
    """Follows every cell through the split and the concatenation.

    `wrong_view` is `x.view(B, H, S, K)` without the transpose, `wrong_concat` is
    `context.reshape(B, S, D)` without the transpose back.

    Args:
        sentences: B, 1 to 4.
        words: S, 1 to 16.
        width: D, 2 to 64, even and a multiple of `heads`.
        heads: H, 1 to 16.
        seed: of the weights and vectors for the two attention maps.

    Raises:
        GlassformerError: `lab_whole`, `lab_large`, or `lab_shape` for heads that do not divide D.
    """
    sizes = (
        whole("sentences", sentences, 1, 4),
        whole("words", words, 1, 16),
        whole("width", width, 2, 64),
    )
    cells, many = sizes[0] * sizes[1] * sizes[2], whole("heads", heads, 1, 16)
    if cells > CELLS:
        raise GlassformerError("lab_large", name="width", given=cells, limit=CELLS)
    if sizes[2] % many:
        raise GlassformerError("lab_shape", name="width", given=sizes[2], needed=f"{many} × n")
    attention = _attention(sizes[2], many, whole("seed", seed, 0, 2**31))
    weights, wrong_weights = _maps(attention, sizes, many, int(seed))
    steps = _steps(attention, torch.arange(cells).view(sizes), many)
    return HeadSplit(steps, weights, wrong_weights)


@lru_cache(maxsize=8)
def _attention(width: int, heads: int, seed: int) -> MultiHeadAttention:
    config = ModelConfig(vocabulary_size=1, d_model=width, n_heads=heads, positions="none")
    return seeded(lambda: MultiHeadAttention(config), seed)


def _steps(attention: MultiHeadAttention, x: Tensor, heads: int) -> tuple[Step, ...]:
    batch, words, width = x.shape
    split = attention.split(x)  # (B, H, S, K)
    viewed = split.transpose(1, 2)  # (B, S, H, K)
    concat = viewed.flatten(-2)  # (B, S, D)
    wrong_view = x.view(batch, heads, words, width // heads)  # (B, H, S, K)
    wrong_concat = split.reshape(batch, words, width)  # (B, S, D)
    pairs = {
        "linear": (x, x),
        "viewed": (viewed, viewed),
        "split": (split, split),
        "back": (viewed, viewed),
        "concat": (concat, x),
        "wrong_view": (wrong_view, split),
        "wrong_concat": (wrong_concat, x),
    }
    return tuple(_step(key, is_, x.shape, should) for key, (is_, should) in pairs.items())


def _step(key: Any, cells: Tensor, shape: torch.Size, should: Tensor) -> Step:
    _, words, width = shape
    return Step(
        key=key,
        axes=AXES[key],
        sentence=cells // (words * width),
        word=cells // width % words,
        feature=cells % width,
        misplaced=cells != should,
    )


def _maps(
    attention: MultiHeadAttention, sizes: tuple[int, int, int], heads: int, seed: int
) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(sizes, generator=generator)  # (B, S, D)
    everything = torch.ones(1, 1, 1, 1, dtype=torch.bool)
    batch, words, width = sizes

    def wrong_view(rows: Tensor) -> Tensor:
        return rows.view(batch, heads, words, width // heads)

    q, k = attention.w_q(x), attention.w_k(x)  # (B, S, D)
    found = []
    for split in (attention.split, wrong_view):
        tape = Recorder()
        attention_maps(split(q), split(k), everything, "large_negative", tape)
        found.append(tape.tensors["weights"][0])  # (H, S, S)
    return found[0], found[1]
