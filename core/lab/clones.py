"""One layer used N times, N copies of a layer, N layers drawn apart: what a training step moves."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.lab.inputs import read_whole_number
from glassformer.core.lab.parts import EVERYTHING, build_seeded
from glassformer.core.model.encoder import EncoderLayer

WAYS = ("shared", "copied", "drawn")  # one object N times; deep copies; each with its own start
WORDS, RATE = 6, 0.1
HEADS = 4


@dataclass(frozen=True)
class Trained:
    """A stack of N layers before and after some steps of gradient descent."""

    objects: int  # different ones among its layers
    parameters: int  # as torch counts them: each object once
    moved: Tensor  # (N, D, D) what the steps have changed in each layer's W_Q
    lengths: Tensor  # (N,) how far all parameters of a layer have moved, together
    apart_before: float  # largest difference between a parameter of two layers
    apart: float  # the same after the steps
    losses: tuple[float, float]  # before, after


def clones(layers: Any = 6, width: Any = 16, steps: Any = 1, seed: Any = 0) -> dict[str, Trained]:
    """Trains the same stack built in the three ways of `WAYS`, on the same words.

    The task: give each of six random words the vector of the next one; mean squared error, plain
    gradient descent at a rate of 0.1.

    Args:
        layers: N, 2 to 6.
        width: D, 4 to 32, a multiple of 4.
        steps: 1 to 20.
        seed: 0 to 2³¹, of the weights and the words.

    Returns:
        By way, the stack before and after the steps.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    many, start = (
        read_whole_number("layers", layers, 2, 6),
        read_whole_number("seed", seed, 0, 2**31),
    )
    wide, count = (
        read_whole_number("width", width, 4, 32, multiple_of=HEADS),
        read_whole_number("steps", steps, 1, 20),
    )
    config = ModelConfig(vocabulary_size=1, d_model=wide, n_heads=HEADS, d_ff=4 * wide, dropout=0.0)
    x = torch.randn(1, WORDS, wide, generator=torch.Generator().manual_seed(start))  # (1, S, D)
    return {way: _trained(_layers(config, way, many, start), x, count) for way in WAYS}


def _layers(config: ModelConfig, way: str, many: int, seed: int) -> list[EncoderLayer]:
    first = build_seeded(lambda: EncoderLayer(config), seed).requires_grad_()
    if way == "shared":
        return [first] * many
    if way == "copied":
        return [copy.deepcopy(first) for _ in range(many)]
    more = (build_seeded(lambda: EncoderLayer(config), seed + at) for at in range(1, many))
    return [first, *(each.requires_grad_() for each in more)]


def _trained(layers: Sequence[EncoderLayer], x: Tensor, steps: int) -> Trained:
    stack = nn.ModuleList(layers)
    before = [_flat(layer) for layer in layers]
    starts = [layer.self_attention.w_q.weight.detach().clone() for layer in layers]
    descent = torch.optim.SGD(stack.parameters(), lr=RATE)
    losses = []
    with torch.enable_grad():
        for step in range(steps + 1):
            loss = _loss(layers, x)
            losses.append(float(loss.detach()))
            if step < steps:
                descent.zero_grad()
                torch.autograd.backward(loss)
                descent.step()
    after = [_flat(layer) for layer in layers]
    ends = [layer.self_attention.w_q.weight.detach() for layer in layers]
    return Trained(
        objects=len({id(layer) for layer in layers}),
        parameters=sum(each.numel() for each in stack.parameters()),
        moved=torch.stack(ends) - torch.stack(starts),
        lengths=(torch.stack(after) - torch.stack(before)).norm(dim=-1),
        apart_before=_apart(before),
        apart=_apart(after),
        losses=(losses[0], losses[-1]),
    )


def _loss(layers: Sequence[EncoderLayer], x: Tensor) -> Tensor:
    y = x
    for layer in layers:
        y = layer(y, EVERYTHING)  # (1, S, D)
    return functional.mse_loss(y, x.roll(-1, dims=1))


def _flat(layer: EncoderLayer) -> Tensor:
    return torch.cat([each.detach().flatten() for each in layer.parameters()])


def _apart(flat: Sequence[Tensor]) -> float:
    rows = torch.stack(list(flat))  # (N, parameters)
    return float((rows.amax(dim=0) - rows.amin(dim=0)).max())
