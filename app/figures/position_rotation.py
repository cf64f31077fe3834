"""One position as a turn of another: a pair of features as the hand of a clock, and what is missed.

Across is the first feature of the pair (the sine), upwards the second (the cosine): position 0
stands at twelve, and time goes clockwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.labels import escape, visible
from app.figures.position_map import plain_axis
from app.figures.theme import Look, base_layout

WIDTH, HEIGHT = 900, 540
CLOCK, BARS = (0.0, 0.56), (0.68, 1.0)  # shares of the width
EDGE = 1.4  # of the largest number, how far the clock's axes go
NEAREST = 15  # pixels between two points that are both named
FLOOR = 1e-8  # residuals below are drawn there: the logarithm has no 0


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


def rotation_figure(turn: Turn, tokens: Sequence[str], texts: TurnTexts, look: Look) -> go.Figure:
    """The clock of a pair, curve 0 the words' points; beside it the residuals of all pairs."""
    reach = EDGE * max(float(np.abs(turn.points).max()), 0.1)
    drawn = [
        _words(turn, tokens, reach, texts, look),
        _hand(turn.points[turn.start], look.colour("data")),
        _hand(turn.points[turn.end], look.colour("weights")),
        _line(turn.curve, look.colour("weights"), "dot"),
        *_carried(turn, texts, look),
        _residuals(turn, texts, look),
    ]
    base = plain_axis(look)
    plane = base | {"range": [-reach, reach], "zeroline": True, "nticks": 5, "constrain": "domain"}
    plane |= {"zerolinecolor": look.colour("line")}
    axes = {
        "xaxis": plane | {"domain": CLOCK, "title": base["title"] | {"text": escape(texts.first)}},
        "yaxis": plane
        | {"scaleanchor": "x", "title": base["title"] | {"text": escape(texts.second)}},
        "xaxis2": base
        | {"domain": BARS, "anchor": "y2", "title": base["title"] | {"text": escape(texts.pair)}},
        "yaxis2": base | _decades(turn.worst, look) | {"anchor": "x2"},
    }
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(56), "r": 12, "t": look.px(28), "b": look.px(46), "pad": 2},
        shapes=_circle(turn, look),
        annotations=[_note(texts.missed, look)],
        hovermode="closest",
        **axes,
    )
    return go.Figure(drawn, layout)


def _words(
    turn: Turn, tokens: Sequence[str], reach: float, texts: TurnTexts, look: Look
) -> go.Scatter:
    count = max(len(tokens), turn.end + 1)
    points = turn.points[:count]
    names = [visible(token) for token in tokens] + [""] * (count - len(tokens))
    names = [
        f"{name} (t = {at})".strip() if at in (turn.start, turn.end) else name
        for at, name in enumerate(names)
    ]
    places, shown = _places(points, names, (turn.start, turn.end), reach)
    shades = [look.colour("faint")] * count
    shades[turn.end], shades[turn.start] = look.colour("weights"), look.colour("data")
    sizes = [13 if at in (turn.start, turn.end) else 7 for at in range(count)]
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


def _places(
    points: np.ndarray, names: Sequence[str], must: tuple[int, int], reach: float
) -> tuple[list[str], list[str]]:
    """The names outside of the circle, where no other stands; those of `must` choose first."""
    least = 2 * reach / (HEIGHT - 80) * NEAREST
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


def _hand(point: np.ndarray, shade: str) -> go.Scatter:
    return _line(np.stack([np.zeros(2), point]), shade, "solid")


def _line(points: np.ndarray, shade: str, dash: str) -> go.Scatter:
    return go.Scatter(
        x=points[:, 0].astype(np.float32),
        y=points[:, 1].astype(np.float32),
        mode="lines",
        line={"color": shade, "width": 3, "dash": dash},
        hoverinfo="skip",
    )


def _carried(turn: Turn, texts: TurnTexts, look: Look) -> list[go.Scatter]:
    shade, goal = look.colour("changed"), turn.points[turn.end]
    gap = _line(np.stack([np.array(turn.carried), goal]), shade, "solid")
    cross = go.Scatter(
        x=[turn.carried[0]],
        y=[turn.carried[1]],
        mode="markers",
        marker={"symbol": "x-thin", "size": 15, "line": {"width": 3, "color": shade}},
        hovertemplate=f"{escape(texts.carried)}<br><b>%{{x:.7~g}}, %{{y:.7~g}}</b><extra></extra>",
    )
    return [gap, cross]


def _residuals(turn: Turn, texts: TurnTexts, look: Look) -> go.Scatter:
    pairs = np.arange(1, len(turn.worst) + 1)
    chosen = [at == turn.pair for at in range(len(pairs))]
    shades = [look.colour("text" if each else "changed") for each in chosen]
    return go.Scatter(
        x=pairs,
        y=np.maximum(turn.worst, FLOOR),
        customdata=turn.worst,
        mode="markers",
        marker={"color": shades, "size": [13 if each else 7 for each in chosen]},
        hovertemplate=f"{escape(texts.pair)} %{{x}}<br>{escape(texts.residual)}"
        " <b>%{customdata:.3~g}</b><extra></extra>",
        xaxis="x2",
        yaxis="y2",
    )


def _decades(worst: np.ndarray, look: Look) -> dict[str, Any]:
    """The same scale for all formulas: what is nothing but rounding stands at the foot."""
    powers = [-8, -6, -4, -2, 0]
    top = max(0.7, float(np.log10(max(float(worst.max()), FLOOR))) + 0.3)
    return {
        "type": "log",
        "range": [-8.3, top],
        "tickvals": [10.0**each for each in powers],
        "ticktext": ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"],
        "showgrid": True,
        "gridcolor": look.colour("line"),
    }


def _circle(turn: Turn, look: Look) -> list[dict[str, Any]]:
    radius = float(np.sqrt(np.square(turn.points[turn.start]).sum()))
    line = {"color": look.colour("line"), "width": 1.5}
    return [
        {"type": "circle", "x0": -radius, "x1": radius, "y0": -radius, "y1": radius, "line": line}
    ]


def _note(text: str, look: Look) -> dict[str, Any]:
    return {
        "xref": "paper", "yref": "paper", "x": BARS[0], "y": 1, "xanchor": "left",
        "yanchor": "bottom", "yshift": 4, "showarrow": False, "text": escape(text),
        "font": {"size": look.px(13), "color": look.colour("text")},
    }  # fmt: skip
