"""How probable each run found the word that it wrote, step beside step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.figures import drawing as go
from app.figures.labels import escape, visible
from app.figures.theme import Look, base_layout
from core.edits.translations import Word

LEFT = 100  # pixels: the columns stand below those of a table with row titles as wide


def step_name(step: Word) -> str:
    """Which step of the decoder it is, counted from 1; of both runs where they differ: "4|6"."""
    rows = (step.before_row, step.after_row)
    if rows[0] == rows[1]:
        return str((rows[0] or 0) + 1)
    return "|".join("–" if row is None else str(row + 1) for row in rows)


def beside_steps(
    steps: Sequence[Word], names: tuple[str, str], look: Look, height: int
) -> go.Figure:
    """Two bars a step (0 … 1); the second run in the colour of what changed."""
    bars: list[go.Bar] = []
    own = [
        ([each.before for each in steps], [each.old_word[0] for each in steps], "data"),
        ([each.after for each in steps], [each.new_word[1] for each in steps], "changed"),
    ]
    for (words, chances, role), name in zip(own, names, strict=True):
        bar = go.Bar(
            x=np.arange(len(steps), dtype=np.float32),
            y=np.array([np.nan if each is None else each for each in chances], dtype=np.float32),
            name=escape(name),
            text=["" if each is None else escape(visible(each)) for each in words],
            textposition="none",
            marker={"color": look.colour(role)},
            hovertemplate="<b>%{text}</b> %{y:.4~g}<extra>%{fullData.name}</extra>",
        )
        bars.append(bar)
    layout = base_layout(look, height, template="none", hovermode="closest", showlegend=True)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    margin = {"l": look.px(LEFT), "r": 4, "t": look.px(28), "b": look.px(22), "pad": 2}
    layout["margin"] = margin | {"autoexpand": False}
    layout["xaxis"] = layout["xaxis"] | {
        "tickmode": "array",
        "tickvals": list(range(len(steps))),
        "ticktext": [step_name(each) for each in steps],
        "range": [-0.5, len(steps) - 0.5],
    }
    layout["yaxis"] = layout["yaxis"] | {"range": [0, 1.02], "showgrid": True, "nticks": 5}
    return go.Figure(bars, layout | {"barmode": "group", "bargap": 0.35})
