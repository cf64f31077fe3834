"""So many right of so many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Tally:
    """So many right of so many."""

    right: int = 0
    total: int = 0

    def add(self, right: bool) -> None:
        self.right, self.total = self.right + right, self.total + 1

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.right + other.right, self.total + other.total)

    @property
    def mistakes(self) -> int:
        return self.total - self.right

    @property
    def rate(self) -> float:
        return self.right / self.total if self.total else float("nan")

    def to_dict(self) -> dict[str, Any]:
        return {"right": self.right, "total": self.total, "rate": round(self.rate, 4)}

    def __str__(self) -> str:
        return f"{100 * self.rate:.1f} %" if self.total else "–"


def tally(judged: Iterable[bool]) -> Tally:
    """Counts the true ones."""
    marks = list(judged)
    return Tally(sum(marks), len(marks))


def both_right(right: Sequence[bool]) -> Tally:
    """Sentences judged one after the other, two readings each: right if both are."""
    return tally(right[i] and right[i + 1] for i in range(0, len(right), 2))


def best(tallies: Mapping[str, Tally], among: str = "") -> tuple[str, Tally] | None:
    """The name and tally with the highest rate, of the names that contain `among`."""
    counted = [(name, t) for name, t in tallies.items() if among in name and t.total]
    return max(counted, key=lambda item: item[1].rate, default=None)
