"""The matrix of the position encoding: a row a position t, a column a feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging
from app.figures.labels import escape
from app.figures.picture import reach
from app.figures.theme import Look, base_layout, colour_bar, token_axis

WIDTH, HEIGHT = 900, 560  # pixels of the picture, about; they decide how words are written
MOST_GAPS = 40  # rows or columns that still have lines between them


@dataclass(frozen=True)
class MapTexts:
    """What stands around the picture."""

    position: str
    feature: str
    end: str  # at the line below the sentence's last word


def map_figure(
    table: np.ndarray,
    tokens: Sequence[str],
    cell: tuple[int, int],
    texts: MapTexts,
    look: Look,
) -> go.Figure:
    """A table (L, D), L at least the number of tokens; `cell` (position, feature) is framed."""
    length, width = table.shape
    cells = go.Heatmap(
        z=np.asarray(table, dtype=np.float32),
        x0=1,
        dx=1,
        y0=0,
        dy=1,
        zmin=-limit(table),
        zmax=limit(table),
        colorscale=diverging(look.dark),
        colorbar=colour_bar(look),
        xgap=1 if width <= MOST_GAPS else 0,
        ygap=1 if length <= MOST_GAPS else 0,
        hovertemplate=hover(texts.position, texts.feature),
    )
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(84), "r": 8, "t": 8, "b": look.px(44), "pad": 2},
        xaxis=feature_axis(width, look, texts.feature),
        yaxis=position_axis(length, tokens, look, texts.position, HEIGHT - 60),
        shapes=[*cross(cell, table.shape, look), *_end(length, tokens, look)],
        annotations=_end_note(length, tokens, texts.end, look),
    )
    return go.Figure(cells, layout)


def limit(table: np.ndarray) -> float:
    """Where the colour scale ends: 1 for sines and cosines."""
    most = reach(table)
    return 1.0 if 0.9 < most <= 1.0001 else most


def hover(position: str, feature: str) -> str:
    """What a cell answers."""
    return (
        f"{escape(position)} %{{y}} · {escape(feature)} %{{x}}<br><b>%{{z:.7~g}}</b><extra></extra>"
    )


def plain_axis(look: Look) -> dict[str, Any]:
    """What all axes of these pictures begin with."""
    axis: dict[str, Any] = base_layout(look)["xaxis"]
    return axis


def feature_axis(width: int, look: Look, title: str) -> dict[str, Any]:
    """Features from 1 to D across."""
    base = plain_axis(look)
    step = next(each for each in (1, 2, 4, 5, 10, 20, 50, 100) if width / each <= 17 or each == 100)
    ticks = [1, *range(step, width + 1, step)] if step > 1 else list(range(1, width + 1))
    return base | {
        "title": base["title"] | {"text": escape(title)},
        "tickvals": ticks,
        "range": [0.5, width + 0.5],
    }


def position_axis(
    length: int, tokens: Sequence[str], look: Look, title: str, pixels: float
) -> dict[str, Any]:
    """Positions from 0 downwards: the words where there are as many, else numbers."""
    if length == len(tokens):
        return token_axis(tokens, look, pixels, "left") | {"automargin": False}
    base = plain_axis(look)
    step = next(each for each in (1, 2, 5, 10, 20, 50, 100) if length / each <= 16 or each == 100)
    return base | {
        "title": base["title"] | {"text": escape(title)},
        "tickvals": list(range(0, length, step)),
        "range": [length - 0.5, -0.5],
    }


def cross(cell: tuple[int, int], shape: tuple[int, ...], look: Look) -> list[dict[str, Any]]:
    """The row and the column of a cell, framed; columns are numbered from 1."""
    place, feature = cell[0], cell[1] + 1
    line = {"color": look.colour("text"), "width": 1.5}
    row = {"x0": 0.5, "x1": shape[1] + 0.5, "y0": place - 0.5, "y1": place + 0.5}
    column = {"x0": feature - 0.5, "x1": feature + 0.5, "y0": -0.5, "y1": shape[0] - 0.5}
    return [{"type": "rect", "line": line, **each} for each in (row, column)]


def _end(length: int, tokens: Sequence[str], look: Look) -> list[dict[str, Any]]:
    if length <= len(tokens):
        return []
    y = len(tokens) - 0.5
    line = {"color": look.colour("changed"), "width": 2, "dash": "dash"}
    return [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line}]


def _end_note(
    length: int, tokens: Sequence[str], text: str, look: Look
) -> list[dict[str, Any]]:  # fmt: skip
    if length <= len(tokens):
        return []
    return [
        {
            "xref": "paper", "x": 0.995, "xanchor": "right", "y": len(tokens) - 0.5,
            "yanchor": "top", "yshift": -3, "showarrow": False, "text": escape(text),
            "font": {"size": look.px(13), "color": look.colour("changed")},
            "bgcolor": look.colour("panel"),
        }
    ]  # fmt: skip
