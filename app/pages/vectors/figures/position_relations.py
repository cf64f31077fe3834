"""How positions relate: dot products, and one position as a turn of another.

Dot products stand as a matrix, and against the distance between two positions. Of a turn, a pair of
features is the hand of a clock, beside what is missed: across is the first feature of the pair (the
sine), upwards the second (the cosine), so that position 0 stands at twelve and time goes clockwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.plots import drawing as go
from app.plots.colours import faded
from app.plots.heat import gaps, heat_map
from app.plots.labels import escape, visible
from app.plots.marks import axis_title, cell_frame, note, pairs
from app.plots.theme import Look, base_layout, colour_bar, token_axis
from core.analysis.positions import ByOffset

WIDTH, HEIGHT = 900, 540
MATRIX, LINES = (0.0, 0.56), (0.67, 1.0)  # shares of the width
CLOCK, BARS = (0.0, 0.56), (0.68, 1.0)
EDGE = 1.4  # of the largest number, how far the clock's axes go
NEAREST = 15  # pixels between two points that are both named
FLOOR = 1e-8  # residuals below are drawn there: the logarithm has no 0
SECOND = {"xaxis": "x2", "yaxis": "y2"}  # the axes of the right half


@dataclass(frozen=True)
class DotTexts:
    """What stands around the picture."""

    distance: str
    dot: str
    position: str
    alone: str  # over the second half: "against the distance alone"


@dataclass(frozen=True)
class Turn:
    """What is drawn of one pair."""

    points: np.ndarray  # (L, 2) the pair's two numbers at every position
    curve: np.ndarray  # (N, 2) between t and t + k
    start: int  # t
    end: int  # t + k
    carried: tuple[float, float]  # R_k applied to the numbers at t
    worst: np.ndarray  # (D / 2,) the largest residual of each pair
    pair: int


@dataclass(frozen=True)
class TurnTexts:
    """What stands around the picture."""

    first: str
    second: str
    position: str
    carried: str
    pair: str
    residual: str
    missed: str  # over the second half


def dots_figure(
    dots: np.ndarray,
    lines: ByOffset,
    tokens: Sequence[str],
    two: tuple[int, int],
    texts: DotTexts,
    look: Look,
) -> go.Figure:
    """Dot products (L, L); `two` is the pair in focus, whose whole diagonal is drawn.

    Curve 0 is the matrix.
    """
    length, offset = len(dots), abs(two[0] - two[1])
    ring = {"width": 2.5, "color": look.colour("text")}
    chosen = go.Scatter(
        x=[offset],
        y=[lines.mean[offset]],
        mode="markers",
        marker={"size": 14, "color": "rgba(0,0,0,0)", "line": ring},
        hoverinfo="skip",
        **SECOND,
    )
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(84), "r": 12, "t": look.px(58), "b": look.px(44), "pad": 2},
        shapes=[*_diagonals(offset, length, look), cell_frame(*two, look, 2.5)],
        annotations=[note(escape(texts.alone), look, LINES[0], 1, yshift=6)],
        hovermode="closest",
    )
    plain, distance = layout["xaxis"], axis_title(texts.distance, look)
    layout |= {
        "xaxis": _places(tokens, length, "top", look, WIDTH * MATRIX[1] - 84) | {"domain": MATRIX},
        "yaxis": _places(tokens, length, "left", look, HEIGHT - 96),
        "xaxis2": plain
        | {"title": distance, "rangemode": "tozero", "domain": LINES, "anchor": "y2"},
        "yaxis2": plain
        | {"title": axis_title(texts.dot, look), "rangemode": "tozero", "anchor": "x2"}
        | {"showgrid": True},
    }
    drawn = [_matrix(dots, tokens, texts, look), *_band(lines, texts, look), chosen]
    return go.Figure(drawn, layout)


def _matrix(dots: np.ndarray, tokens: Sequence[str], texts: DotTexts, look: Look) -> go.Heatmap:
    most, least = float(dots.max()), float(dots.min())
    worded = len(dots) == len(tokens)
    bar = {"thickness": look.px(9), "len": 1.0, "x": MATRIX[1] + 0.006, "xpad": 0, "title": None}
    return heat_map(
        dots,
        (-most if least < -0.05 * most else 0, most or 1.0),
        look,
        "data",
        colorbar=colour_bar(look) | bar | {"tickfont": look.font(11, "faint")},
        text=pairs(tokens, tokens, "·") if worded else None,
        hovertemplate=f"{'%{text}<br>' if worded else ''}{escape(texts.position)} %{{y}}, %{{x}}"
        f"<br>{escape(texts.dot)} <b>%{{z:.7~g}}</b><extra></extra>",
        **gaps(dots.shape),
    )


def _band(lines: ByOffset, texts: DotTexts, look: Look) -> list[go.Scatter]:
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
        hovertemplate=f"{escape(texts.distance)} %{{x}}<br>{escape(texts.dot)} <b>%{{y:.7~g}}</b>"
        "<br>%{customdata[0]:.7~g} … %{customdata[1]:.7~g}<extra></extra>",
        **SECOND,
    )
    fill = {"fill": "tonexty", "fillcolor": faded(look.colour("changed"), 0.28)}
    low = go.Scatter(x=lines.offsets, y=lines.least, **edge)
    return [low, go.Scatter(x=lines.offsets, y=lines.most, **edge | fill), mean]


def _places(
    tokens: Sequence[str], length: int, side: str, look: Look, pixels: float
) -> dict[str, Any]:
    if length == len(tokens):
        return token_axis(tokens, look, pixels, side) | {"automargin": False}
    step = next(each for each in (1, 2, 5, 8, 16, 32, 64) if length / each <= 12 or each == 64)
    ends = [length - 0.5, -0.5] if side == "left" else [-0.5, length - 0.5]
    ticks = {"tickvals": list(range(0, length, step)), "range": ends, "side": side}
    return dict(base_layout(look)["xaxis"]) | ticks


def _diagonals(offset: int, length: int, look: Look) -> list[dict[str, Any]]:
    """A line through all cells whose positions are as far apart as those in focus."""
    line = {"color": look.colour("text"), "width": 1.5, "dash": "dot"}
    ends = {"x0": offset, "x1": length - 1, "y0": 0, "y1": length - 1 - offset}
    other = {"x0": 0, "x1": length - 1 - offset, "y0": offset, "y1": length - 1}
    return [
        {"type": "line", "line": line, **each} for each in ([ends, other] if offset else [ends])
    ]


def rotation_figure(turn: Turn, tokens: Sequence[str], texts: TurnTexts, look: Look) -> go.Figure:
    """The clock of a pair, curve 0 the words' points; beside it the residuals of all pairs."""
    edge = EDGE * max(float(np.abs(turn.points).max()), 0.1)
    first, last, weights = turn.points[turn.start], turn.points[turn.end], look.colour("weights")
    drawn = [
        _words(turn, tokens, edge, texts, look),
        _line(np.stack([np.zeros(2), first]), look.colour("data")),
        _line(np.stack([np.zeros(2), last]), weights),
        _line(turn.curve, weights, "dot"),
        *_carried(turn, texts, look),
        _residuals(turn, texts, look),
    ]
    radius = float(np.sqrt(np.square(first).sum()))
    circle = {"x0": -radius, "x1": radius, "y0": -radius, "y1": radius, "type": "circle"}
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(56), "r": 12, "t": look.px(28), "b": look.px(46), "pad": 2},
        shapes=[circle | {"line": {"color": look.colour("line"), "width": 1.5}}],
        annotations=[note(escape(texts.missed), look, BARS[0], 1, yshift=4)],
        hovermode="closest",
    )
    base = layout["xaxis"]
    plane = base | {"range": [-edge, edge], "zeroline": True, "nticks": 5, "constrain": "domain"}
    plane |= {"zerolinecolor": look.colour("line")}
    layout |= {
        "xaxis": plane | {"domain": CLOCK, "title": axis_title(texts.first, look)},
        "yaxis": plane | {"scaleanchor": "x", "title": axis_title(texts.second, look)},
        "xaxis2": base | {"domain": BARS, "anchor": "y2", "title": axis_title(texts.pair, look)},
        "yaxis2": base | _decades(turn.worst, look) | {"anchor": "x2"},
    }
    return go.Figure(drawn, layout)


