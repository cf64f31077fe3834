"""Undo and redo as one frozen value, and what two experiments do not share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from core.edits.experiment import Experiment
from core.edits.switch import Switch

NOTHING = Experiment()
LONGEST = 100  # steps that can be undone

T = TypeVar("T")


@dataclass(frozen=True)
class History(Generic[T]):
    """What is there now, what was before (latest last) and what was undone (next last)."""

    now: T
    past: tuple[T, ...] = ()
    future: tuple[T, ...] = ()

    def having(self, new: T) -> History[T]:
        """A step further; what had been undone is forgotten. The same again is no step."""
        if new == self.now:
            return self
        return History(new, (*self.past, self.now)[-LONGEST:])

    def undone(self) -> History[T]:
        """A step back; itself at the start."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (*self.future, self.now))

    def redone(self) -> History[T]:
        """A step forward again; itself where nothing was undone."""
        if not self.future:
            return self
        return History(self.future[-1], (*self.past, self.now), self.future[:-1])


@dataclass(frozen=True)
class Comparison:
    """Two experiments beside each other, by their switches."""

    both: tuple[Switch, ...]
    only_first: tuple[Switch, ...]
    only_second: tuple[Switch, ...]

    @property
    def same(self) -> bool:
        """Whether they switch the same things; the order may still differ."""
        return not (self.only_first or self.only_second)


def compare(first: Experiment, second: Experiment) -> Comparison:
    """What two experiments share and what only one of them has, each in its own order."""
    return Comparison(
        both=tuple(each for each in first.switches if each in second),
        only_first=tuple(each for each in first.switches if each not in second),
        only_second=tuple(each for each in second.switches if each not in first),
    )
