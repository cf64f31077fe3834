"""Curves over a logarithmic axis, side by side, with one place on the axis marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis
from glassformer.app.plots.labels import escape, format_number
from glassformer.app.plots.marks import (
    anchored_axes,
    annotate_at,
    axis_suffix,
    axis_title,
    dotted_line,
    panel_axes,
    panel_spans,
    upright_line,
)
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks

BETWEEN = 0.055  # of the width, between two panels


@dataclass(frozen=True)
class Curve:
    """One curve."""

    name: str
    values: Sequence[float]
    colour: str
    dash: str = "solid"


@dataclass(frozen=True)
class Curves:
    """Curves that share a scale from 0."""

    title: str
    lines: Sequence[Curve]
    levels: Sequence[tuple[float, str]] = ()  # dotted heights and their names
    floor: float = 0.0


def curves_figure(
    x: Sequence[float],
    panels: Sequence[Curves],
    x_title: str,
    look: FigureStyle,
    mark: float | None = None,
    ticks: Sequence[float] = (),
) -> go.Figure:
    """A panel beside the other, each with its curves; at `mark` (one of x) their values.

    ticks: the places named on the axis, all of x without. The names of the first panel's curves
    stand above.
    """
    top = 64 if len(panels[0].lines) < 4 else 86  # titles, and a legend of one line or two
    layout = base_layout(
        look,
        least=(look.px(60 + 150 * len(panels)), 0),
        margin={
            "l": look.px(44), "r": look.px(16), "t": look.px(top), "b": look.px(46), "pad": 2,
        },
        hovermode="closest",
        showlegend=True,
        legend=legend_above(look),
        annotations=[],
        shapes=[],
    )  # fmt: skip
    traces: list[go.Trace] = []
    domains = panel_spans([1] * len(panels), BETWEEN)
    for at, (panel, domain) in enumerate(zip(panels, domains, strict=True)):
        end = axis_suffix(at)
        upwards = bare_axis(look, 12, range=_reach(panel), nticks=6) | {
            "showgrid": True, "gridcolor": look.colour("line"),
            "zeroline": True, "zerolinecolor": look.colour("line"),
        }  # fmt: skip
        layout |= anchored_axes(at, _x_axis(x, ticks or x, x_title, domain, look), upwards)
        layout["annotations"].append(panel_title(f"<b>{escape(panel.title)}</b>", domain[0], look))
        traces += _levels(panel, x, at, look)
        traces += [_curve(line, x, x_title, at, look) for line in panel.lines]
        if mark is not None:
            traces += _marked(panel, x, mark, at, look)
            where = {"xref": f"x{end}", "yref": f"y{end} domain", "layer": "below"}
            layout["shapes"].append(upright_line(mark, look, "faint", 1, "solid", **where))
    return go.Figure(traces, layout)


def panel_title(html: str, x: float, look: FigureStyle) -> dict[str, Any]:
    """The title of the panel that begins at `x` (0-1 of the width); `html` is escaped already."""
    return annotate_at(html, look, x, 1, 14, yshift=6)


def legend_above(look: FigureStyle) -> dict[str, Any]:
    """A legend on a line at the top, that only names."""
    return {
        "orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yref": "container",
        "yanchor": "top", "itemclick": False, "itemdoubleclick": False,
        "bgcolor": "rgba(0,0,0,0)", "font": {"size": look.px(14)},
    }  # fmt: skip


def _reach(panel: Curves) -> list[float]:
    heights = [value for line in panel.lines for value in line.values]
    heights += [height for height, _ in panel.levels]
    low, high = min(panel.floor, *heights), max(heights)
    room = (high - low) or 1.0
    return [low - 0.16 * room, high + 0.12 * room]


def _curve(line: Curve, x: Sequence[float], x_title: str, at: int, look: FigureStyle) -> go.Scatter:
    said = [
        escape(f"{line.name}: {look.number(value)}  ({x_title} {look.number(place)})")
        for place, value in zip(x, line.values, strict=True)
    ]
    drawn = {"color": line.colour, "width": 3, "dash": line.dash}
    named = {"name": escape(line.name), "showlegend": at == 0}
    places, heights = np.asarray(x, np.float32), np.asarray(line.values, np.float32)
    return dotted_line(places, heights, drawn, look.px(5), said, **named, **panel_axes(at))


def _marked(
    panel: Curves, x: Sequence[float], mark: float, at: int, look: FigureStyle
) -> list[go.Scatter]:
    """A dot on every curve at the mark, with its value: the lower half below, the rest above."""
    place = int(np.argmin(np.abs(np.asarray(x) - mark)))
    order = sorted(range(len(panel.lines)), key=lambda each: -panel.lines[each].values[place])
    traces = []
    for which, line in enumerate(panel.lines):
        below = order.index(which) >= (len(order) + 1) // 2
        side = _free_side(line.values, place, below)
        traces.append(
            go.Scatter(
                x=[x[place]],
                y=[line.values[place]],
                mode="markers+text",
                marker={"size": look.px(12), "color": line.colour},
                text=[f"<b>{look.number(line.values[place])}</b>"],
                textposition=f"{'bottom' if below else 'top'} {side}",
                textfont={"size": look.px(15), "color": line.colour},
                hoverinfo="skip",
                showlegend=False,
                cliponaxis=False,
                **panel_axes(at),
            )
        )
    return traces


def _free_side(values: Sequence[float], at: int, below: bool) -> str:
    """The side of a point on which its number, above or below the curve, is clear of it."""
    if at in (0, len(values) - 1):
        return "left" if at else "right"
    rises = values[at + 1] > values[at - 1]
    return "right" if rises == below else "left"


def _levels(panel: Curves, x: Sequence[float], at: int, look: FigureStyle) -> list[go.Scatter]:
    """Dotted lines, each named at the end from which the curves are further away."""
    found = []
    for height, name in panel.levels:
        starts, ends = (
            min(abs(line.values[end] - height) for line in panel.lines) for end in (0, -1)
        )
        way, side = ([min(x), max(x)], "right") if starts >= ends else ([max(x), min(x)], "left")
        found.append(
            go.Scatter(
                x=way,
                y=[height, height],
                mode="lines+text",
                line={"color": look.colour("faint"), "width": 1, "dash": "dot"},
                text=[escape(name), ""],
                textposition=f"top {side}",
                textfont=look.font(12, "faint"),
                hoverinfo="skip",
                showlegend=False,
                **panel_axes(at),
            )
        )
    return found


def _x_axis(
    x: Sequence[float], ticks: Sequence[float], title: str, domain: list[float], look: FigureStyle
) -> dict[str, Any]:
    room = 0.04 * (np.log10(max(x)) - np.log10(min(x)))
    return bare_axis(look, 12, domain=domain, type="log") | {
        "range": [float(np.log10(min(x)) - room), float(np.log10(max(x)) + room)],
        **named_ticks([format_number(float(each), 1) for each in ticks], ticks),
        "tickangle": 0,
        "title": axis_title(title, look, 4),
        "linecolor": look.colour("line"),
    }
