"""Two runs beside each other on a screen: the lines that a long axis is cut down to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.reading.alignment import Edge
from core.reading.beside import Beside, picked


def largest_lines(found: Beside, count: int) -> Beside:
    """The `count` words of the vocabulary with the largest number in either run, as a staircase."""
    if found.rows.name != "vocabulary":
        return _turned(largest_lines(_turned(found), count))
    known = [np.where(np.isfinite(each), each, -np.inf) for each in found.values]
    both = np.maximum(known[0], known[1])  # (R, C)
    peaks = both.max(axis=1)
    best = np.argsort(-peaks, kind="stable")[:count]
    order = best[np.lexsort((-peaks[best], both.argmax(axis=1)[best]))]
    return picked(found, order, np.arange(len(found.columns)))


def fitted(found: Beside, most: int) -> Beside:
    """At most `most` cells: of neighbours that share a cell the one that moved furthest.

    So every number shown is one of the runs, and no change vanishes. Features go before words.
    """
    while len(found.rows) * len(found.columns) > most:
        rows, columns = found.rows, found.columns
        if rows.is_worded == columns.is_worded:
            across = len(columns) >= len(rows)
        else:
            across = rows.is_worded
        found = _halved(found) if across else _turned(_halved(_turned(found)))
    return found


def _turned(found: Beside) -> Beside:
    def both(arrays: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        return arrays[0].T, arrays[1].T

    return replace(
        found,
        rows=found.columns,
        columns=found.rows,
        values=both(found.values),
        there=both(found.there),
        allowed=both(found.allowed),
    )


def _halved(found: Beside) -> Beside:
    """Two neighbouring columns as one."""
    steps = np.where(found.compared, np.nan_to_num(np.abs(found.difference), nan=np.inf), -1.0)
    count = len(found.columns)
    left = np.arange(0, count, 2)
    right = np.minimum(left + 1, count - 1)
    take = np.where(steps[:, right] > steps[:, left], right, left)  # (R, C / 2)

    def both(arrays: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        one, two = (np.take_along_axis(each, take, axis=1) for each in arrays)
        return one, two

    edge: Edge = replace(found.columns.taken(left), step=found.columns.step * 2)
    return replace(
        found,
        columns=edge,
        values=both(found.values),
        there=both(found.there),
        allowed=both(found.allowed),
    )
