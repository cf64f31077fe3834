"""One head, large: who looks (down) at whom (across), and how spread out each row is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.attention_axes import (
    GAP,
    SPREAD_FROM,
    column_title,
    has_numbers,
    row_title,
    spread_axis,
    words_axis,
)
from app.figures.attention_cells import cells_of, colour_limits, colour_scale, pair_names
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout, colour_bar, hatching
from core.reading.attention_views import HeadMap, Side

CELLS = (0, 1)  # the figure's traces that are cells: words, sinks
GAPS_UP_TO = 40  # words a side; beyond, the gaps between cells would eat the cells


@dataclass(frozen=True)
class MapTexts:
    """What the figure says, in the reader's language."""

    number: str  # what a cell is: "weight"
    spread: str  # title of the bars
    spread_hover: str  # with {entropy} {most} {words}
    rows: str
    columns: str


@dataclass(frozen=True)
class MapLayout:
    """What is marked, and how large the figure is, in pixels."""

    pinned: tuple[int, int] | None = None  # (query, key)
    without_sinks: bool = False  # the colours are scaled by the other words alone
    width: int = 620
    height: int = 560

    @property
    def columns_width(self) -> float:
        """Pixels across for the words: without the row labels and the bars."""
        return self.width * SPREAD_FROM - 90

    @property
    def rows_height(self) -> float:
        """Pixels down for the words: without the column labels and the colour bar."""
        return self.height - 120


def map_figure(
    view: HeadMap, sides: tuple[Side, Side], stage: str, texts: MapTexts, look: Look,
    layout: MapLayout,
) -> go.Figure:  # fmt: skip
    """The heat map of one head at one stage, with the spread of its weights beside the rows.

    Weights run from 0 to the largest; scores are symmetric about 0. Sinks are grey. Where the mask
    has been applied, forbidden cells are hatched; their number still answers hover.
    """
    pairs = pair_names(*sides) if any(numbered_axes(sides, look, layout)) else None
    limits = colour_limits(view, sides, stage, layout.without_sinks)
    traces: list[go.Trace] = [
        _heat_map(cells_of(view.values, sides, grey), stage, grey, limits, pairs, texts, look)
        for grey in (False, True)
    ]
    if stage in ("masked", "weights") and not view.allowed.all():
        traces.append(hatching(view.allowed, look))
    traces += _spread(view, texts, look)
    return go.Figure(traces, _layout(view, sides, texts, look, layout))


def numbered_axes(sides: tuple[Side, Side], look: Look, layout: MapLayout) -> tuple[bool, bool]:
    """Whether the rows, and the columns, have no room for their words and show numbers instead."""
    rows, columns = sides
    return (
        has_numbers(rows, "query", look, layout.rows_height),
        has_numbers(columns, "key", look, layout.columns_width),
    )


def _heat_map(
    cells: np.ndarray, stage: str, grey: bool, limits: tuple[float, float],
    pairs: np.ndarray | None, texts: MapTexts, look: Look,
) -> go.Heatmap:  # fmt: skip
    # Python sends no token per cell: plotly.js writes the label of a tick for %{x} and %{y}.
    names = "%{text}" if pairs is not None else "<b>%{y}</b> → <b>%{x}</b>"
    gap = 1 if max(cells.shape) <= GAPS_UP_TO else 0
    return go.Heatmap(
        z=cells,
        text=None if pairs is None else np.where(np.isnan(cells), "", pairs),
        colorscale=colour_scale(stage, grey, look),
        zmin=limits[0],
        zmax=limits[1],
        showscale=not grey,
        colorbar=colour_bar(look, texts.number)
        | {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yanchor": "top", "ypad": 8}
        | {"len": SPREAD_FROM - GAP, "xpad": 0, "title": {"text": ""}},
        xgap=gap,
        ygap=gap,
        hoverongaps=False,
        hovertemplate=f"{names}<br>{escape(texts.number)} %{{z:.7~g}}<extra></extra>",
    )


def _spread(view: HeadMap, texts: MapTexts, look: Look) -> list[go.Bar]:
    """A bar a row: its entropy, on the outline of the largest entropy that the row could have."""
    places = np.arange(len(view.entropy))
    shared = {"orientation": "h", "y": places, "xaxis": "x2", "width": 0.62}
    said = [
        texts.spread_hover.format(
            entropy=format_number(float(spread), look.precision),
            most=format_number(float(most), look.precision),
            words=format_number(float(np.exp(spread)), look.precision),
        )
        for spread, most in zip(view.entropy, view.most, strict=True)
    ]
    return [
        go.Bar(x=view.most, marker={"color": look.colour("line")}, hoverinfo="skip", **shared),
        go.Bar(
            x=view.entropy,
            marker={"color": look.colour("weights")},
            hovertext=said,
            hovertemplate="%{hovertext}<extra></extra>",
            **shared,
        ),
    ]


def _layout(
    view: HeadMap, sides: tuple[Side, Side], texts: MapTexts, look: Look, layout: MapLayout
) -> dict[str, Any]:
    (query, key), (rows, columns) = layout.pinned or (None, None), sides
    across = words_axis(columns, key, "key", look, layout.columns_width)
    across |= {"domain": [0, SPREAD_FROM - GAP], "title": column_title(texts.columns, look)}
    most = max(float(view.most.max()), 0.1)
    return base_layout(
        look,
        layout.height,
        template="none",
        xaxis=across,
        yaxis=words_axis(rows, query, "query", look, layout.rows_height),
        xaxis2=spread_axis(most, texts.spread, look),
        barmode="overlay",
        margin={"l": look.px(64), "r": look.px(18), "t": 8, "b": look.px(40), "pad": 2},
        shapes=_frame(layout.pinned, look),
        annotations=[row_title(texts.rows, look, "query")],
        hovermode="closest",
    )


def _frame(pinned: tuple[int, int] | None, look: Look) -> list[dict[str, Any]]:
    if pinned is None:
        return []
    query, key = pinned
    across, down = {"x0": key - 0.5, "x1": key + 0.5}, {"y0": query - 0.5, "y1": query + 0.5}
    # From the words to the cell, for those who sit far away.
    way = {"x0": -0.5, "x1": key - 0.5} | down, {"y0": -0.5, "y1": query - 0.5} | across
    return [
        {"type": "rect", "name": name, "line": {"color": look.colour(role), "width": width}} | box
        for name, role, width, box in (
            ("row", "query", 2, way[0]),
            ("column", "key", 2, way[1]),
            ("pinned", "text", 3, across | down),
        )
    ]
