"""The component: a row a strategy, a column a step; a click puts a word in focus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.plots.theme import Look
from app.ui.component import component

_rows = component(__file__, "strategy_rows")


@dataclass(frozen=True)
class Word:
    """One word written. share: its bar, 0..1. new: not what greedy wrote."""

    text: str
    share: float
    said: str  # the probability
    title: str  # when the mouse rests on it
    new: bool = False
    end: bool = False  # a sign, not a word
    given: bool = False  # by hand


@dataclass(frozen=True)
class Line:
    """One strategy: its name, its settings, its words, what they come to together."""

    name: str
    title: str
    about: str
    words: Sequence[Word]
    numbers: Sequence[str]


def strategy_rows(
    lines: Sequence[Line], focus: tuple[str, int], texts: Mapping[str, Any], look: Look,
    on_pick: Callable[[str, int], None],
) -> None:  # fmt: skip
    """Draw them over the full height of their place.

    `on_pick(name, step)` is called before the rerun. texts: "label", "step", "given" and
    "numbers", the titles of the columns on the right.
    """

    def picked(value: Mapping[str, Any]) -> None:
        on_pick(str(value["name"]), int(value["step"]))

    data = {"lines": list(lines), "focus": focus, "texts": dict(texts), "font": look.px(15)}
    _rows("strategy_rows", data, height="stretch", pick=picked)