def _words(
    turn: Turn, tokens: Sequence[str], edge: float, texts: TurnTexts, look: Look
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
        hovertemplate=f"{escape(texts.position)} %{{customdata[0]}} <b>%{{customdata[1]}}</b><br>"
        f"{escape(texts.first)} <b>%{{x:.7~g}}</b><br>{escape(texts.second)} <b>%{{y:.7~g}}</b>"
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
    if abs(across) < 0.38 * abs(up):
        return "top center" if up > 0 else "bottom center"
    side = "right" if across > 0 else "left"
    if abs(up) < 0.38 * abs(across):
        return f"middle {side}"
    return f"{'top' if up > 0 else 'bottom'} {side}"


def _line(points: np.ndarray, shade: str, dash: str = "solid") -> go.Scatter:
    return go.Scatter(
        x=points[:, 0].astype(np.float32),
        y=points[:, 1].astype(np.float32),
        mode="lines",
        line={"color": shade, "width": 3, "dash": dash},
        hoverinfo="skip",
    )


def _carried(turn: Turn, texts: TurnTexts, look: Look) -> list[go.Scatter]:
    shade, goal = look.colour("changed"), turn.points[turn.end]
    cross = go.Scatter(
        x=[turn.carried[0]],
        y=[turn.carried[1]],
        mode="markers",
        marker={"symbol": "x-thin", "size": 15, "line": {"width": 3, "color": shade}},
        hovertemplate=f"{escape(texts.carried)}<br><b>%{{x:.7~g}}, %{{y:.7~g}}</b><extra></extra>",
    )
    return [_line(np.stack([np.array(turn.carried), goal]), shade), cross]


def _residuals(turn: Turn, texts: TurnTexts, look: Look) -> go.Scatter:
    chosen = [at == turn.pair for at in range(len(turn.worst))]
    shades = [look.colour("text" if each else "changed") for each in chosen]
    return go.Scatter(
        x=np.arange(1, len(turn.worst) + 1),
        y=np.maximum(turn.worst, FLOOR),
        customdata=turn.worst,
        mode="markers",
        marker={"color": shades, "size": [13 if each else 7 for each in chosen]},
        hovertemplate=f"{escape(texts.pair)} %{{x}}<br>{escape(texts.residual)}"
        " <b>%{customdata:.3~g}</b><extra></extra>",
        **SECOND,
    )


def _decades(worst: np.ndarray, look: Look) -> dict[str, Any]:
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
