"""Which line of one run stands beside which line of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest

import numpy as np

Place = tuple[int | None, int | None]  # in the first run, in the second
NONE = -1  # the index of a line that a run does not have


def paired(first: Sequence[str], second: Sequence[str], by_place: bool) -> tuple[Place, ...]:
    """Which word of one sentence stands beside which of the other.

    By their places, or, where the lengths differ and it is not asked for, by the words that both
    have; a stretch of other words is paired from its left.
    """
    if by_place or len(first) == len(second):
        return tuple(zip_longest(range(len(first)), range(len(second))))
    found: list[Place] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for _, a, a_end, b, b_end in matcher.get_opcodes():
        found += zip_longest(range(a, a_end), range(b, b_end))
    return tuple(found)


@dataclass(frozen=True)
class Edge:
    """The rows or the columns of the pictures: for each line its index in either run, or `NONE`.

    With a `step` above 1 a line stands for `step` neighbours, the first of which is given.
    """

    name: str  # of the axis; "" where there is one number a row
    places: tuple[np.ndarray, np.ndarray]  # (n,) integers each
    words: tuple[tuple[str, ...], ...] | None = None  # of the whole axis, in either run
    step: int = 1

    def __len__(self) -> int:
        return len(self.places[0])

    def word(self, run: int, line: int) -> str | None:
        """The word of a line in a run; None where the run has none."""
        at = int(self.places[run][line])
        if self.words is None or self.step > 1 or at == NONE:
            return None
        return self.words[run][at]

    @property
    def is_worded(self) -> bool:
        """Whether every line is a word of its own."""
        return self.words is not None and self.step == 1

    def line_of(self, run: int, index: int | None) -> int | None:
        """The line that shows an index of a run."""
        if index is None:
            return None
        found = np.flatnonzero(self.places[run] == index)
        return int(found[0]) if len(found) else None

    def alone(self, run: int) -> int:
        """How many lines only this run has."""
        return int((self.places[0 if run else 1] == NONE).sum())

    def taken(self, lines: np.ndarray) -> Edge:
        """Some of the lines."""
        return replace(self, places=(self.places[0][lines], self.places[1][lines]))
