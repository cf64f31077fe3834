"""The paper's table, another one and their difference, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging
from app.figures.labels import escape, format_number
from app.figures.picture import reach
from app.figures.position_map import feature_axis, hover, position_axis
from app.figures.theme import Look, base_layout

WIDTH, HEIGHT = 900, 520
GAP = 0.03
FOOT = 76  # pixels below: axis and colour scale


def variants_figure(
    tables: Sequence[tuple[str, np.ndarray]],
    tokens: Sequence[str],
    cell: tuple[int, int],
    texts: tuple[str, str],
    look: Look,
) -> go.Figure:
    """Titles and tables (L, D), the last one the difference; `cell` (position, feature) is framed.

    texts: the axes of the positions and of the features.
    """
    length, width = tables[0][1].shape
    share = (1 - GAP * (len(tables) - 1)) / len(tables)
    drawn, notes, shapes = [], [], []
    axes: dict[str, Any] = {}
    for at, (title, values) in enumerate(tables):
        name, start = (str(at + 1) if at else ""), at * (share + GAP)
        span = [start, min(start + share, 1.0)]
        drawn.append(_cells(values, name, span, texts, at == len(tables) - 1, look))
        axes[f"xaxis{name}"] = _columns(width, look, texts[1]) | {
            "domain": span,
            "anchor": f"y{name}",
        }
        follows = {"matches": "y", "showticklabels": False} if at else {}
        title_of_rows = "" if at else texts[0]
        rows = position_axis(length, tokens, look, title_of_rows, HEIGHT - 110)
        axes[f"yaxis{name}"] = rows | follows | {"anchor": f"x{name}"}
        notes.append(_title(title, span[0], look))
        shapes.append(_frame(cell, name, look))
    layout = base_layout(
        look,
        HEIGHT,
        margin={
            "l": look.px(84),
            "r": 8,
            "t": look.px(28),
            "b": look.px(FOOT),
            "pad": 2,
        },
        shapes=shapes,
        annotations=notes,
        **axes,
    )
    return go.Figure(drawn, layout)


def _cells(
    values: np.ndarray,
    name: str,
    span: Sequence[float],
    texts: tuple[str, str],
    difference: bool,
    look: Look,
) -> go.Heatmap:
    most = reach(values) if difference and values.any() else 1.0
    return go.Heatmap(
        z=np.asarray(values, dtype=np.float32),
        x0=1,
        dx=1,
        zmin=-most,
        zmax=most,
        colorscale=diverging(look.dark),
        colorbar={
            "orientation": "h", "x": (span[0] + span[1]) / 2, "xanchor": "center",
            "len": 0.7 * (span[1] - span[0]), "y": 0, "yref": "container", "yanchor": "bottom",
            "ypad": 4, "thickness": look.px(8), "outlinewidth": 0, "ticks": "",
            "tickvals": [-most, 0, most],
            "ticktext": [format_number(each, 3) for each in (-most, 0, most)],
            "tickfont": {"size": look.px(11), "color": look.colour("faint")},
        },
        hovertemplate=hover(*texts),
        xaxis=f"x{name}",
        yaxis=f"y{name}",
    )  # fmt: skip


def _columns(width: int, look: Look, title: str) -> dict[str, Any]:
    axis = feature_axis(width, look, title)
    ticks = [axis["tickvals"][0], *axis["tickvals"][4::4]] if width > 12 else axis["tickvals"]
    return axis | {"tickvals": ticks}


def _frame(cell: tuple[int, int], name: str, look: Look) -> dict[str, Any]:
    place, feature = cell[0], cell[1] + 1
    return {
        "type": "rect", "xref": f"x{name}", "yref": f"y{name}",
        "x0": feature - 0.5, "x1": feature + 0.5, "y0": place - 0.5, "y1": place + 0.5,
        "line": {"color": look.colour("text"), "width": 2},
    }  # fmt: skip


def _title(text: str, left: float, look: Look) -> dict[str, Any]:
    return {
        "xref": "paper", "yref": "paper", "x": left, "y": 1, "xanchor": "left",
        "yanchor": "bottom", "yshift": 4, "showarrow": False, "text": f"<b>{escape(text)}</b>",
        "font": {"size": look.px(14), "color": look.colour("text")},
    }  # fmt: skip
