"""The vectors of a stack as rows of numbers, and what is asked of rows: length and direction."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from glassformer.core.trace.graph import Stack
from glassformer.core.trace.tables import exact_numbers
from glassformer.core.trace.trace import Trace

Numbers = NDArray[np.float64]


def rows_at(trace: Trace, address: str) -> Numbers:
    """The recorded (B, T, D) tensor of the one sentence, or a (T, D) one: (T, D) float64."""
    return exact_numbers(_rows(trace, address))


def row_at(trace: Trace, address: str, position: int) -> Numbers:
    """One row of `rows_at`: (D,) float64."""
    return exact_numbers(_rows(trace, address)[position])


def column_at(trace: Trace, address: str, feature: int) -> Numbers:
    """One column of `rows_at`: (T,) float64."""
    return exact_numbers(_rows(trace, address)[:, feature])


def lengths(rows: Numbers) -> Numbers:
    """The Euclidean length of each row, (…, D) -> (…)."""
    return np.sqrt(np.square(rows).sum(axis=-1))


def cosines(first: Numbers, second: Numbers) -> Numbers:
    """The cosine between matching rows, two (…, D) -> (…) in −1..1; NaN for a row of length 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (first * second).sum(axis=-1) / (lengths(first) * lengths(second))
    return np.clip(found, -1.0, 1.0)


def quotients(parts: Numbers, wholes: Numbers) -> Numbers:
    """Part by whole, of lengths (T,) each; NaN for a whole of length 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(wholes > 0, parts / wholes, np.nan)


def side_of(stack: Stack) -> str:
    """Where what enters a stack is recorded: `source` or `target`."""
    return "source" if stack == "encoder" else "target"


def tokens_of(trace: Trace, stack: Stack) -> tuple[str, ...]:
    """The words that a stack reads, (T,)."""
    return trace.source_tokens if stack == "encoder" else trace.target_tokens


def _rows(trace: Trace, address: str) -> Tensor:
    tensor = trace[address]
    return tensor[0] if tensor.dim() == 3 else tensor
