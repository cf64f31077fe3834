"""The component: cells of a mask with the words around them; strokes come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from app.plots.colours import faded, mix
from app.plots.labels import visible, widest
from app.plots.theme import Look
from app.session.state import BRUSHES, STROKES
from app.ui.component import CELLS, component, packed
from core.analysis.attention_views import Side
from core.interventions.masks import MaskView
from core.interventions.painting import Brush
from core.interventions.painting import Stroke as Kind

KEY = "mask_grid"
MOST_WEIGHTS = 128 * 128  # cells; of more, the line below the grid names no weight
WIDEST_ROW = 150  # pixels of a row's label; a longer one does not say what the row writes

_grid = component(__file__, KEY, scripts=(CELLS, "mask_drawing.js"))


@dataclass(frozen=True)
class Stroke:
    """One drag over the cells; `number` grows from stroke to stroke."""

    number: int
    place: str
    heads: tuple[int, ...]
    brush: Brush
    stroke: Kind
    first: tuple[int, int]
    last: tuple[int, int]


@dataclass(frozen=True)
class MaskGrid:
    """What is drawn: a mask, its words, and what a stroke would do.

    limit: rows and columns that can be painted. revision: number of the last stroke that is in
    the mask. ones: what a 1 in a cell means, "look" or "hidden".
    """

    view: MaskView
    sides: tuple[Side, Side]
    place: str
    heads: tuple[int, ...]
    limit: tuple[int, int]
    brush: str
    stroke: str
    ones: str
    revision: int
    texts: Mapping[str, str]


def mask_grid(
    grid: MaskGrid,
    look: Look,
    on_paint: Callable[[Sequence[Stroke]], None],
    on_tool: Callable[[Mapping[str, str]], None],
) -> None:
    """Draw the grid over the height of its container; the callbacks come before the rerun."""

    def painted(value: Any) -> None:
        if strokes := read_strokes(value):
            on_paint(strokes)

    def chosen(value: Any) -> None:
        if isinstance(value, dict):
            on_tool({name: value[name] for name in ("brush", "stroke") if name in value})

    _grid(KEY, grid_data(grid, look), height="stretch", paint=painted, tool=chosen)


def grid_data(grid: MaskGrid, look: Look) -> dict[str, Any]:
    """What is sent to the browser: a bit a cell and plane, the weights, the words, the colours."""
    view, (rows, columns) = grid.view, grid.sides
    planes = [each.numpy() for each in (view.allowed, view.mixed, view.changed, view.own)]
    weights = view.weights.numpy().astype(np.float32)
    labels = row_labels(rows, look)
    return {
        "place": "|".join((grid.place, *map(str, grid.heads))),
        "rows": len(rows.tokens),
        "columns": len(columns.tokens),
        "limit": list(grid.limit),
        "planes": [packed(np.packbits(each)) for each in planes],
        "mixed": bool(view.mixed.any()),
        "weights": packed(weights) if weights.size <= MOST_WEIGHTS else "",
        "closed": list(view.closed_rows),
        "rowLabels": labels,
        "columnLabels": [visible(token) for token in columns.tokens],
        "rowEnds": [token.startswith("<") for token in rows.tokens],
        "columnEnds": [token.startswith("<") for token in columns.tokens],
        "brushes": list(BRUSHES),
        "strokes": list(STROKES),
        "brush": grid.brush,
        "stroke": grid.stroke,
        "ones": grid.ones,
        "digits": look.precision,
        "revision": grid.revision,
        "colours": colours(look),
        "texts": dict(grid.texts),
    }


def colours(look: Look) -> dict[str, str]:
    """Of the canvas, by what they are for."""
    return {
        **{role: look.colour(role) for role in ("panel", "text", "line", "changed")},
        "allowed": mix(look.colour("panel"), look.colour("weights"), 0.4 if look.dark else 0.25),
        "hatch": faded(look.colour("faint"), 0.6),
    }


def row_labels(rows: Side, look: Look) -> list[str]:
    """The words down: with what their rows write, or, where one of those is long, without."""
    labels = [visible(label) for label in rows.labels]
    if max(widest(label, look.px(13)) for label in labels) <= look.px(WIDEST_ROW):
        return labels
    return [visible(token) for token in rows.tokens]


def read_strokes(value: Any) -> tuple[Stroke, ...]:
    """What the browser sent; whatever is no stroke is left out."""
    found = []
    for each in value.get("strokes", ()) if isinstance(value, dict) else ():
        try:
            found.append(_read_stroke(each))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return tuple(sorted(found, key=lambda stroke: stroke.number))


def _read_stroke(value: Mapping[str, Any]) -> Stroke:
    place, *heads = str(value["place"]).split("|")
    first, last = ((int(row), int(column)) for row, column in (value["from"], value["to"]))
    if value["brush"] not in BRUSHES or value["stroke"] not in STROKES:
        raise ValueError(value)
    if min(*first, *last) < 0:
        raise ValueError(value)
    return Stroke(
        number=int(value["number"]),
        place=place,
        heads=tuple(map(int, heads)),
        brush=cast(Brush, value["brush"]),
        stroke=cast(Kind, value["stroke"]),
        first=first,
        last=last,
    )
