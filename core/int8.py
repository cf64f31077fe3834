"""Weights in eight bits: a matrix as int8, with one float32 scale a row.

A row of the largest absolute value m keeps its numbers to within m / 254. That does for the
snapshots of a training, which are there to be looked at; the finished weights are kept exactly.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from core.stored import Stored

SCALE = "/scale"  # added to the name of a matrix
LARGEST = 127


def to_int8(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices (R, C) as int8 with scales (R,), everything else as float16."""
    found: dict[str, Tensor] = {}
    for name, weight in weights.items():
        if weight.dim() != 2:
            found[name] = weight.half()
            continue
        largest = weight.float().abs().amax(dim=1)  # (R,)
        scale = torch.where(largest > 0, largest / LARGEST, torch.ones_like(largest))
        found[name] = (weight.float() / scale[:, None]).round().to(torch.int8)
        found[name + SCALE] = scale
    return found


def from_int8(stored: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of such a file in float32; other weights as they are, in float32 too."""
    return {
        name: weight.float() * stored[name + SCALE][:, None]
        if name + SCALE in stored
        else weight.float()
        for name, weight in stored.items()
        if not name.endswith(SCALE)
    }


def as_floats(header: Mapping[str, Stored]) -> dict[str, Stored]:
    """What a header says of the weights that `from_int8` gives; what does not fit stays."""
    found = dict(header)
    for name, matrix in header.items():
        scale = header.get(name + SCALE)
        if scale is not None and matrix.dtype == "I8" and scale.shape == matrix.shape[:1]:
            found[name] = Stored("F32", matrix.shape)
            if scale.is_float:
                del found[name + SCALE]
    return found
