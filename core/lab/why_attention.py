"""An RNN, convolutions and attention on one sequence, beside the paper's Table 1 (§4).

How far back the last output can see, through how many steps, and how much gradient comes home.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.config import ModelConfig
from core.errors import GlassformerError
from core.lab.inputs import whole
from core.lab.seeded import seeded
from core.model.attention import MultiHeadAttention

Kind = Literal["recurrent", "convolution", "dilated", "attention"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HEADS = 4
LONGEST = 32  # words of a measured gradient
EVERYTHING = torch.ones(1, 1, 1, 1, dtype=torch.bool)


@dataclass(frozen=True)
class Route:
    """How the last output depends on every word, in one kind of layer; words count from 0."""

    kind: Kind
    gradients: Tensor  # (n,) ‖∂ last output / ∂ word i‖ (Frobenius)
    path: Tensor  # (n,) steps between word i and the last output, by gradients that are not 0
    sequential: int  # operations that had to wait for the one before
    layers: int  # that the measured network has

    @property
    def longest(self) -> int:
        """The maximum path length."""
        return int(self.path.max())


@dataclass(frozen=True)
class Parts:
    """The measured layers, with the same width and starting alike."""

    recurrent: nn.RNN
    convolution: nn.Conv1d
    attention: MultiHeadAttention


def routes(length: Any = 24, width: Any = 16, kernel: Any = 3, seed: Any = 0) -> tuple[Route, ...]:
    """Runs each kind on the same random words and sends gradients back from the last output.

    The convolutions look at the word and those before it; as many layers are stacked as the last
    output needs to see the first word, with the same weights; `dilated` spaces the kernel k times
    wider from layer to layer.

    Args:
        length: n, 2 to 32 words.
        width: d, 4 to 16, a multiple of 4.
        kernel: k, 2 to 9.
        seed: of weights and words.

    Raises:
        GlassformerError: `lab_whole`, or `lab_shape` for a width that is no multiple of 4.
    """
    words, wide = whole("length", length, 2, LONGEST), whole("width", width, 4, 16)
    span, start = whole("kernel", kernel, 2, 9), whole("seed", seed, 0, 2**31)
    if wide % HEADS:
        raise GlassformerError("lab_shape", name="width", given=wide, needed=f"{HEADS} × n")
    layers = parts(wide, span, start)
    generator = torch.Generator().manual_seed(start)
    x = torch.randn(words, wide, generator=generator, dtype=torch.float64)  # (n, d)
    return tuple(_route(kind, layers, x, span) for kind in KINDS)


@lru_cache(maxsize=8)
def parts(width: int, kernel: int, seed: int, dtype: torch.dtype = torch.float64) -> Parts:
    """The untrained layers; attention has 4 heads."""
    config = ModelConfig(vocabulary_size=1, d_model=width, n_heads=HEADS)
    return Parts(
        seeded(lambda: nn.RNN(width, width, batch_first=True), seed).to(dtype),
        seeded(lambda: nn.Conv1d(width, width, kernel), seed).to(dtype),
        seeded(lambda: MultiHeadAttention(config), seed).to(dtype),
    )


def recurrent(layer: nn.RNN, x: Tensor) -> list[Tensor]:
    """h_t = tanh(W x_t + b + U h_{t−1} + c), step by step: (B, n, d) -> n times (B, d)."""
    names = ("weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0")
    w, b, u, c = (layer.get_parameter(name) for name in names)
    state, states = torch.zeros_like(x[:, 0]), []
    for word in x.unbind(dim=1):
        state = torch.tanh(functional.linear(word, w, b) + functional.linear(state, u, c))
        states.append(state)
    return states


def convolutions(layer: nn.Conv1d, x: Tensor, spacings: list[int]) -> list[Tensor]:
    """Causal convolutions stacked, tanh after each: (B, n, d) -> every layer's (B, n, d)."""
    rows, outputs = x.mT, []  # (B, d, n)
    for spacing in spacings:
        padded = functional.pad(rows, ((layer.kernel_size[0] - 1) * spacing, 0))
        rows = torch.tanh(functional.conv1d(padded, layer.weight, layer.bias, dilation=spacing))
        outputs.append(rows.mT)
    return outputs


def attend(layer: MultiHeadAttention, x: Tensor) -> Tensor:
    """The model's self-attention, every word looking at all: (B, n, d) -> (B, n, d)."""
    found: Tensor = layer(x, x, EVERYTHING.to(x.device))
    return found


def spacings(kind: Kind, length: int, kernel: int) -> list[int]:
    """The dilation of each convolution that the last word needs to reach the first."""
    if kind == "convolution":
        return [1] * math.ceil((length - 1) / (kernel - 1))
    found, reach = [1], kernel  # dilated: k words, then k², k³, …
    while reach < length:
        found.append(reach)
        reach *= kernel
    return found


def _route(kind: Kind, layers: Parts, words: Tensor, kernel: int) -> Route:
    waits = _waits(kind, words.size(0), kernel)
    seen, home = _gradients(kind, layers, words, kernel, waits)
    if kind == "recurrent":
        path = seen.sum(dim=0)  # each later state passes the word on
    else:
        first = seen.int().argmax(dim=0) + 1  # the smallest stack that sees it
        path = torch.where(seen.any(dim=0), first, 0)
    return Route(
        kind=kind,
        gradients=home.norm(dim=(0, 2)),
        path=path,
        sequential=waits,
        layers=1 if kind == "recurrent" else waits,
    )


def _gradients(
    kind: Kind, layers: Parts, words: Tensor, kernel: int, waits: int
) -> tuple[Tensor, Tensor]:
    """Which words (n, d) each stage sees, bool (stages, n), and ∂ last output / ∂ words, (d, n, d).

    One pass over as many copies of the sentence as gradients are asked for: each has its own.
    """
    width = words.size(1)
    with torch.enable_grad():
        x = words.expand(waits + width, *words.shape).clone().requires_grad_()  # (copies, n, d)
        stages = _stages(kind, layers, x, kernel)  # each (copies, d)
        reached = torch.stack([stage[at].sum() for at, stage in enumerate(stages)]).sum()
        last = stages[-1][waits:].diagonal().sum()  # copy i asks for feature i
        (found,) = torch.autograd.grad(reached + last, x)
    return (found[:waits] != 0).any(dim=-1), found[waits:]


def _waits(kind: Kind, length: int, kernel: int) -> int:
    """How many stages the last output waits for."""
    if kind == "recurrent":
        return length
    return 1 if kind == "attention" else len(spacings(kind, length, kernel))


def _stages(kind: Kind, layers: Parts, x: Tensor, kernel: int) -> list[Tensor]:
    """What the last output of (B, n, d) waits for, in order: (B, d) each."""
    if kind == "recurrent":
        return recurrent(layers.recurrent, x)
    if kind == "attention":
        return [attend(layers.attention, x)[:, -1]]
    stack = convolutions(layers.convolution, x, spacings(kind, x.size(1), kernel))
    return [rows[:, -1] for rows in stack]
