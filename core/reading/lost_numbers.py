"""Where a run lost its numbers: the first tensor with a NaN or an infinity that nobody meant."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from core.trace.trace import Trace


@dataclass(frozen=True)
class Lost:
    """The first number that is none: its tensor, its place there (the batch too), and why.

    closed_row: the softmax of a row in which nothing may be looked at, all of it −∞.
    """

    address: str
    index: tuple[int, ...]
    closed_row: bool


def first_lost(trace: Trace) -> Lost | None:
    """The first number of a run, in computation order, that is NaN or infinite without being meant.

    `masked` scores of −∞ are meant: that is how a mask is written. None where all is well.
    """
    for address in trace:
        if address not in trace.tensors:
            continue  # left out of the run to save memory
        lost = _lost(address, trace.tensors[address])
        if lost is not None and lost.any():
            first = lost.nonzero()[0].tolist()
            return Lost(address, tuple(first), _is_closed(trace, address, first))
    return None


def _lost(address: str, values: Tensor) -> Tensor | None:
    if not values.is_floating_point():
        return None
    meant = values.isfinite()
    if address.endswith("/masked"):
        meant = meant | (values == -torch.inf)
    return ~meant


def _is_closed(trace: Trace, address: str, index: list[int]) -> bool:
    owner, _, name = address.rpartition("/")
    if name != "weights":
        return False
    masked = trace[f"{owner}/masked"]
    return bool((masked[tuple(index[:-1])] == -torch.inf).all())
