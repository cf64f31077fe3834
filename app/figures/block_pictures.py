"""What goes into a block, what happens and what comes out: heat maps side by side, one a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging, sequential
from app.figures.column_words import column_words, words_height
from app.figures.labels import escape, fitted, format_number, visible, widest
from app.figures.picture import Picture
from app.figures.theme import Look, base_layout, hatching, token_axis

BAR, TITLE, FOOT, GAP = 8, 24, 66, 0.035  # pixels; GAP is a share of the width
SCALE = 32  # pixels of the foot that the colour scale takes
WIDEST_MARGIN = 136  # pixels for the words of the rows


def block_pictures(
    pictures: Sequence[Picture],
    words: Sequence[str],
    look: Look,
    height: int = 330,
    pixels: float = 560,
) -> go.Figure:
    """The pictures from left to right over one word axis, each with its own scale below it.

    The first curves of the figure are the pictures, in their order.

    words: of the rows, the same for all. pixels: how wide the figure will be.
    """
    room = look.px(WIDEST_MARGIN)
    shown = [fitted(visible(word), look.px(13), room - 16) for word in words]
    margin = int(min(max((widest(word, look.px(13)) for word in shown), default=0) + 16, room))
    spans = _spans([picture.share for picture in pictures])
    foot = max([look.px(FOOT), *(words_height(each, look) + look.px(SCALE) for each in pictures)])
    axes: dict[str, Any] = {}
    maps: list[go.Heatmap] = []
    hatched: list[go.Heatmap | go.Scatter] = []
    notes = [_title(picture, look, span) for picture, span in zip(pictures, spans, strict=True)]
    for at, (picture, span) in enumerate(zip(pictures, spans, strict=True)):
        name = str(at + 1) if at else ""
        width = (pixels - margin) * (span[1] - span[0])
        axes[f"xaxis{name}"] = _columns_axis(picture, look, width) | {"domain": list(span)}
        axes[f"yaxis{name}"] = _words_axis(shown, look, height - TITLE - foot, name)
        maps.append(_heat_map(picture, words, look, name, span, height - TITLE - foot))
        notes += column_words(picture, look, width, name)
        if picture.allowed is not None and not picture.allowed.all():
            hatched.append(_hatched(picture.allowed, look, name))
    sides = {"l": margin, "r": 6, "t": look.px(TITLE), "b": foot}
    layout = base_layout(look, height, margin=sides, annotations=notes, **axes)
    # One call: every later change of a figure costs Plotly as much as making it.
    return go.Figure([*maps, *hatched], layout)


def _spans(shares: Sequence[float]) -> list[tuple[float, float]]:
    unit = (1 - GAP * (len(shares) - 1)) / sum(shares)
    spans, start = [], 0.0
    for share in shares:
        spans.append((start, min(start + share * unit, 1.0)))
        start += share * unit + GAP
    return spans


def _words_axis(words: Sequence[str], look: Look, height: float, name: str) -> dict[str, Any]:
    """The rows; only the first picture writes the words, the others follow it."""
    rows = _from_one(token_axis(words, look, height, side="left"))
    more = {"showticklabels": False, "matches": "y"} if name else {"ticklabelstandoff": 5}
    return rows | more | {"automargin": False, "anchor": f"x{name}"}


def _columns_axis(picture: Picture, look: Look, width: float) -> dict[str, Any]:
    count, title = picture.values.shape[1], picture.axis
    if words_height(picture, look):
        title = ""
        axis = _from_one(token_axis(picture.columns or (), look, width)) | {"showticklabels": False}
    elif picture.columns is not None:
        axis = _from_one(token_axis(picture.columns, look, width, side="bottom"))
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
        "title": {"text": escape(title), "standoff": 0, "font": font},
        "tickfont": {"size": look.px(11), "color": look.colour("faint")},
    }


def _from_one(axis: dict[str, Any]) -> dict[str, Any]:
    """A token axis whose positions count from 1, so that a number on hover is the screen's."""
    shifted = {name: [value + 1 for value in axis[name]] for name in ("tickvals", "range")}
    return axis | shifted


def _heat_map(
    picture: Picture, rows: Sequence[str], look: Look, name: str, span: tuple[float, float],
    height: float,
) -> go.Heatmap:  # fmt: skip
    values = np.asarray(picture.values, dtype=np.float32)
    limit = picture.end
    low = -limit if picture.scale == "signed" else 0.0
    cells: dict[str, Any] = {}
    if picture.cells:
        cells["text"] = [[escape(visible(cell)) for cell in row] for row in picture.cells]
    if picture.columns is not None:
        cells["customdata"] = _pairs(rows, picture.columns)
    tall = height / max(len(values), 1) >= look.px(12)
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
        colorbar=_bar(look, span, low, limit, picture.clipped),
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
    drawn.update(xaxis=f"x{name}", yaxis=f"y{name}")
    return drawn


def _pairs(rows: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    """Which words meet in a cell, for the pointer."""
    across = [escape(visible(word)) for word in columns]
    return [[f"{escape(word)} → {other}" for other in across] for word in rows]


def _hover(picture: Picture, look: Look) -> str:
    value = f"%{{z:.{look.precision}~g}}"
    if picture.columns is not None:
        return f"%{{customdata}}<br><b>{value}</b><extra></extra>"
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


def _bar(
    look: Look, span: tuple[float, float], low: float, high: float, clipped: bool
) -> dict[str, Any]:
    """A slim scale under the picture; "≥" where larger values have the colour of its end."""
    ends = [(low, f"≤ {format_number(low, 2)}"), (high, f"≥ {format_number(high, 2)}")]
    places = (low, 0.0, high) if low else (low, high)
    written = dict(ends) if clipped else {}
    written[0.0] = "0"
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
        "ticktext": [written.get(value, format_number(value, 2)) for value in places],
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
