"""How probable each run found the word that it wrote, step beside step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from app.figures.labels import escape, visible
from app.figures.theme import Look, base_layout
from core.edits.translations import Word


def beside_steps(
    steps: Sequence[Word], names: tuple[str, str], look: Look, height: int
) -> go.Figure:
    """Two bars a step (0 … 1); the second run in the colour of what changed."""
    figure = go.Figure()
    own = [
        ([each.before for each in steps], [each.old_word[0] for each in steps], "data"),
        ([each.after for each in steps], [each.new_word[1] for each in steps], "changed"),
    ]
    for (words, chances, role), name in zip(own, names, strict=True):
        figure.add_bar(
            x=np.arange(len(steps), dtype=np.float32),
            y=np.array([np.nan if each is None else each for each in chances], dtype=np.float32),
            name=escape(name),
            text=["" if each is None else escape(visible(each)) for each in words],
            textposition="none",
            marker={"color": look.colour(role)},
            hovertemplate="<b>%{text}</b> %{y:.4~g}<extra>%{fullData.name}</extra>",
        )
    layout = base_layout(look, height, template="none", hovermode="closest", showlegend=True)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    layout["margin"] = {"l": 8, "r": 12, "t": look.px(28), "b": 8, "pad": 2}
    layout["xaxis"] = layout["xaxis"] | {
        "tickmode": "array",
        "tickvals": list(range(len(steps))),
        "ticktext": [str(at + 1) for at in range(len(steps))],
        "range": [-0.6, len(steps) - 0.4],
    }
    layout["yaxis"] = layout["yaxis"] | {"range": [0, 1.02], "showgrid": True, "nticks": 5}
    return figure.update_layout(layout, barmode="group", bargap=0.35)
