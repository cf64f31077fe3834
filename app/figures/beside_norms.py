"""How long the vectors of two runs are along depth: a line a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.figures import drawing as go
from app.figures.labels import escape
from app.figures.theme import Look, base_layout
from core.reading.vectors import Numbers


def beside_norms(
    means: tuple[Numbers, Numbers],
    names: tuple[str, str],
    ticks: Sequence[str],
    look: Look,
    height: int,
) -> go.Figure:
    """Mean lengths (N,) of either run; the second one dashed, in the colour of what changed."""
    lines: list[go.Scatter] = []
    styles = (("data", "solid"), ("changed", "dash"))
    for mean, name, (role, dash) in zip(means, names, styles, strict=True):
        line = go.Scatter(
            x=np.arange(len(mean), dtype=np.float32),
            y=mean.astype(np.float32),
            name=escape(name),
            mode="lines+markers",
            line={"color": look.colour(role), "width": 3, "dash": dash},
            marker={"size": look.px(8)},
            hovertemplate="<b>%{fullData.name}</b> ‖x‖ = %{y:.4~g}<extra></extra>",
        )
        lines.append(line)
    layout = base_layout(look, height, template="none", hovermode="closest", showlegend=True)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    layout["margin"] = {"l": 8, "r": 12, "t": look.px(30), "b": 8, "pad": 2}
    layout["xaxis"] = layout["xaxis"] | {
        "tickmode": "array",
        "tickvals": [at for at, tick in enumerate(ticks) if tick],
        "ticktext": [escape(tick) for tick in ticks if tick],
        "tickangle": 0,
        "tickfont": {"size": look.px(11)},
        "range": [-0.3, len(ticks) - 0.7],
    }
    layout["yaxis"] = layout["yaxis"] | {"rangemode": "tozero", "showgrid": True, "nticks": 5}
    return go.Figure(lines, layout)
