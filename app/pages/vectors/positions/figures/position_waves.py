"""Features of the position encoding as waves over the positions, with the words' places marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.marks import (
    annotate_at,
    axis_suffix,
    axis_title,
    stack_downwards,
    upright_line,
)
from glassformer.app.plots.theme import FigureStyle, base_layout, token_axis
from glassformer.app.words import say, say_each

WIDTH, HEIGHT = 830, 560
FIRST, GAP = 0.34, 0.075  # shares of the height: the chosen pair's, between two
STYLES = ("data", "faint"), ("solid", "dash")  # of sine and cosine: role, line
DOTS = 120  # a wave of as many positions has a dot a position


@dataclass(frozen=True)
class Wave:
    """A sine and its cosine: smooth lines for the eye, the values at whole positions."""

    title: str
    features: tuple[int, int]  # from 0
    smooth: tuple[np.ndarray, np.ndarray, np.ndarray] | None  # positions, sine, cosine
    values: np.ndarray  # (L, 2)


def waves_figure(
    rows: Sequence[Wave],
    tokens: Sequence[str],
    place: int,
    names: tuple[str, str],
    look: FigureStyle,
) -> go.Figure:
    """The pairs below each other, the first one largest.

    place: the word in focus. names: of the two features of a pair, "sine" and "cosine".
    """
    length = len(rows[0].values)
    margin = {"l": look.px(34), "r": 10, "t": look.px(24), "b": look.px(54), "pad": 2}
    mark = upright_line(place, look, "text", 1)
    least = (0.7 * WIDTH, 0)
    layout = base_layout(look, HEIGHT, least, margin=margin, hovermode="closest", shapes=[mark])
    base, notes = layout["xaxis"], []
    drawn: list[go.Scatter] = []
    for at, (pair, domain) in enumerate(zip(rows, _domains(len(rows)), strict=True)):
        drawn += _lines(pair, axis_suffix(at), tokens, place, names, look)
        values = _values_axis(rows) | {"showgrid": True, "automargin": False}
        layout[f"yaxis{axis_suffix(at)}"] = base | values | {"domain": domain, "anchor": "x"}
        title, role = escape(pair.title), "faint" if at else "text"
        title = title if at else f"<b>{title}</b>"
        notes.append(annotate_at(title, look, 0, domain[1], 13, role, align="left"))
    axis = base | {"title": axis_title(say("positions.axis_position"), look)}
    if length == len(tokens):
        axis = token_axis(tokens, look, WIDTH)
    ends = {"range": [-0.4, length - 0.6], "anchor": f"y{axis_suffix(len(rows) - 1)}"}
    return go.Figure(drawn, layout | {"xaxis": axis | ends, "annotations": notes})


def _domains(count: int) -> list[list[float]]:
    others = count - 1
    rest = (1 - FIRST - GAP * others) / max(others, 1)
    return stack_downwards([FIRST, *[rest] * others], GAP)


def _lines(
    pair: Wave,
    end: str,
    tokens: Sequence[str],
    place: int,
    labels: tuple[str, str],
    look: FigureStyle,
) -> list[go.Scatter]:
    """Sine and cosine, each as a line with dots: of all positions, or of the words alone."""
    length, words = len(pair.values), len(tokens)
    dotted = np.arange(length if length <= DOTS else min(words, length))
    names = [escape(visible(token)) for token in tokens]
    sizes = [11 if t == place else 7 if t < words else 3 for t in dotted]
    axes = {"xaxis": "x", "yaxis": f"y{end}"}
    position, feature_said = say_each("positions.axis_position positions.axis_feature").values()
    drawn = []
    for at, (label, role, dash) in enumerate(zip(labels, *STYLES, strict=True)):
        shade, feature = look.colour(role), pair.features[at] + 1
        x, y = np.arange(length), pair.values[:, at]
        if pair.smooth:
            x, y = pair.smooth[0], pair.smooth[at + 1]
        wave = go.Scatter(
            x=np.asarray(x, np.float32),
            y=np.asarray(y, np.float32),
            mode="lines",
            line={"color": shade, "width": 2, "dash": dash},
            hoverinfo="skip",
            **axes,
        )
        dots = go.Scatter(
            x=dotted,
            y=pair.values[dotted, at].astype(np.float32),
            mode="markers",
            marker={"color": shade, "size": sizes},
            customdata=[[feature, names[t] if t < words else ""] for t in dotted],
            hovertemplate=f"{escape(position)} %{{x}} %{{customdata[1]}}<br>{escape(label)},"
            f" {escape(feature_said)} %{{customdata[0]}}<br><b>%{{y:.7~g}}</b><extra></extra>",
            **axes,
        )
        drawn += [wave, dots]
    return drawn


def _values_axis(rows: Sequence[Wave]) -> dict[str, Any]:
    most = max(float(np.abs(pair.values).max()) for pair in rows)
    if 0.5 < most <= 1.0001:  # sines
        return {"range": [-1.15, 1.15], "tickvals": [-1, 0, 1], "ticktext": ["−1", "0", "1"]}
    return {"range": [-1.15 * most, 1.15 * most], "nticks": 3}
