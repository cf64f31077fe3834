"""What goes into a block, what happens and what comes out: heat maps side by side, one a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures.colours import diverging, sequential
from app.figures.labels import escape, format_number, text_width, visible
from app.figures.picture import Picture, reach
from app.figures.theme import Look, base_layout, hatching, token_axis

BAR, TITLE, FOOT, GAP = 8, 24, 66, 0.035  # pixels; GAP is a share of the width


def block_pictures(
    pictures: Sequence[Picture],
    words: Sequence[str],
    look: Look,
    height: int = 330,
    pixels: float = 600,
) -> go.Figure:
    """The pictures from left to right over one word axis, each with its own scale below it.

    words: of the rows, the same for all. pixels: how wide the figure will be.
    """
    shared = reach(*(picture.values for picture in pictures if picture.limit is None))
    longest = max((text_width(visible(word), look.px(13)) for word in words), default=0)
    margin = int(min(longest + 16, 150))
    spans = _spans([picture.share for picture in pictures])
    axes: dict[str, Any] = {}
    drawn: list[go.Heatmap | go.Scatter] = []
    for at, (picture, span) in enumerate(zip(pictures, spans, strict=True)):
        name = str(at + 1) if at else ""
        width = (pixels - margin) * (span[1] - span[0])
        axes[f"xaxis{name}"] = _columns_axis(picture, look, width) | {"domain": list(span)}
        axes[f"yaxis{name}"] = _words_axis(words, look, height, name)
        limit = shared if picture.limit is None else picture.limit
        drawn.append(_heat_map(picture, limit, look, name, span, height))
        if picture.allowed is not None and not picture.allowed.all():
            drawn.append(_hatched(picture.allowed, look, name))
    titles = [_title(picture, look, span) for picture, span in zip(pictures, spans, strict=True)]
    sides = {"l": margin, "r": 6, "t": TITLE, "b": FOOT}
    layout = base_layout(look, height, margin=sides, annotations=titles, **axes)
    # One call: every later change of a figure costs Plotly as much as making it.
    return go.Figure(drawn, layout)


def _spans(shares: Sequence[float]) -> list[tuple[float, float]]:
    unit = (1 - GAP * (len(shares) - 1)) / sum(shares)
    spans, start = [], 0.0
    for share in shares:
        spans.append((start, min(start + share * unit, 1.0)))
        start += share * unit + GAP
    return spans


def _words_axis(words: Sequence[str], look: Look, height: int, name: str) -> dict[str, Any]:
    """The rows; only the first picture writes the words, the others follow it."""
    rows = _from_one(token_axis(words, look, height - TITLE - FOOT, side="left"))
    more = {"showticklabels": False, "matches": "y"} if name else {"ticklabelstandoff": 5}
    return rows | more | {"automargin": False, "anchor": f"x{name}"}


def _columns_axis(picture: Picture, look: Look, width: float) -> dict[str, Any]:
    count = picture.values.shape[1]
    if picture.columns is not None:
        words = picture.columns
        axis = _from_one(token_axis(words, look, width, side="bottom"))
    else:
        last = count * picture.step
        axis = token_axis([""] * count, look, width) | {
            "tickvals": [1, count] if count > 1 else [],
            "ticktext": ["1", str(last)],
            "tickangle": 0,
            "range": [0.5, count + 0.5],
        }
    font = {"size": look.px(12), "color": look.colour("faint")}
    return axis | {
        "automargin": False,
        "title": {"text": escape(picture.axis), "standoff": 0, "font": font},
        "tickfont": {"size": look.px(11), "color": look.colour("faint")},
    }


def _from_one(axis: dict[str, Any]) -> dict[str, Any]:
    """A token axis whose positions count from 1, so that a number on hover is the screen's."""
    shifted = {name: [value + 1 for value in axis[name]] for name in ("tickvals", "range")}
    return axis | shifted


def _heat_map(
    picture: Picture, limit: float, look: Look, name: str, span: tuple[float, float], height: int
) -> go.Heatmap:
    values = np.asarray(picture.values, dtype=np.float32)
    low = -limit if picture.scale == "signed" else 0.0
    cells: dict[str, Any] = {}
    if picture.cells:
        cells["text"] = [[escape(visible(cell)) for cell in row] for row in picture.cells]
    tall = (height - TITLE - FOOT) / max(len(values), 1) >= look.px(12)
    if picture.cells and tall:
        cells |= {"texttemplate": "%{text}", "textfont": {"size": look.px(12)}}
    return go.Heatmap(
        z=values,
        x0=1,
        dx=1,
        y0=1,
        dy=1,
        zmin=low,
        zmax=limit,
        colorscale=_colours(picture, look),
        showscale=picture.scale != "plain",
        colorbar=_bar(look, span, low, limit),
        hoverongaps=True,
        xgap=1 if values.shape[1] <= 24 else 0,
        ygap=1 if values.shape[0] <= 24 else 0,
        hovertemplate=_hover(picture, look),
        xaxis=f"x{name}",
        yaxis=f"y{name}",
        **cells,
    )


def _hatched(allowed: np.ndarray, look: Look, name: str) -> go.Scatter:
    """The hatching of `theme`, on axes that count from 1."""
    drawn = hatching(allowed, look)
    for side in ("x", "y"):
        drawn[side] = [None if place is None else place + 1 for place in drawn[side]]
    return drawn.update(xaxis=f"x{name}", yaxis=f"y{name}")


def _hover(picture: Picture, look: Look) -> str:
    value = f"%{{z:.{look.precision}~g}}"
    if picture.cells:
        value = "%{text}" if picture.scale == "plain" else "%{text} · " + value
    return f"%{{y}} · {escape(picture.axis)} %{{x}}<br><b>{value}</b><extra></extra>"


def _colours(picture: Picture, look: Look) -> Any:
    if picture.scale == "signed":
        return diverging(look.dark)
    panel = look.colour("panel")
    return (
        [[0, panel], [1, panel]]
        if picture.scale == "plain"
        else sequential(picture.role, look.dark)
    )


def _bar(look: Look, span: tuple[float, float], low: float, high: float) -> dict[str, Any]:
    """A slim scale under the picture, with numbers at both ends and in the middle."""
    middle = (low + high) / 2
    places = (low, middle, high) if low else (low, high)
    return {
        "orientation": "h",
        "x": (span[0] + span[1]) / 2,
        "xanchor": "center",
        "yref": "container",
        "y": 0,
        "yanchor": "bottom",
        "len": (span[1] - span[0]) * 0.86,
        "thickness": look.px(BAR),
        "outlinewidth": 0,
        "ticks": "",
        "tickvals": list(places),
        "ticktext": [format_number(value, 2) if value else "0" for value in places],
        "tickfont": {"size": look.px(11), "color": look.colour("faint")},
        "xpad": 0,
        "ypad": 0,
    }


def _title(picture: Picture, look: Look, span: tuple[float, float]) -> dict[str, Any]:
    return {
        "text": escape(picture.title),
        "x": span[0],
        "xanchor": "left",
        "xref": "paper",
        "y": 1,
        "yanchor": "bottom",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": look.px(13), "color": look.colour("text")},
    }
