"""Words down, places across: a cell a word at a place, with an arrow and numbers; clicks pick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.plots.labels import visible
from app.ui.component import CELLS, component
from core.analysis.attention_views import Side

# Length 0..1, cosine −1..1; None where there is no number, and then no arrow.
Arrow = tuple[float | None, float | None]

_grid = component(__file__, "depth_grid", scripts=(CELLS,))


@dataclass(frozen=True)
class Cells:
    """What stands in the cells, a row a word."""

    colours: list[list[str]]
    main: list[list[str]]  # the number
    sub: list[list[str]] | None = None  # a second one, where there is room
    arrows: list[list[Arrow]] | None = None


@dataclass(frozen=True)
class GridTexts:
    """What stands around the cells."""

    label: str  # for screen readers
    rows: str  # title above the words
    hover: str  # of a cell, with {row} {column} {main} {sub}
    columns: Sequence[tuple[str, str]]  # what is above a column: its group, its name


def depth_grid(
    key: str, words: Side, cells: Cells, focus: tuple[int, int], texts: GridTexts,
    on_pick: Callable[[int, int | None], None],
) -> None:  # fmt: skip
    """Draw it over the full height of its place.

    `on_pick(row, column)` is called before the rerun, column None for a click on the word itself.
    """

    def picked(value: Mapping[str, Any]) -> None:
        column = value.get("column")
        on_pick(int(value["row"]), None if column is None else int(column))

    data = {
        "rows": [visible(label) for label in words.labels],
        "sinks": sorted(words.sinks),
        "cells": cells,
        "focus": focus,
        "texts": texts,
    }
    _grid(key, data, height="stretch", pick=picked)
