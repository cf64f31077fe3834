"""How alike positions are: dot products as a matrix, and against the distance between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging, faded, sequential
from app.figures.labels import escape, visible
from app.figures.position_map import plain_axis
from app.figures.theme import Look, base_layout, token_axis
from core.reading.position_relations import ByOffset

WIDTH, HEIGHT = 900, 540
MATRIX, LINES = (0.0, 0.56), (0.67, 1.0)  # shares of the width


@dataclass(frozen=True)
class DotTexts:
    """What stands around the picture."""

    distance: str
    dot: str
    position: str
    alone: str  # over the second half: "against the distance alone"


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
    length = len(dots)
    offset = abs(two[0] - two[1])
    drawn = [_matrix(dots, tokens, texts, look), *_band(lines, texts, look)]
    drawn.append(_chosen(lines, offset, look))
    pixels = HEIGHT - 96
    axes = {
        "xaxis": _axis(tokens, length, "top", look, WIDTH * MATRIX[1] - 84) | {"domain": MATRIX},
        "yaxis": _axis(tokens, length, "left", look, pixels),
        "xaxis2": _plain(look, texts.distance) | {"domain": LINES, "anchor": "y2"},
        "yaxis2": _plain(look, texts.dot) | {"anchor": "x2", "showgrid": True},
    }
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(84), "r": 12, "t": look.px(58), "b": look.px(44), "pad": 2},
        shapes=[*_diagonals(offset, length, look), _frame(two, look)],
        annotations=[_note(texts.alone, look)],
        hovermode="closest",
        **axes,
    )
    return go.Figure(drawn, layout)


def _matrix(dots: np.ndarray, tokens: Sequence[str], texts: DotTexts, look: Look) -> go.Heatmap:
    most, least = float(dots.max()), float(dots.min())
    signed = least < -0.05 * most
    return go.Heatmap(
        z=np.asarray(dots, dtype=np.float32),
        zmin=-most if signed else 0,
        zmax=most or 1.0,
        colorscale=diverging(look.dark) if signed else sequential("data", look.dark),
        xgap=1 if len(dots) <= 40 else 0,
        ygap=1 if len(dots) <= 40 else 0,
        colorbar={
            "thickness": look.px(9), "len": 1.0, "x": MATRIX[1] + 0.006, "xpad": 0, "nticks": 5,
            "outlinewidth": 0, "ticks": "", "tickformat": ".3~g",
            "tickfont": {"size": look.px(11), "color": look.colour("faint")},
        },
        text=_pairs(tokens, len(dots)) if len(dots) == len(tokens) else None,
        hovertemplate=f"{'%{text}<br>' if len(dots) == len(tokens) else ''}"
        f"{escape(texts.position)} %{{y}}, %{{x}}<br>{escape(texts.dot)} <b>%{{z:.7~g}}</b>"
        "<extra></extra>",
    )  # fmt: skip


def _pairs(tokens: Sequence[str], length: int) -> list[list[str]]:
    names = [escape(visible(token)) for token in tokens[:length]]
    return [[f"{row} · {column}" for column in names] for row in names]


def _band(lines: ByOffset, texts: DotTexts, look: Look) -> list[go.Scatter]:
    """Between the least and the largest of each distance, and their mean."""
    shade = look.colour("data")
    edge: dict[str, Any] = {
        "x": lines.offsets, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip",
        "xaxis": "x2", "yaxis": "y2",
    }  # fmt: skip
    numbers = np.stack([lines.least, lines.most], axis=1)
    mean = go.Scatter(
        x=lines.offsets,
        y=lines.mean,
        mode="lines+markers" if len(lines.offsets) <= 64 else "lines",
        line={"color": shade, "width": 2},
        marker={"color": shade, "size": 5},
        customdata=numbers,
        hovertemplate=f"{escape(texts.distance)} %{{x}}<br>{escape(texts.dot)} <b>%{{y:.7~g}}</b>"
        "<br>%{customdata[0]:.7~g} … %{customdata[1]:.7~g}<extra></extra>",
        xaxis="x2",
        yaxis="y2",
    )
    low = go.Scatter(**edge | {"y": lines.least})
    fill = {"fill": "tonexty", "fillcolor": faded(look.colour("changed"), 0.28)}
    return [low, go.Scatter(**edge | {"y": lines.most} | fill), mean]


def _chosen(lines: ByOffset, offset: int, look: Look) -> go.Scatter:
    return go.Scatter(
        x=[offset],
        y=[lines.mean[offset]],
        mode="markers",
        marker={
            "size": 14,
            "color": "rgba(0,0,0,0)",
            "line": {"width": 2.5, "color": look.colour("text")},
        },
        hoverinfo="skip",
        xaxis="x2",
        yaxis="y2",
    )


def _axis(
    tokens: Sequence[str], length: int, side: str, look: Look, pixels: float
) -> dict[str, Any]:  # fmt: skip
    if length == len(tokens):
        return token_axis(tokens, look, pixels, side) | {"automargin": False}
    step = next(each for each in (1, 2, 5, 8, 16, 32, 64) if length / each <= 12 or each == 64)
    ends = [length - 0.5, -0.5] if side == "left" else [-0.5, length - 0.5]
    base = plain_axis(look)
    return base | {"tickvals": list(range(0, length, step)), "range": ends, "side": side}


def _plain(look: Look, title: str) -> dict[str, Any]:
    base = plain_axis(look)
    return base | {"title": base["title"] | {"text": escape(title)}, "rangemode": "tozero"}


def _diagonals(offset: int, length: int, look: Look) -> list[dict[str, Any]]:
    """A line through all cells whose positions are as far apart as those in focus."""
    line = {"color": look.colour("text"), "width": 1.5, "dash": "dot"}
    ends = {"x0": offset, "x1": length - 1, "y0": 0, "y1": length - 1 - offset}
    other = {"x0": 0, "x1": length - 1 - offset, "y0": offset, "y1": length - 1}
    return [
        {"type": "line", "line": line, **each} for each in ([ends, other] if offset else [ends])
    ]


def _frame(two: tuple[int, int], look: Look) -> dict[str, Any]:
    row, column = two
    return {
        "type": "rect", "x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5,
        "line": {"color": look.colour("text"), "width": 2.5},
    }  # fmt: skip


def _note(text: str, look: Look) -> dict[str, Any]:
    return {
        "xref": "paper", "yref": "paper", "x": LINES[0], "y": 1, "xanchor": "left",
        "yanchor": "bottom", "yshift": 6, "showarrow": False, "text": escape(text),
        "font": {"size": look.px(13), "color": look.colour("text")},
    }  # fmt: skip
