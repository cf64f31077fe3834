"""One matrix of two runs and their difference, cell beside cell.

The first two share a colour scale; the difference diverges about 0 on its own. What the mask
forbids is hatched, what only one run has is grey, what is no number is crossed out.
"""

from typing import Any

import numpy as np

from glassformer.app.panels.compare.figures.triple_layout import (
    BARS,
    CELLS,
    Box,
    Frame,
    axis_names,
    frame_notes,
    pin_frame,
)
from glassformer.app.panels.compare.wording import number_name
from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import fade_colour
from glassformer.app.plots.heat import GAPS_UP_TO, cross_cells, heat_map, hover_cells, no_numbers
from glassformer.app.plots.labels import escape, format_number
from glassformer.app.plots.theme import base_layout, colour_bar, hatch_cells
from glassformer.app.words import say
from glassformer.core.trace.sites import site_at

SMALL = 1e-3  # below, the ticks of a scale are written with a power of ten


def triple_figure(frame: Frame) -> go.Figure:
    """The three pictures, or the first alone."""
    traces: list[go.Trace] = [_cells(frame, at) for at in frame.drawn]
    axes: dict[str, Any] = {}
    for at in frame.drawn:
        traces += _covers(frame, at)
        axes |= frame.axes(at)
        _, _, x, y = axis_names(at)
        traces.append(go.Scatter(x=[None], y=[None], xaxis=x, yaxis=y, hoverinfo="skip"))
    return go.Figure(
        traces,
        base_layout(
            frame.look,
            frame.layout.height,
            template="none",
            margin={"l": 0, "r": 0, "t": 0, "b": 0, "pad": 2},
            hovermode="closest",
            annotations=frame_notes(frame),
            shapes=pin_frame(frame),
            **axes,
        ),
    )


def _axes(at: int) -> dict[str, Any]:
    x, y, _, _ = axis_names(at)
    return {"xaxis": x, "yaxis": y}


def _cells(frame: Frame, at: int) -> go.Heatmap:
    found = frame.found
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
        site_at(found.address).role,
        showscale=at != 1,
        colorbar=_bar(frame, at) if at != 1 else None,
        customdata=others.astype(np.float32),
        hoverongaps=False,
        xgap=gap,
        ygap=gap,
        hovertemplate=_hover(frame, at),
        **_axes(at),
    )


def _hover(frame: Frame, at: int) -> str:
    rows, columns = map(escape, frame.axis_words)
    parts = [f"{rows} <b>%{{y}}</b>"]
    if columns:
        parts.append(f"{columns} <b>%{{x}}</b>")
    others = iter(range(2))
    for each, title in enumerate((*frame.titles, say("beside.difference"))):
        number = "%{z:.5~g}" if each == at else f"%{{customdata[{next(others)}]:.5~g}}"
        name = escape(title)
        parts.append(f"{name}: <b>{number}</b>" if each == at else f"{name}: {number}")
    return "<br>".join(parts) + "<extra></extra>"


def _bar(frame: Frame, at: int) -> dict[str, Any]:
    """Of the numbers below the first, of the difference below it, or both beside it."""
    look, layout, span = frame.look, frame.layout, frame.found.span
    first, second, third = frame.boxes
    if not frame.in_a_corner:
        box = Box(first.left, second.right, 0, 0) if at == 0 else third
        top: float = layout.height - look.px(BARS - 6)
    else:
        box = second
        top = frame.top(2) + (0 if at == 0 else look.px(54))
    title = say(f"beside.steps_{frame.kind}")
    if at == 0:
        title = number_name(frame.found.address).capitalize()
        title = title if frame.plain else say("beside.scale", number=title)
    bar = colour_bar(look, title) | {
        "orientation": "h", "xpad": 0, "ypad": 0, "lenmode": "fraction",
        "x": box.left / layout.width, "xanchor": "left",
        "len": (box.right - box.left) / layout.width,
        "y": 1 - top / layout.height, "yanchor": "top",
    }  # fmt: skip
    if at == 2 and span < SMALL:  # numbers too long to stand beside each other: ends and middle
        written = [format_number(each, 2) for each in (-span, 0.0, span)]
        bar |= {"tickvals": [-span, 0.0, span], "ticktext": written, "tickangle": 0}
    return bar


def _covers(frame: Frame, at: int) -> list[go.Trace]:
    """What lies over the cells of a picture (0, 1; 2 is the difference); each answers hover."""
    found, look = frame.found, frame.look
    there, other = found.there
    shown = there & other if at == 2 else found.there[at]
    free = found.compared if at == 2 else found.said[at]
    values = (*found.values, found.difference)[at]
    axes, panel = _axes(at), look.colour("panel")

    def cover(cells: np.ndarray, said: str, colour: str = panel) -> go.Heatmap:
        return hover_cells(
            cells, colour, f"<b>%{{y}}</b> · <b>%{{x}}</b><br>{escape(said)}", **axes
        )

    laid: list[go.Trace] = []
    forbidden = shown & ~free
    if forbidden.any():
        laid += [cover(forbidden, say("beside.forbidden")), hatch_cells(~forbidden, look, **axes)]
    for run, alone in enumerate((there & ~other, other & ~there)):
        cells = ~shown & alone
        if cells.any():
            only = say(f"beside.only_{frame.kind}_{run}")
            laid.append(cover(cells, only, fade_colour(look.colour("line"), 0.75)))
    for name, cells in no_numbers(values, shown & free):
        laid += [cover(cells, name), cross_cells(cells, look, **axes)]
    return laid
