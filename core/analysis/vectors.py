"""The vectors of a stack as rows of numbers, and what is asked of rows: length and direction."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from glassformer.core.trace.graph import Stack
from glassformer.core.trace.tables import exact_numbers
from glassformer.core.trace.trace import Trace

Numbers = NDArray[np.float64]


def rows_at(trace: Trace, address: str) -> Numbers:
    """The vectors that are recorded at an address, in float64.

    Args:
        trace: the run that is read, its first sentence.
        address: of a (B, T, D) tensor, or of a (T, D) one.

    Returns:
        (T, D) float64.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    return exact_numbers(_rows(trace, address))


def row_at(trace: Trace, address: str, position: int) -> Numbers:
    """One row of `rows_at`.

    Args:
        trace: the run that is read, its first sentence.
        address: of a (B, T, D) tensor, or of a (T, D) one.
        position: of the row, from 0.

    Returns:
        (D,) float64.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
        IndexError: no such row.
    """
    return exact_numbers(_rows(trace, address)[position])


def column_at(trace: Trace, address: str, feature: int) -> Numbers:
    """One column of `rows_at`.

    Args:
        trace: the run that is read, its first sentence.
        address: of a (B, T, D) tensor, or of a (T, D) one.
        feature: of the column, from 0.

    Returns:
        (T,) float64.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
        IndexError: no such column.
    """
    return exact_numbers(_rows(trace, address)[:, feature])


def lengths(rows: Numbers) -> Numbers:
    """The Euclidean length of each row.

    Args:
        rows: (…, D).

    Returns:
        (…).
    """
    return np.sqrt(np.square(rows).sum(axis=-1))


def cosines(first: Numbers, second: Numbers) -> Numbers:
    """The cosine of the angle between matching rows.

    Args:
        first: (…, D).
        second: (…, D), or of a shape that broadcasts with it.

    Returns:
        (…) in −1..1; NaN for a row of length 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (first * second).sum(axis=-1) / (lengths(first) * lengths(second))
    return np.clip(found, -1.0, 1.0)


def quotients(parts: Numbers, wholes: Numbers) -> Numbers:
    """Part by whole.

    Args:
        parts: (T,) lengths.
        wholes: (T,) lengths.

    Returns:
        (T,); NaN for a whole of length 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(wholes > 0, parts / wholes, np.nan)


def side_of(stack: Stack) -> str:
    """Where what enters a stack is recorded.

    Args:
        stack: which stack.

    Returns:
        `source` or `target`.
    """
    return "source" if stack == "encoder" else "target"


def tokens_of(trace: Trace, stack: Stack) -> tuple[str, ...]:
    """The words that a stack reads.

    Args:
        trace: the run that is read.
        stack: which stack.

    Returns:
        T words.
    """
    return trace.source_tokens if stack == "encoder" else trace.target_tokens


def _rows(trace: Trace, address: str) -> Tensor:
    tensor = trace[address]
    return tensor[0] if tensor.dim() == 3 else tensor
