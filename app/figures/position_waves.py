"""Features of the position encoding as waves over the positions, with the words' places marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.labels import escape, visible
from app.figures.position_map import plain_axis
from app.figures.theme import Look, base_layout, token_axis

WIDTH, HEIGHT = 830, 560
FIRST, GAP = 0.34, 0.075  # shares of the height: the chosen pair's, between two
DOTS = 120  # a wave of as many positions has a dot a position


@dataclass(frozen=True)
class Pair:
    """A sine and its cosine: smooth lines for the eye, the values at whole positions."""

    title: str
    features: tuple[int, int]  # from 0
    smooth: tuple[np.ndarray, np.ndarray, np.ndarray] | None  # positions, sine, cosine
    values: np.ndarray  # (L, 2)


@dataclass(frozen=True)
class WaveTexts:
    """What stands at the axis and in the hover."""

    position: str
    feature: str
    sine: str
    cosine: str


def waves_figure(
    rows: Sequence[Pair], tokens: Sequence[str], place: int, texts: WaveTexts, look: Look
) -> go.Figure:
    """The pairs below each other, the first one largest; `place` is the word in focus."""
    length = len(rows[0].values)
    drawn: list[go.Scatter] = []
    axes: dict[str, Any] = {}
    notes = []
    for at, (pair, domain) in enumerate(zip(rows, _domains(len(rows)), strict=True)):
        name = str(at + 1) if at else ""
        drawn += _lines(pair, name, tokens, place, texts, look)
        axes[f"yaxis{name}"] = _values_axis(rows, look) | {"domain": domain, "anchor": "x"}
        notes.append(_title(pair.title, domain[1], at == 0, look))
    bottom = f"y{len(rows)}" if len(rows) > 1 else "y"
    axes["xaxis"] = _places_axis(length, tokens, texts, look) | {"anchor": bottom}
    line = {"color": look.colour("text"), "width": 1, "dash": "dot"}
    mark = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": place, "x1": place}
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(34), "r": 10, "t": look.px(24), "b": look.px(54), "pad": 2},
        shapes=[mark | {"line": line}],
        annotations=notes,
        hovermode="closest",
        **axes,
    )
    return go.Figure(drawn, layout)


def _domains(count: int) -> list[list[float]]:
    if count == 1:
        return [[0.0, 1.0]]
    rest = (1 - FIRST - GAP * (count - 1)) / (count - 1)
    spans, top = [], 1.0
    for at in range(count):
        height = FIRST if at == 0 else rest
        spans.append([max(top - height, 0.0), top])
        top -= height + GAP
    return spans


def _lines(
    pair: Pair, name: str, tokens: Sequence[str], place: int, texts: WaveTexts, look: Look
) -> list[go.Scatter]:
    length, words = len(pair.values), len(tokens)
    drawn = []
    for at, (label, role, dash) in enumerate(
        ((texts.sine, "data", "solid"), (texts.cosine, "faint", "dash"))
    ):
        shade, feature = look.colour(role), pair.features[at]
        x, y = (
            (pair.smooth[0], pair.smooth[at + 1])
            if pair.smooth
            else (np.arange(length), pair.values[:, at])
        )
        line = {"color": shade, "width": 2, "dash": dash}
        wave = go.Scatter(
            x=np.asarray(x, np.float32), y=np.asarray(y, np.float32), mode="lines", line=line,
            hoverinfo="skip", xaxis="x", yaxis=f"y{name}",
        )  # fmt: skip
        sizes = [11 if t == place else 7 if t < words else 3 for t in range(length)]
        dots = go.Scatter(
            x=np.arange(length),
            y=pair.values[:, at].astype(np.float32),
            mode="markers",
            marker={"color": shade, "size": sizes},
            customdata=[[feature + 1, _word(t, tokens)] for t in range(length)],
            hovertemplate=f"{escape(texts.position)} %{{x}} %{{customdata[1]}}<br>{escape(label)},"
            f" {escape(texts.feature)} %{{customdata[0]}}<br><b>%{{y:.7~g}}</b><extra></extra>",
            xaxis="x",
            yaxis=f"y{name}",
        )
        drawn += [wave, dots] if length <= DOTS else [wave, _first(dots, words)]
    return drawn


def _first(dots: go.Scatter, words: int) -> go.Scatter:
    return go.Scatter(
        **{name: dots[name] for name in ("mode", "hovertemplate", "xaxis", "yaxis")},
        x=dots["x"][:words],
        y=dots["y"][:words],
        customdata=dots["customdata"][:words],
        marker={"color": dots["marker"]["color"], "size": list(dots["marker"]["size"])[:words]},
    )


def _word(place: int, tokens: Sequence[str]) -> str:
    return escape(visible(tokens[place])) if place < len(tokens) else ""


def _values_axis(rows: Sequence[Pair], look: Look) -> dict[str, Any]:
    most = max(float(np.abs(pair.values).max()) for pair in rows)
    sines = 0.5 < most <= 1.0001
    reach = 1.0 if sines else most
    ticks = {"tickvals": [-1, 0, 1], "ticktext": ["−1", "0", "1"]} if sines else {"nticks": 3}
    return plain_axis(look) | {
        "range": [-1.15 * reach, 1.15 * reach],
        "showgrid": True,
        "automargin": False,
        **ticks,
    }


def _places_axis(
    length: int, tokens: Sequence[str], texts: WaveTexts, look: Look
) -> dict[str, Any]:  # fmt: skip
    if length == len(tokens):
        return token_axis(tokens, look, WIDTH) | {"range": [-0.4, length - 0.6]}
    base = plain_axis(look)
    return base | {
        "title": base["title"] | {"text": escape(texts.position)},
        "range": [-0.4, length - 0.6],
    }


def _title(text: str, top: float, chosen: bool, look: Look) -> dict[str, Any]:
    shown = escape(text)
    return {
        "xref": "paper", "yref": "paper", "x": 0, "y": top, "xanchor": "left", "yanchor": "bottom",
        "showarrow": False, "align": "left", "text": f"<b>{shown}</b>" if chosen else shown,
        "font": {"size": look.px(13), "color": look.colour("text" if chosen else "faint")},
    }  # fmt: skip
