"""One matrix of two runs and their difference, cell beside cell.

The first two share a colour scale; the difference diverges about 0 on its own. What the mask
forbids is hatched, what only one run has is grey, what is no number is crossed out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.panels.compare.figures.triple_layout import (
    BARS,
    CELLS,
    Box,
    Frame,
    TripleLayout,
    TripleTexts,
    axis_names,
    beside_top,
    notes,
    pin,
    places,
)
from app.plots import drawing as go
from app.plots.colours import faded
from app.plots.heat import GAPS_UP_TO, crosses, heat_map, no_numbers, silent
from app.plots.labels import escape, format_number
from app.plots.theme import Look, base_layout, colour_bar, hatching
from core.analysis.comparison import Beside

SMALL = 1e-3  # below, the ticks of a scale are written with a power of ten


def triple_figure(
    found: Beside, role: str, texts: TripleTexts, look: Look, layout: TripleLayout
) -> go.Figure:
    """The three pictures; `role` is whose colour unsigned numbers have."""
    frame = Frame(found, (texts.rows, texts.columns), look, layout)
    drawn = CELLS if texts.waiting is None else CELLS[:1]
    traces: list[go.Trace] = [_cells(found, at, role, texts, frame) for at in drawn]
    axes: dict[str, Any] = {}
    for at in drawn:
        traces += covers(found, at, texts, look)
        axes |= frame.axes(at)
        _, _, x, y = axis_names(at)
        traces.append(go.Scatter(x=[None], y=[None], xaxis=x, yaxis=y, hoverinfo="skip"))
    return go.Figure(
        traces,
        base_layout(
            look,
            layout.height,
            template="none",
            margin={"l": 0, "r": 0, "t": 0, "b": 0, "pad": 2},
            hovermode="closest",
            annotations=notes(frame, texts),
            shapes=pin(found, layout.pinned, look, drawn) + places(frame, texts),
            **axes,
        ),
    )


def _axes(at: int) -> dict[str, Any]:
    x, y, _, _ = axis_names(at)
    return {"xaxis": x, "yaxis": y}


def _cells(found: Beside, at: int, role: str, texts: TripleTexts, frame: Frame) -> go.Heatmap:
    three = (*found.values, found.difference)
    free = (*found.said, found.compared)[at]
    shown = np.where(free & np.isfinite(three[at]), three[at], np.nan)
    limits = found.limits if at < 2 else (-found.span, found.span)
    gap = 1 if max(shown.shape) <= GAPS_UP_TO else 0
    # The numbers of the two other pictures, (R, C, 2): a cell's hover tells all three.
    others = np.stack([three[each] for each in CELLS if each != at], axis=-1)
    return heat_map(
        shown,
        limits,
        frame.look,
        role,
        showscale=at != 1,
        colorbar=_bar(at, texts, frame) if at != 1 else None,
        customdata=others.astype(np.float32),
        hoverongaps=False,
        xgap=gap,
        ygap=gap,
        hovertemplate=_hover(at, texts),
        **_axes(at),
    )


def _hover(at: int, texts: TripleTexts) -> str:
    parts = [f"{escape(texts.rows)} <b>%{{y}}</b>"]
    if texts.columns:
        parts.append(f"{escape(texts.columns)} <b>%{{x}}</b>")
    others = iter(range(2))
    for each in CELLS:
        number = "%{z:.5~g}" if each == at else f"%{{customdata[{next(others)}]:.5~g}}"
        name = escape(texts.titles[each])
        parts.append(f"{name}: <b>{number}</b>" if each == at else f"{name}: {number}")
    return "<br>".join(parts) + "<extra></extra>"


def _bar(at: int, texts: TripleTexts, frame: Frame) -> dict[str, Any]:
    """Of the numbers below the first, of the difference below it, or both beside it."""
    look, layout, span = frame.look, frame.layout, frame.found.span
    first, second, third = frame.boxes
    if frame.in_a_row:
        box = Box(first.left, second.right, 0, 0) if at == 0 else third
        top: float = layout.height - look.px(BARS - 6)
    else:
        box = second
        top = beside_top(frame) + (0 if at == 0 else look.px(54))
    bar = colour_bar(look, texts.number if at == 0 else texts.steps) | {
        "orientation": "h", "xpad": 0, "ypad": 0, "lenmode": "fraction",
        "x": box.left / layout.width, "xanchor": "left",
        "len": (box.right - box.left) / layout.width,
        "y": 1 - top / layout.height, "yanchor": "top",
    }  # fmt: skip
    if at == 2 and span < SMALL:  # numbers too long to stand beside each other: ends and middle
        written = [format_number(each, 2) for each in (-span, 0.0, span)]
        bar |= {"tickvals": [-span, 0.0, span], "ticktext": written, "tickangle": 0}
    return bar


def covers(found: Beside, at: int, texts: TripleTexts, look: Look) -> list[go.Trace]:
    """What lies over the cells of a picture (0, 1; 2 is the difference); each answers hover."""
    there, other = found.there
    shown = there & other if at == 2 else found.there[at]
    free = found.compared if at == 2 else found.said[at]
    values = (*found.values, found.difference)[at]
    axes, panel = _axes(at), look.colour("panel")

    def cover(cells: np.ndarray, said: str, colour: str = panel) -> go.Heatmap:
        return silent(cells, colour, f"<b>%{{y}}</b> · <b>%{{x}}</b><br>{escape(said)}", **axes)

    laid: list[go.Trace] = []
    forbidden = shown & ~free
    if forbidden.any():
        laid += [cover(forbidden, texts.forbidden), hatching(~forbidden, look, **axes)]
    for run, alone in enumerate((there & ~other, other & ~there)):
        cells = ~shown & alone
        if cells.any():
            laid.append(cover(cells, texts.only[run], faded(look.colour("line"), 0.75)))
    for name, cells in no_numbers(values, shown & free):
        laid += [cover(cells, name), crosses(cells, look, **axes)]
    return laid
