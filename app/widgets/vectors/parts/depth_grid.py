"""Words down, places across: a cell a word at a place, with an arrow and numbers; clicks pick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app import state
from app.figures.labels import visible
from app.figures.theme import Look
from app.widgets.component import component
from core.reading.attention_views import Side

# Length 0..1, cosine −1..1; None where there is no number, and then no arrow.
Arrow = tuple[float | None, float | None]

_grid = component(__file__, "depth_grid")


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
    key: str, words: Side, cells: Cells, focus: tuple[int, int], texts: GridTexts, look: Look,
    on_pick: Callable[[int, int | None], None],
) -> None:  # fmt: skip
    """Draw it over the full height of its place.

    `on_pick(row, column)` is called before the rerun, column None for a click on the word itself.
    """

    def picked() -> None:
        if value := state.trigger(key, "pick"):
            column = value.get("column")
            on_pick(int(value["row"]), None if column is None else int(column))

    data = grid_data(words, cells, focus, texts, look)
    _grid(key=key, data=data, on_pick_change=picked, height="stretch")


def grid_data(
    words: Side, cells: Cells, focus: tuple[int, int], texts: GridTexts, look: Look
) -> dict[str, Any]:
    """What is sent to the browser."""
    names = ("data", "faint", "text", "line", "page")
    return {
        "rows": [visible(label) for label in words.labels],
        "sinks": sorted(words.sinks),
        "cells": asdict(cells),
        "focus": list(focus),
        "texts": asdict(texts),
        "look": {name: look.colour(name) for name in names},
    }
