"""How positions relate: dot products, and one position as a turn of another.

Dot products stand as a matrix, and against the distance between two positions. Of a turn, a pair of
features is the hand of a clock, beside what is missed: across is the first feature of the pair (the
sine), upwards the second (the cosine), so that position 0 stands at twelve and time goes clockwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.pages.vectors.positions.figures.position_map import position_axis
from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import fade_colour
from glassformer.app.plots.heat import cell_gaps, heat_map
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.marks import annotate_at, axis_title, cell_frame, word_pairs
from glassformer.app.plots.theme import FigureStyle, base_layout, colour_bar
from glassformer.app.words import say
from glassformer.core.analysis.positions import ByOffset

WIDTH, HEIGHT = 900, 540
MATRIX, LINES = (0.0, 0.56), (0.67, 1.0)  # shares of the width
CLOCK, BARS = (0.0, 0.56), (0.68, 1.0)
EDGE = 1.4  # of the largest number, how far the clock's axes go
NEAREST = 15  # pixels between two points that are both named
FLOOR = 1e-8  # residuals below are drawn there: the logarithm has no 0
STEPS = (1, 2, 5, 8, 16, 32, 64)  # between the ticks of the matrix
SECOND = {"xaxis": "x2", "yaxis": "y2"}  # the axes of the right half


@dataclass(frozen=True)
class Turn:
    """What is drawn of one pair."""

    points: np.ndarray  # (L, 2) the pair's two numbers at every position
    curve: np.ndarray  # (N, 2) between t and t + k
    start: int  # t
    end: int  # t + k
    carried: np.ndarray  # (2,) R_k applied to the numbers at t
    worst: np.ndarray  # (D / 2,) the largest residual of each pair
    pair: int


def dots_figure(
    dots: np.ndarray,
    lines: ByOffset,
    tokens: Sequence[str],
    two: tuple[int, int],
    look: FigureStyle,
) -> go.Figure:
    """Dot products (L, L); `two` is the pair in focus, whose whole diagonal is drawn.

    Curve 0 is the matrix.
    """
    length, offset = len(dots), abs(two[0] - two[1])
    chosen = go.Scatter(
        x=[offset],
        y=[lines.mean[offset]],
        mode="markers",
        marker={"size": 14, "color": "rgba(0,0,0,0)", "line": _ring(look)},
        hoverinfo="skip",
        **SECOND,
    )
    layout = base_layout(
        look,
        HEIGHT,
        least=(0.7 * WIDTH, 0),
        margin={"l": look.px(84), "r": 12, "t": look.px(58), "b": look.px(44), "pad": 2},
        shapes=[*_diagonals(offset, length, look), cell_frame(*two, look, 2.5)],
        annotations=[annotate_at(_said("dots_alone"), look, LINES[0], 1, yshift=6)],
        hovermode="closest",
    )
    from_0 = layout["xaxis"] | {"rangemode": "tozero"}
    said = (say("positions.axis_distance"), say("positions.axis_dot"))
    distance, dot = (axis_title(text, look) for text in said)
    sizes = {"left": HEIGHT - 96, "top": WIDTH * MATRIX[1] - 84}
    down, across = (
        position_axis(length, tokens, look, pixels, "", side, STEPS, 12)
        for side, pixels in sizes.items()
    )
    layout |= {
        "xaxis": across | {"domain": MATRIX},
        "yaxis": down,
        "xaxis2": from_0 | {"title": distance, "domain": LINES, "anchor": "y2"},
        "yaxis2": from_0 | {"title": dot, "anchor": "x2", "showgrid": True},
    }
    return go.Figure([_matrix(dots, tokens, look), *_band(lines, look), chosen], layout)


def _ring(look: FigureStyle) -> dict[str, Any]:
    """The line around what is in focus."""
    return {"width": 2.5, "color": look.colour("text")}


def _matrix(dots: np.ndarray, tokens: Sequence[str], look: FigureStyle) -> go.Heatmap:
    most, least = float(dots.max()), float(dots.min())
    worded = len(dots) == len(tokens)
    bar = {"thickness": look.px(9), "len": 1.0, "x": MATRIX[1] + 0.006, "xpad": 0, "title": None}
    return heat_map(
        dots,
        (-most if least < -0.05 * most else 0, most or 1.0),
        look,
        "data",
        colorbar=colour_bar(look) | bar | {"tickfont": look.font(11, "faint")},
        text=word_pairs(tokens, tokens, "·") if worded else None,
        hovertemplate=f"{'%{text}<br>' if worded else ''}{_said('axis_positions')} %{{y}}, %{{x}}"
        f"<br>{_said('axis_dot')} <b>%{{z:.7~g}}</b><extra></extra>",
        **cell_gaps(dots.shape),
    )


def _band(lines: ByOffset, look: FigureStyle) -> list[go.Scatter]:
    """Between the least and the largest of each distance, and their mean."""
    shade = look.colour("data")
    edge: dict[str, Any] = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"} | SECOND
    mean = go.Scatter(
        x=lines.offsets,
        y=lines.mean,
        mode="lines+markers" if len(lines.offsets) <= 64 else "lines",
        line={"color": shade, "width": 2},
        marker={"color": shade, "size": 5},
        customdata=np.stack([lines.least, lines.most], axis=1),
        hovertemplate=f"{_said('axis_distance')} %{{x}}<br>{_said('axis_dot')} <b>%{{y:.7~g}}</b>"
        "<br>%{customdata[0]:.7~g} … %{customdata[1]:.7~g}<extra></extra>",
        **SECOND,
    )
    fill = {"fill": "tonexty", "fillcolor": fade_colour(look.colour("changed"), 0.28)}
    low = go.Scatter(x=lines.offsets, y=lines.least, **edge)
    return [low, go.Scatter(x=lines.offsets, y=lines.most, **edge | fill), mean]


def _diagonals(offset: int, length: int, look: FigureStyle) -> list[dict[str, Any]]:
    """A line through all cells whose positions are as far apart as those in focus."""
    line = {"color": look.colour("text"), "width": 1.5, "dash": "dot"}
    ends = {"x0": offset, "x1": length - 1, "y0": 0, "y1": length - 1 - offset}
    other = {"x0": 0, "x1": length - 1 - offset, "y0": offset, "y1": length - 1}
    return [
        {"type": "line", "line": line, **each} for each in ([ends, other] if offset else [ends])
    ]


def rotation_figure(
    turn: Turn, tokens: Sequence[str], names: tuple[str, str], look: FigureStyle
) -> go.Figure:
    """The clock of a pair, curve 0 the words' points; beside it the residuals of all pairs.

    names: of the pair's two features.
    """
    edge = EDGE * max(float(np.abs(turn.points).max()), 0.1)
    first, last, weights = turn.points[turn.start], turn.points[turn.end], look.colour("weights")
    drawn = [
        _words(turn, tokens, edge, names, look),
        _line([(0, 0), first], look.colour("data")),
        _line([(0, 0), last], weights),
        _line(turn.curve, weights, "dot"),
        _line([turn.carried, last], look.colour("changed")),
        _carried(turn, look),
        _residuals(turn, look),
    ]
    radius = float(np.sqrt(np.square(first).sum()))
    circle = {"x0": -radius, "x1": radius, "y0": -radius, "y1": radius, "type": "circle"}
    layout = base_layout(
        look,
        HEIGHT,
        least=(0.7 * WIDTH, 0),
        margin={"l": look.px(56), "r": 12, "t": look.px(28), "b": look.px(46), "pad": 2},
        shapes=[circle | {"line": {"color": look.colour("line"), "width": 1.5}}],
        annotations=[annotate_at(_said("missed"), look, BARS[0], 1, yshift=4)],
        hovermode="closest",
    )
    base = layout["xaxis"]
    plane = base | {"range": [-edge, edge], "zeroline": True, "nticks": 5, "constrain": "domain"}
    plane |= {"zerolinecolor": look.colour("line")}
    layout |= {
        "xaxis": plane | {"domain": CLOCK, "title": axis_title(names[0], look)},
        "yaxis": plane | {"scaleanchor": "x", "title": axis_title(names[1], look)},
        "xaxis2": base
        | {"domain": BARS, "anchor": "y2", "title": axis_title(say("positions.axis_pair"), look)},
        "yaxis2": base | _decades(turn.worst, look) | {"anchor": "x2"},
    }
    return go.Figure(drawn, layout)


def _words(
    turn: Turn, tokens: Sequence[str], edge: float, features: tuple[str, str], look: FigureStyle
) -> go.Scatter:
    count = max(len(tokens), turn.end + 1)
    points = turn.points[:count]
    names = [visible(token) for token in tokens] + [""] * (count - len(tokens))
    shades, sizes = [look.colour("faint")] * count, [7] * count
    for at in dict.fromkeys((turn.start, turn.end)):
        names[at] = f"{names[at]} (t = {at})".strip()
        shades[at] = look.colour("data" if at == turn.start else "weights")
        sizes[at] = 13
    places, shown = _labels(points, names, (turn.start, turn.end), edge)
    return go.Scatter(
        x=points[:, 0].astype(np.float32),
        y=points[:, 1].astype(np.float32),
        mode="markers+text",
        marker={"size": sizes, "color": shades},
        text=shown,
        textposition=places,
        textfont={"size": look.px(13), "color": shades},
        customdata=[[at, escape(name)] for at, name in enumerate(names)],
        hovertemplate=f"{_said('axis_position')} %{{customdata[0]}} <b>%{{customdata[1]}}</b><br>"
        f"{escape(features[0])} <b>%{{x:.7~g}}</b><br>{escape(features[1])} <b>%{{y:.7~g}}</b>"
        "<extra></extra>",
        cliponaxis=False,
    )


def _labels(
    points: np.ndarray, names: Sequence[str], must: tuple[int, int], edge: float
) -> tuple[list[str], list[str]]:
    """The names outside of the circle, where no other stands; those of `must` choose first."""
    least = 2 * edge / (HEIGHT - 80) * NEAREST
    named: list[int] = []
    for at in [*dict.fromkeys(must), *range(len(points))]:
        near = [each for each in named if np.hypot(*(points[at] - points[each])) < least]
        if at not in named and (at in must or not near):
            named.append(at)
    places = [_outward(float(across), float(up)) for across, up in points]
    if len(set(must)) == 2 and places[must[0]] == places[must[1]]:
        places[must[0]] = {"top center": "bottom center"}.get(places[must[0]], "top center")
    return places, [escape(name) if at in named else "" for at, name in enumerate(names)]


def _outward(across: float, up: float) -> str:
    """The side of a point that looks away from the middle of the clock."""
    height = "middle" if abs(up) < 0.38 * abs(across) else "top" if up > 0 else "bottom"
    side = "center" if abs(across) < 0.38 * abs(up) else "right" if across > 0 else "left"
    return f"{height} {side}"


def _line(points: Any, shade: str, dash: str = "solid") -> go.Scatter:
    across, up = np.asarray(points, np.float32).T
    return go.Scatter(
        x=across,
        y=up,
        mode="lines",
        line={"color": shade, "width": 3, "dash": dash},
        hoverinfo="skip",
    )


def _carried(turn: Turn, look: FigureStyle) -> go.Scatter:
    line = {"width": 3, "color": look.colour("changed")}
    return go.Scatter(
        x=[turn.carried[0]],
        y=[turn.carried[1]],
        mode="markers",
        marker={"symbol": "x-thin", "size": 15, "line": line},
        hovertemplate=f"{_said('carried')}<br><b>%{{x:.7~g}}, %{{y:.7~g}}</b><extra></extra>",
    )


def _residuals(turn: Turn, look: FigureStyle) -> go.Scatter:
    chosen = [at == turn.pair for at in range(len(turn.worst))]
    shades = [look.colour("text" if each else "changed") for each in chosen]
    return go.Scatter(
        x=np.arange(1, len(turn.worst) + 1),
        y=np.maximum(turn.worst, FLOOR),
        customdata=turn.worst,
        mode="markers",
        marker={"color": shades, "size": [13 if each else 7 for each in chosen]},
        hovertemplate=f"{_said('axis_pair')} %{{x}}<br>{_said('residual')}"
        " <b>%{customdata:.3~g}</b><extra></extra>",
        **SECOND,
    )


def _decades(worst: np.ndarray, look: FigureStyle) -> dict[str, Any]:
    """The same scale for all formulas: what is nothing but rounding stands at the foot."""
    top = max(0.7, float(np.log10(max(float(worst.max()), FLOOR))) + 0.3)
    return {
        "type": "log",
        "range": [-8.3, top],
        "tickvals": [1e-8, 1e-6, 1e-4, 1e-2, 1.0],
        "ticktext": ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"],
        "showgrid": True,
        "gridcolor": look.colour("line"),
    }


def _said(name: str) -> str:
    """A text of this page for a figure."""
    return escape(say(f"positions.{name}"))
