"""Curves over a logarithmic axis, side by side, with one place on the axis marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.lab_panels import legend_above, panel_title
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout

BETWEEN = 0.055  # of the width, between two panels


@dataclass(frozen=True)
class Line:
    """One curve."""

    name: str
    values: Sequence[float]
    colour: str
    dash: str = "solid"


@dataclass(frozen=True)
class Panel:
    """Curves that share a scale from 0."""

    title: str
    lines: Sequence[Line]
    levels: Sequence[tuple[float, str]] = ()  # dotted heights and their names
    floor: float = 0.0


def curves_figure(
    x: Sequence[float],
    panels: Sequence[Panel],
    x_title: str,
    look: Look,
    mark: float | None = None,
    ticks: Sequence[float] = (),
    legend: bool = True,
) -> go.Figure:
    """A panel beside the other, each with its curves; at `mark` (one of x) their values.

    ticks: the places named on the axis, all of x without. legend: the names of the first panel's
    curves, above.
    """
    layout = base_layout(
        look,
        margin={
            "l": look.px(44),
            "r": look.px(16),
            "t": look.px(_above(panels[0])),
            "b": look.px(46),
            "pad": 2,
        },
        hovermode="closest",
        showlegend=legend,
        legend=legend_above(look),
        annotations=[],
        shapes=[],
    )
    traces = []
    share = (1 - BETWEEN * (len(panels) - 1)) / len(panels)
    for at, panel in enumerate(panels):
        end = str(at + 1) if at else ""
        domain = [at * (share + BETWEEN), at * (share + BETWEEN) + share]
        layout[f"xaxis{end}"] = _x_axis(x, ticks or x, x_title, domain, end, look)
        layout[f"yaxis{end}"] = _y_axis(_reach(panel), end, look)
        layout["annotations"].append(panel_title(f"<b>{escape(panel.title)}</b>", domain[0], look))
        traces += _levels(panel, x, end, look)
        traces += [_curve(line, x, x_title, end, look, not at) for line in panel.lines]
        if mark is not None:
            traces += _marked(panel, x, mark, end, look)
            layout["shapes"].append(_rule(mark, end, look))
    return go.Figure(traces, layout)


def _reach(panel: Panel) -> tuple[float, float]:
    heights = [value for line in panel.lines for value in line.values]
    heights += [height for height, _ in panel.levels]
    low, high = min(panel.floor, *heights), max(heights)
    room = (high - low) or 1.0
    return low - 0.16 * room, high + 0.12 * room


def _above(panel: Panel) -> int:
    """Pixels above the panels: their titles, and a legend of one line or two."""
    return 64 if len(panel.lines) < 4 else 86


def _curve(
    line: Line, x: Sequence[float], x_title: str, end: str, look: Look, named: bool
) -> go.Scatter:
    said = [
        escape(f"{line.name}: {_number(value, look)}  ({x_title} {_number(at, look)})")
        for at, value in zip(x, line.values, strict=True)
    ]
    return go.Scatter(
        x=np.asarray(x, np.float32),
        y=np.asarray(line.values, np.float32),
        xaxis=f"x{end}",
        yaxis=f"y{end}",
        name=escape(line.name),
        showlegend=named,
        mode="lines+markers",
        line={"color": line.colour, "width": 3, "dash": line.dash},
        marker={"size": look.px(5)},
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )


def _marked(panel: Panel, x: Sequence[float], mark: float, end: str, look: Look) -> list[Any]:
    """A dot on every curve at the mark, with its value: the lower half below, the rest above."""
    at = int(np.argmin(np.abs(np.asarray(x) - mark)))
    order = sorted(range(len(panel.lines)), key=lambda each: -panel.lines[each].values[at])
    traces = []
    for place, line in enumerate(panel.lines):
        below = order.index(place) >= (len(order) + 1) // 2
        side = _free_side(line.values, at, below)
        traces.append(
            go.Scatter(
                x=[x[at]],
                y=[line.values[at]],
                xaxis=f"x{end}",
                yaxis=f"y{end}",
                mode="markers+text",
                marker={"size": look.px(12), "color": line.colour},
                text=[f"<b>{_number(line.values[at], look)}</b>"],
                textposition=f"{'bottom' if below else 'top'} {side}",
                textfont={"size": look.px(15), "color": line.colour},
                hoverinfo="skip",
                showlegend=False,
                cliponaxis=False,
            )
        )
    return traces


def _free_side(values: Sequence[float], at: int, below: bool) -> str:
    """The side of a point on which its number, above or below the curve, is clear of it."""
    if at in (0, len(values) - 1):
        return "left" if at else "right"
    rises = values[at + 1] > values[at - 1]
    return "right" if rises == below else "left"


def _levels(panel: Panel, x: Sequence[float], end: str, look: Look) -> list[Any]:
    return [
        go.Scatter(
            x=[min(x), max(x)] if _is_free(panel, height) else [max(x), min(x)],
            y=[height, height],
            xaxis=f"x{end}",
            yaxis=f"y{end}",
            mode="lines+text",
            line={"color": look.colour("faint"), "width": 1, "dash": "dot"},
            text=[escape(name), ""],
            textposition=f"top {'right' if _is_free(panel, height) else 'left'}",
            textfont={"size": look.px(12), "color": look.colour("faint")},
            hoverinfo="skip",
            showlegend=False,
        )
        for height, name in panel.levels
    ]


def _is_free(panel: Panel, height: float) -> bool:
    """Whether the curves are further from a level at their left ends than at their right ends."""

    def gap(at: int) -> float:
        return min(abs(line.values[at] - height) for line in panel.lines)

    return gap(0) >= gap(-1)


def _x_axis(
    x: Sequence[float], ticks: Sequence[float], title: str, domain: list[float], end: str,
    look: Look,
) -> dict[str, Any]:  # fmt: skip
    room = 0.04 * (np.log10(max(x)) - np.log10(min(x)))
    return {
        "type": "log",
        "domain": domain,
        "anchor": f"y{end}",
        "range": [float(np.log10(min(x)) - room), float(np.log10(max(x)) + room)],
        "tickmode": "array",
        "tickvals": list(ticks),
        "ticktext": [format_number(float(each), 1) for each in ticks],
        "tickangle": 0,
        "tickfont": {"size": look.px(12), "color": look.colour("faint")},
        "title": {
            "text": escape(title),
            "standoff": 4,
            "font": {"size": look.px(13), "color": look.colour("faint")},
        },
        "showgrid": False,
        "zeroline": False,
        "linecolor": look.colour("line"),
        "fixedrange": True,
    }


def _y_axis(reach: tuple[float, float], end: str, look: Look) -> dict[str, Any]:
    return {
        "anchor": f"x{end}",
        "range": list(reach),
        "nticks": 6,
        "tickfont": {"size": look.px(12), "color": look.colour("faint")},
        "gridcolor": look.colour("line"),
        "zeroline": True,
        "zerolinecolor": look.colour("line"),
        "fixedrange": True,
    }


def _rule(mark: float, end: str, look: Look) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": f"x{end}",
        "yref": f"y{end} domain",
        "x0": mark,
        "x1": mark,
        "y0": 0,
        "y1": 1,
        "line": {"color": look.colour("faint"), "width": 1},
        "layer": "below",
    }


def _number(value: float, look: Look) -> str:
    return format_number(float(value), look.precision)
