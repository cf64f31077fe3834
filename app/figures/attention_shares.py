"""One cell of an attention map in every head of its layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.figures.colours import head_colour
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout
from core.reading.attention_views import Numbers


def shares_figure(
    weights: Numbers, names: Sequence[str], look: Look, height: int, mean: str
) -> go.Figure:
    """The weight of one cell in each head as bars in the heads' colours; `mean` names their mean.

    weights (H,), names (H,).
    """
    layout = base_layout(
        look,
        height,
        template="none",
        xaxis={"range": [0, _reach(weights) * 1.3], "visible": False, "fixedrange": True},
        yaxis=_head_axis(names, look),
        **_mean_line(weights, mean, look),
    )
    return go.Figure([_bars(weights, look)], layout)


def _reach(weights: Numbers) -> float:
    return float(np.nan_to_num(weights).max()) or 1.0


def _bars(weights: Numbers, look: Look) -> go.Bar:
    places = np.arange(len(weights))
    return go.Bar(
        x=weights.astype(np.float32),
        y=places,
        orientation="h",
        width=0.72,
        marker={"color": [head_colour(int(head), look.dark) for head in places]},
        text=[format_number(float(weight), look.precision) for weight in weights],
        textposition="outside",
        textfont={"size": look.px(13), "color": look.colour("text")},
        cliponaxis=False,
        hovertemplate="%{x:.7~g}<extra></extra>",
    )


def _head_axis(names: Sequence[str], look: Look) -> dict[str, Any]:
    return {
        "range": [len(names) - 0.5, -1.2],  # the line's label stands above the first bar
        "tickvals": list(range(len(names))),
        "ticktext": [escape(name) for name in names],
        "tickfont": {"size": look.px(13)},
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _mean_line(weights: Numbers, mean: str, look: Look) -> dict[str, Any]:
    average = float(weights.mean())
    if np.isnan(average):
        return {}
    line = {"type": "line", "x0": average, "x1": average, "y0": -0.6, "y1": len(weights) - 0.4}
    label = {"x": average, "y": -0.9, "text": escape(mean), "showarrow": False}
    side = "left" if average < _reach(weights) / 2 else "right"
    return {
        "shapes": [
            line
            | {
                "line": {"color": look.colour("text"), "width": 1.5, "dash": "dot"},
                "layer": "below",
            }
        ],
        "annotations": [label | {"font": {"size": look.px(12)}, "xanchor": side}],
    }
