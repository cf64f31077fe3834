"""Pre-norm against post-norm over depth, with and without the residual (§5.4; Xiong et al. 2020).

An untrained encoder, the words' vectors followed upwards and the gradient followed back down.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.config import ModelConfig, NormPlace
from glassformer.core.lab.inputs import read_whole_number
from glassformer.core.lab.parts import EVERYTHING, build_seeded
from glassformer.core.model.encoder import Encoder
from glassformer.core.trace.tape import Edit, Recorder

WORDS = 6  # random vectors that stand for a sentence
HEADS = 4


@dataclass(frozen=True)
class Stack:
    """One encoder of L layers; entry 0 is the input, entry l what layer l gives."""

    place: NormPlace
    residual: bool  # around every sub-layer; False: cut
    span: int  # without it, layers that one skip leads around; 0: there is none
    lengths: Tensor  # (L + 1,) mean length of a word's vector
    gradients: Tensor  # (L + 1,) length of ∂ loss / ∂ that layer's output
    likeness: Tensor  # (L + 1,) mean cosine between two different words: 1, all are alike

    @property
    def gradient_ratio(self) -> float:
        """The gradient that reaches the input over the one at the top."""
        return float(self.gradients[0] / self.gradients[-1])


def measure_depth(
    layers: Any = 8, width: Any = 32, seed: Any = 0, span: Any = 0
) -> tuple[Stack, ...]:
    """Measures post-norm, post-norm cut, pre-norm and pre-norm cut by the model's own encoder.

    With a span the cut ones have other skips: one around each `span` layers, x + layers(x), with
    post-norm normed behind the sum. At a layer inside a span what is measured is what the layer
    gives: the skip is not in it yet.

    All four start from the same weights and read the same input. The loss is a fixed random
    direction of the last layer's output (before any final norm), of length 1 for each word, so that
    gradients of different depths compare.

    Args:
        layers: L, 1 to 12.
        width: d_model, a multiple of 4 from 8 to 64.
        seed: 0 to 2³¹, of the weights, the words and the direction.
        span: layers that a skip leads around, 0 to 12; 0 for no skip. What is left at the top has
            one around fewer layers.

    Returns:
        The four stacks in this order; "cut" is without the residual around every sub-layer.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    many, start = (
        read_whole_number("layers", layers, 1, 12),
        read_whole_number("seed", seed, 0, 2**31),
    )
    wide = read_whole_number("width", width, 8, 64, multiple_of=HEADS)
    around = read_whole_number("span", span, 0, 12)
    return tuple(
        _measure(many, wide, start, place, 0 if residual else around, residual)
        for place in get_args(NormPlace)
        for residual in (True, False)
    )


@lru_cache(maxsize=8)
def encoder(layers: int, width: int, seed: int, place: NormPlace) -> Encoder:
    """The untrained encoder; two places of the norm start from the same weights.

    Args:
        layers: L.
        width: d_model, a multiple of 4; the feed-forward network has 4 times as many units.
        seed: of the weights.
        place: of the norm, "post" or "pre".

    Returns:
        The encoder, shared by all who ask for it: not to be written to.
    """
    config = ModelConfig(
        vocabulary_size=1,
        d_model=width,
        n_heads=HEADS,
        encoder_layers=layers,
        d_ff=4 * width,
        dropout=0.0,
        norm_place=place,
    )
    return build_seeded(lambda: Encoder(config), seed)


def _measure(
    layers: int, width: int, seed: int, place: NormPlace, span: int, residual: bool
) -> Stack:
    model = encoder(layers, width, seed, place)
    generator = torch.Generator().manual_seed(seed)
    x, direction = torch.randn(2, 1, WORDS, width, generator=generator)  # (1, S, D) each
    edits = () if residual else (Edit("*_residual/stream", torch.zeros_like),)
    with torch.enable_grad():
        rows = [x.requires_grad_()]  # L + 1 times (1, S, D)
        entered = rows[0]  # where the skip begins
        for at, layer in enumerate(model.layers, start=1):
            row = layer(rows[-1], EVERYTHING, Recorder(edits))
            if span and (at % span == 0 or at == layers):
                row = row + entered
                entered = row = functional.layer_norm(row, [width]) if place == "post" else row
            rows.append(row)
        loss = (rows[-1] * functional.normalize(direction, dim=-1)).sum()
    gradients = torch.autograd.grad(loss, rows)
    states = torch.cat(rows).detach()  # (L + 1, S, D)
    unit = functional.normalize(states, dim=-1)
    cosines = unit @ unit.transpose(-2, -1)  # (L + 1, S, S)
    return Stack(
        place=place,
        residual=residual,
        span=span,
        lengths=states.norm(dim=-1).mean(dim=-1),
        gradients=torch.stack([each.norm() for each in gradients]),
        likeness=(cosines.sum(dim=(-2, -1)) - WORDS) / (WORDS * (WORDS - 1)),
    )
