"""How long each word's vector is at every place along depth: a line a word, one in focus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import faded
from app.figures.labels import escape, visible
from app.figures.theme import Look, base_layout
from core.reading.residual_stream import Depth

MOST_TICKS = 9  # places that all have a name below them


def norms_figure(
    depth: Depth, labels: Sequence[str], position: int, ticks: Sequence[str], title: str,
    look: Look, height: int,
) -> go.Figure:  # fmt: skip
    """Lengths ‖x‖ over depth; every point carries its word's position for clicks.

    labels: of the words, T. ticks: below the places, N; "" for one without a name.
    """
    count, words = depth.lengths.shape  # N, T
    others = [at for at in range(words) if at != position]
    gap = np.full((len(others), 1), np.nan)
    rest = np.concatenate([depth.lengths.T[others], gap], axis=1).reshape(-1)
    shared = {"hovertemplate": "<b>%{text}</b> ‖x‖ = %{y:.4~g}<extra></extra>"}
    names = [escape(visible(label)) for label in labels]
    return go.Figure(
        [
            go.Scatter(
                x=np.tile(np.append(np.arange(count, dtype=np.float32), np.nan), len(others)),
                y=rest.astype(np.float32),
                mode="lines",
                line={"color": faded(look.colour("faint"), 0.45), "width": 1.2},
                text=[names[at] for at in others for _ in range(count + 1)],
                customdata=np.repeat(np.asarray(others, dtype=np.int32), count + 1),
                **shared,
            ),
            go.Scatter(
                x=np.arange(count, dtype=np.float32),
                y=depth.lengths[:, position].astype(np.float32),
                mode="lines+markers",
                line={"color": look.colour("data"), "width": 3},
                marker={"size": look.px(8)},
                text=[names[position]] * count,
                customdata=np.full(count, position, dtype=np.int32),
                **shared,
            ),
        ],
        _layout(count, ticks, title, look, height),
    )


def _layout(
    count: int, ticks: Sequence[str], title: str, look: Look, height: int
) -> dict[str, Any]:
    layout = base_layout(look, height, template="none", hovermode="closest")
    layout["margin"] = {"l": 8, "r": 12, "t": look.px(20), "b": 8, "pad": 2}
    layout["xaxis"] = layout["xaxis"] | {
        "tickmode": "array",
        "tickvals": [at for at in range(count) if ticks[at]],
        "ticktext": [escape(each) for each in ticks if each],
        "tickangle": 0,
        "tickfont": {"size": look.px(11)},
        "range": [-0.3, count - 0.7],
    }
    layout["yaxis"] = layout["yaxis"] | {"rangemode": "tozero", "showgrid": True, "nticks": 5}
    layout["annotations"] = [
        {
            "text": escape(title), "showarrow": False, "xref": "paper", "yref": "paper", "x": 0,
            "y": 1, "xanchor": "left", "yanchor": "bottom", "yshift": 2,
            "font": {"size": look.px(12), "color": look.colour("faint")},
        }
    ]  # fmt: skip
    return layout
