"""Two places of a sentence: word, position and their sum, a strip of features each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging
from app.figures.labels import escape, fitted
from app.figures.picture import bulk
from app.figures.position_map import feature_axis, plain_axis
from app.figures.theme import Look, base_layout, colour_bar

WIDTH, HEIGHT = 900, 540
ROOM = 108  # pixels for the names of the rows
GAP = 0.09  # share of the height between two strips: their titles stand there


def same_figure(
    strips: Sequence[tuple[str, np.ndarray, Sequence[str]]],
    feature: int,
    texts: tuple[str, str],
    look: Look,
) -> go.Figure:
    """Strips below each other on one colour scale.

    Args:
        strips: title, numbers (rows, D), names of the rows.
        feature: the one in focus, framed.
        texts: the axis of the features, the hover's word for the number.
        look: theme, type size, precision.
    """
    width = strips[0][1].shape[1]
    most = bulk(np.concatenate([values for _, values, _ in strips]))
    drawn = []
    axes: dict[str, Any] = {}
    notes = []
    domains = _domains([len(values) for _, values, _ in strips])
    for at, ((title, values, names), domain) in enumerate(zip(strips, domains, strict=True)):
        axis = str(at + 1) if at else ""
        drawn.append(_strip(values, names, most, axis, texts, look, at == 0))
        axes[f"yaxis{axis}"] = _rows(names, look) | {"domain": domain, "anchor": "x"}
        notes.append(_title(title, domain[1], look))
    bottom = f"y{len(strips)}"
    axes["xaxis"] = feature_axis(width, look, texts[0]) | {"anchor": bottom}
    layout = base_layout(
        look,
        HEIGHT,
        margin={"l": look.px(ROOM), "r": 8, "t": look.px(26), "b": look.px(44), "pad": 2},
        shapes=[_frame(feature + 1, domain, look) for domain in domains],
        annotations=notes,
        **axes,
    )
    return go.Figure(drawn, layout)


def _domains(counts: Sequence[int]) -> list[list[float]]:
    """From top to bottom, a row the same height everywhere."""
    row = (1 - GAP * (len(counts) - 1)) / sum(counts)
    spans, top = [], 1.0
    for count in counts:
        spans.append([max(top - row * count, 0.0), top])
        top -= row * count + GAP
    return spans


def _strip(
    values: np.ndarray,
    names: Sequence[str],
    most: float,
    axis: str,
    texts: tuple[str, str],
    look: Look,
    scale: bool,
) -> go.Heatmap:
    rows = [[escape(name)] * values.shape[1] for name in names]
    return go.Heatmap(
        z=np.asarray(values, dtype=np.float32),
        x0=1,
        dx=1,
        zmin=-most,
        zmax=most,
        colorscale=diverging(look.dark),
        showscale=scale,
        colorbar=colour_bar(look),
        ygap=2,
        text=rows,
        hovertemplate=f"%{{text}}<br>{escape(texts[0])} %{{x}}<br>"
        f"{escape(texts[1])} <b>%{{z:.7~g}}</b><extra></extra>",
        xaxis="x",
        yaxis=f"y{axis}",
    )


def _rows(names: Sequence[str], look: Look) -> dict[str, Any]:
    return plain_axis(look) | {
        "tickvals": list(range(len(names))),
        "ticktext": [escape(fitted(name, look.px(13), look.px(ROOM - 14))) for name in names],
        "range": [len(names) - 0.5, -0.5],
        "automargin": False,
    }


def _frame(feature: int, domain: Sequence[float], look: Look) -> dict[str, Any]:
    return {
        "type": "rect", "yref": "paper", "x0": feature - 0.5, "x1": feature + 0.5,
        "y0": domain[0], "y1": domain[1], "line": {"color": look.colour("text"), "width": 1.5},
    }  # fmt: skip


def _title(text: str, top: float, look: Look) -> dict[str, Any]:
    return {
        "xref": "paper", "yref": "paper", "x": 0, "y": top, "xanchor": "left", "yanchor": "bottom",
        "yshift": 2, "showarrow": False, "text": escape(text),
        "font": {"size": look.px(13), "color": look.colour("text")},
    }  # fmt: skip
