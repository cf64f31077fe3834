"""Tensors that lie in a folder although they are computed here: what they hold, to be compared."""

import torch
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.model.embedding import position_encoding
from glassformer.core.model.rotary import rotary_frequencies

Shape = tuple[int, ...]
ELSE = torch.empty(0)  # of a shape that it cannot have


def number_positions(_config: ModelConfig, shape: Shape) -> Tensor:
    """Positions, counted from 0.

    Args:
        _config: makes no difference.
        shape: (…, S) of the tensor in the file.

    Returns:
        Of that shape, whole numbers; every row is 0, 1, … S − 1.
    """
    return torch.arange(shape[-1]).expand(shape)


def sinusoid_table(config: ModelConfig, shape: Shape) -> Tensor:
    """A table of sines and cosines (§3.5); the row of the padding, where it has one, is zero.

    Args:
        config: width, kind of positions, and the row with which they begin.
        shape: (S, D) of the tensor in the file.

    Returns:
        (S, D); where the shape is not of the model's width, a tensor of another shape, so that no
        tensor of the file equals it.
    """
    if shape[1:] != (config.d_model,):
        return ELSE
    table = position_encoding(shape[0], config.d_model, config.positions)  # (S, D)
    if config.position_offset:
        table[config.position_offset - 1] = 0
    return table


def triangle(_config: ModelConfig, shape: Shape) -> Tensor:
    """What a decoder's row may look at: ones up to the diagonal.

    Args:
        _config: makes no difference.
        shape: (…, T, S) of the tensor in the file.

    Returns:
        (…, T, S) of 0 and 1; of one axis alone a tensor of another shape, so that no tensor of the
        file equals it.
    """
    return torch.ones(shape).tril() if len(shape) > 1 else ELSE


def turns(config: ModelConfig, _shape: Shape) -> Tensor | None:
    """How fast each pair of features turns with the position (rotary positions).

    Args:
        config: the base of the frequencies and how they are scaled.
        _shape: makes no difference.

    Returns:
        (K / 2,) frequencies; None for scaled ones, as folders have these scaled, or not.
    """
    return rotary_frequencies(config) if config.rotary_scaling == "unscaled" else None
