"""One matrix of two runs and their difference, cell beside cell.

The first two share a colour scale; the difference diverges about 0 on its own. What the mask
forbids is hatched, what only one run has is grey, what is no number is crossed out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import Scale, diverging, sequential
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout, colour_bar
from app.figures.triple_covers import covers
from app.figures.triple_layout import BARS, CELLS, Box, Frame, TripleLayout, axis_names
from app.figures.triple_notes import TripleTexts, beside_top, notes, pin, places
from core.reading.beside import Beside

SMALL = 1e-3  # below, the ticks of a scale are written with a power of ten
GAPS_UP_TO = 40  # lines a side; beyond, the gaps between cells would eat the cells


def triple_figure(
    found: Beside, role: str, texts: TripleTexts, look: Look, layout: TripleLayout
) -> go.Figure:
    """The three pictures; `role` is whose colour unsigned numbers have."""
    frame = Frame(found, (texts.rows, texts.columns), look, layout)
    drawn = CELLS if texts.waiting is None else CELLS[:1]
    traces: list[Any] = [_cells(found, at, role, texts, frame) for at in drawn]
    axes: dict[str, Any] = {}
    for at in drawn:
        traces += covers(found, at, texts.forbidden, texts.only, look)
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


def _cells(found: Beside, at: int, role: str, texts: TripleTexts, frame: Frame) -> go.Heatmap:
    x, y, _, _ = axis_names(at)
    three = (*found.values, found.difference)
    free = (*found.said, found.compared)
    z = np.where(free[at] & np.isfinite(three[at]), three[at], np.nan).astype(np.float32)
    limits = found.limits if at < 2 else (-found.span, found.span)
    gap = 1 if max(z.shape) <= GAPS_UP_TO else 0
    return go.Heatmap(
        z=z,
        xaxis=x,
        yaxis=y,
        zmin=limits[0],
        zmax=limits[1],
        colorscale=_scale(limits, role, frame.look),
        showscale=at != 1,
        colorbar=_bar(at, texts, frame) if at != 1 else None,
        customdata=_others(three, at),
        hoverongaps=False,
        xgap=gap,
        ygap=gap,
        hovertemplate=_hover(at, texts),
    )


def _scale(limits: tuple[float, float], role: str, look: Look) -> Scale:
    return diverging(look.dark) if limits[0] < 0 else sequential(role, look.dark)


def _others(three: Sequence[np.ndarray], at: int) -> np.ndarray:
    """The numbers of the two other pictures, (R, C, 2): a cell's hover tells all three."""
    others = [three[each] for each in CELLS if each != at]
    return np.stack(others, axis=-1).astype(np.float32)


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
    look, layout = frame.look, frame.layout
    first, second, third = frame.boxes
    if frame.in_a_row:
        box = Box(first.left, second.right, 0, 0) if at == 0 else third
        top: float = layout.height - look.px(BARS - 6)
    else:
        box = second
        top = beside_top(frame) + (0 if at == 0 else look.px(54))
    return (
        colour_bar(look)
        | {
            "orientation": "h",
            "x": box.left / layout.width,
            "xanchor": "left",
            "len": (box.right - box.left) / layout.width,
            "lenmode": "fraction",
            "xpad": 0,
            "y": 1 - top / layout.height,
            "yanchor": "top",
            "ypad": 0,
            "title": {
                "text": escape(texts.number if at == 0 else texts.steps),
                "side": "top",
                "font": {"size": look.px(12)},
            },
        }
        | (_small_ticks(frame.found.span) if at == 2 else {})
    )


def _small_ticks(span: float) -> dict[str, Any]:
    """Ends and middle of a scale whose numbers are too long to stand beside each other."""
    if span >= SMALL:
        return {}
    texts = [format_number(each, 2) for each in (-span, 0.0, span)]
    return {"tickvals": [-span, 0.0, span], "ticktext": texts, "tickangle": 0}
