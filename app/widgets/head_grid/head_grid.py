"""All heads of one kind of attention as thumbnails; a click picks one."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app import state
from app.figures.colours import diverging, faded, sequential
from app.figures.theme import Look
from app.widgets.component import component
from core.reading.attention_views import Overview

WIDEST = 84  # pixels a thumbnail, so that a model of few heads does not fill the screen
ACROSS_RANKED = 4

_grid = component(__file__, "head_grid")


@dataclass(frozen=True)
class Thumbnail:
    """One head in the grid, or the mean of a layer's heads (head None)."""

    layer: int
    head: int | None
    name: str  # "Layer 1 · Head 3"
    short: str  # for a ranking, where a thumbnail has no row and no column
    title: str  # with what the head does
    share: str | None = None  # what the ranking is by; None where nothing is ranked
    marked: bool = False  # with a sign in its corner; the title says why
    off: bool = False  # switched off: struck through


@dataclass(frozen=True)
class GridTexts:
    """What stands beside the thumbnails, in the reader's language."""

    label: str
    rows: Sequence[str]
    columns: Sequence[str]


def head_grid(
    view: Overview, items: Sequence[Thumbnail], focus: tuple[int, int | None],
    texts: GridTexts, look: Look, on_pick: Callable[[int, int | None], None],
    key: str = "head_grid", signed: bool = False, share: float = 1.0,
) -> None:  # fmt: skip
    """Draw the grid; `on_pick(layer, head)` is called before the rerun, head None for a mean.

    The items come in reading order; those with a share are drawn one after the other. key: tells
    several grids of a page apart. signed: the levels are differences, 127 is none. share: of the
    largest size of a thumbnail.
    """

    def picked() -> None:
        value = state.trigger(key, "pick")
        if value:
            head = value.get("head")
            on_pick(int(value["layer"]), None if head is None else int(head))

    _grid(
        key=key,
        data=grid_data(view, items, focus, texts, look, signed, share),
        on_pick_change=picked,
    )


def grid_data(
    view: Overview, items: Sequence[Thumbnail], focus: tuple[int, int | None],
    texts: GridTexts, look: Look, signed: bool = False, share: float = 1.0,
) -> dict[str, Any]:  # fmt: skip
    """What is sent to the browser: a byte a cell, the colours, the texts."""
    return {
        "levels": base64.b64encode(view.levels.tobytes()).decode(),
        "heads": view.heads,
        "rows": view.levels.shape[2],
        "columns": view.levels.shape[3],
        "items": [vars(item) for item in items],
        "ranked": any(item.share is not None for item in items),
        "acrossRanked": ACROSS_RANKED,
        "focus": {"layer": focus[0], "head": focus[1]},
        "label": texts.label,
        "rowLabels": list(texts.rows),
        "columnLabels": list(texts.columns),
        "widest": look.px(WIDEST * share),
        "signed": signed,
        "scale": diverging(look.dark) if signed else sequential("weights", look.dark),
        "role": look.colour("weights"),
        "mark": look.colour("text"),
        "changed": look.colour("changed"),
        "grey": look.colour("faint"),
        "hatch": faded(look.colour("faint"), 0.7),
    }
