"""Tensors that lie in a folder although they are computed here: what they hold, to be compared."""

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.rotary import rotary_frequencies

Shape = tuple[int, ...]
ELSE = torch.empty(0)  # of a shape that it cannot have


def number_positions(_config: ModelConfig, shape: Shape) -> Tensor:
    """Positions, counted from 0."""
    return torch.arange(shape[-1]).expand(shape)


def sinusoid_table(config: ModelConfig, shape: Shape) -> Tensor:
    """A table of sines and cosines; the row of the padding, where it has one, is zero."""
    if shape[1:] != (config.d_model,):
        return ELSE
    table = position_encoding(shape[0], config.d_model, config.positions)  # (S, D)
    if config.position_offset:
        table[config.position_offset - 1] = 0
    return table


def triangle(_config: ModelConfig, shape: Shape) -> Tensor:
    """What a decoder's row may look at: ones up to the diagonal."""
    return torch.ones(shape).tril() if len(shape) > 1 else ELSE


def turns(config: ModelConfig, _shape: Shape) -> Tensor | None:
    """How fast each pair of features turns; None where folders have it scaled, or not."""
    return rotary_frequencies(config) if config.rotary_scaling == "unscaled" else None
