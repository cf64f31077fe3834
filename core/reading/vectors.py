"""The vectors of a stack as rows of numbers, and what is asked of rows: length and direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import GlassformerError
from core.reading.blocks import Stack
from core.trace.tables import as_numpy
from core.trace.trace import Trace

Numbers = NDArray[np.float64]


def rows_at(trace: Trace, address: str) -> Numbers:
    """The recorded (B, T, D) tensor of the one sentence, or a (T, D) one: (T, D) float64."""
    values = as_numpy(trace[address]).astype(np.float64)
    rows: Numbers = values[0] if values.ndim == 3 else values
    return rows


def lengths(rows: Numbers) -> Numbers:
    """The Euclidean length of each row, (…, D) -> (…)."""
    found: Numbers = np.sqrt(np.square(rows).sum(axis=-1))
    return found


def cosines(first: Numbers, second: Numbers) -> Numbers:
    """The cosine between matching rows, two (…, D) -> (…) in −1..1; NaN for a row of length 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (first * second).sum(axis=-1) / (lengths(first) * lengths(second))
    within: Numbers = np.clip(found, -1.0, 1.0)
    return within


def side_of(stack: Stack) -> str:
    """Where what enters a stack is recorded: `source` or `target`."""
    return "source" if stack == "encoder" else "target"


def tokens_of(trace: Trace, stack: Stack) -> tuple[str, ...]:
    """The words that a stack reads, (T,)."""
    return trace.source_tokens if stack == "encoder" else trace.target_tokens


def check_index(name: str, index: int, size: int) -> None:
    """Raises `GlassformerError` (`out_of_range`) unless 0 <= index < size."""
    if not 0 <= index < size:
        raise GlassformerError("out_of_range", name=name, given=index, last=size - 1)
