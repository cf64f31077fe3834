"""All heads of one kind of attention as thumbnails; a click picks one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from glassformer.app.plots.colours import diverging_scale, sequential
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.component import CELLS, component, pack_numbers
from glassformer.core.analysis.attention_views import Overview

WIDEST = 84  # pixels a thumbnail, so that a model of few heads does not fill the screen

_grid = component(__file__, "head_grid", scripts=(CELLS,))


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
    kind: str = ""


@dataclass(frozen=True)
class GridTexts:
    """What stands beside the thumbnails, in the reader's language."""

    label: str
    rows: Sequence[str]
    columns: Sequence[str]


def head_grid(
    data: dict[str, Any], look: FigureStyle, on_pick: Callable[[int, int | None], None],
    key: str = "head_grid",
) -> None:  # fmt: skip
    """Draw what `grid_data` gives; `on_pick(layer, head)` is called, with head None for a mean."""

    def picked(value: Mapping[str, Any]) -> None:
        head = value.get("head")
        on_pick(int(value["layer"]), None if head is None else int(head))

    draw_heads(key, data, look, pick=picked)


def grid_data(
    view: Overview, items: Sequence[Thumbnail], focus: tuple[int, int | None],
    texts: GridTexts, look: FigureStyle, signed: bool = False, share: float = 1.0,
) -> dict[str, Any]:  # fmt: skip
    """What is sent of a grid: a byte a cell, the texts.

    The items come in reading order; those with a share are drawn one after the other. signed: the
    levels are differences, 127 is none. share: of the largest size of a thumbnail.
    """
    return {
        "kinds": [kind_data("", "", texts.rows, texts.columns, view)],
        "items": list(items),
        "ranked": any(item.share is not None for item in items),
        "focus": {"kind": "", "layer": focus[0], "head": focus[1]},
        "label": texts.label,
        "widest": look.px(WIDEST * share),
        "signed": signed,
    }


def kind_data(
    name: str, title: str, rows: Sequence[str], columns: Sequence[str], view: Overview
) -> dict[str, Any]:
    """One kind of attention: its title, the names of its layers and heads, its pictures."""
    return {
        "name": name,
        "title": title,
        "heads": view.heads,
        "rows": list(rows),
        "columns": list(columns),
        "levels": pack_numbers(view.levels),
        "side": view.levels.shape[2:],
    }


def draw_heads(
    key: str,
    data: dict[str, Any],
    look: FigureStyle,
    height: str = "content",
    **on: Callable[[Mapping[str, Any]], object],
) -> None:
    """Draw heads that are a grid, or switches; `on` as `component` says."""
    signed = data.get("signed", False)
    scale = diverging_scale(look.dark) if signed else sequential("weights", look.dark)
    _grid(key, data | {"scale": scale}, height=height, **on)
