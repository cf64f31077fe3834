"""Noise whose every number depends on its seed and its place alone.

Drawn one after the other, the noise of a cell would change as the target grows while it is written;
here each place is mixed into a number of its own (splitmix64's mixing, Steele et al. 2014), and two
of those make a normal one (Box and Muller 1958).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def normal_at(places: Sequence[Tensor], draw: int) -> Tensor:
    """Standard normal numbers, float64, one for each combination of `places`.

    Args:
        places: int64 index tensors that broadcast to the shape of the result, one an axis.
        draw: the seed.
    """
    mixed = torch.full((), _signed(draw), dtype=torch.int64)
    for place in places:
        mixed = _mix(mixed + _signed(GOLDEN) * (place + 1))
    first, second = _uniform(mixed), _uniform(_mix(mixed + _signed(GOLDEN)))
    return torch.sqrt(-2.0 * torch.log(first)) * torch.cos(2.0 * math.pi * second)


def _mix(x: Tensor) -> Tensor:
    x = (x ^ _shifted(x, 30)) * _signed(FIRST)
    x = (x ^ _shifted(x, 27)) * _signed(SECOND)
    return x ^ _shifted(x, 31)


def _uniform(x: Tensor) -> Tensor:
    """Strictly between 0 and 1."""
    return (_shifted(x, 11).double() + 0.5) * 2.0**-53


def _shifted(x: Tensor, by: int) -> Tensor:
    """A logical shift to the right; torch's own keeps the sign."""
    return (x >> by) & ((1 << (64 - by)) - 1)


def _signed(x: int) -> int:
    return x - 2**64 if x >= 2**63 else x
