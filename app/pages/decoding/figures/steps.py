"""Two runs step by step: the probabilities of what they wrote."""

from collections.abc import Sequence

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks
from glassformer.core.interventions.translations import TranslatedWord

LEFT = 100  # pixels: the columns stand below those of a table with row titles as wide
ROLES, SHAPES = ("data", "changed"), ("", "/")  # of the two bars of a step


def step_name(step: TranslatedWord) -> str:
    """Which step of the decoder it is, counted from 1; of both runs where they differ: "4|6"."""
    rows = (step.before_row, step.after_row)
    if rows[0] == rows[1]:
        return str((rows[0] or 0) + 1)
    return "|".join("–" if row is None else str(row + 1) for row in rows)


def beside_steps(
    steps: Sequence[TranslatedWord], names: tuple[str, str], look: FigureStyle, height: int
) -> go.Figure:
    """Two bars a step (0 … 1); the second run in the colour of what changed."""
    own = [
        ([each.before for each in steps], [each.old_word[0] for each in steps]),
        ([each.after for each in steps], [each.new_word[1] for each in steps]),
    ]
    bars = [
        go.Bar(
            x=np.arange(len(steps), dtype=np.float32),
            y=np.array([np.nan if each is None else each for each in chances], dtype=np.float32),
            name=escape(name),
            text=["" if each is None else escape(visible(each)) for each in words],
            textposition="none",
            marker={"color": look.colour(role), "pattern": {"shape": shape, "size": look.px(6)}},
            hovertemplate="<b>%{text}</b> %{y:.4~g}<extra>%{fullData.name}</extra>",
        )
        for (words, chances), name, role, shape in zip(own, names, ROLES, SHAPES, strict=True)
    ]
    layout = base_layout(look, height, template="none", hovermode="closest", showlegend=True)
    layout["legend"] = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    margin = {"l": look.px(LEFT), "r": 4, "t": look.px(28), "b": look.px(22), "pad": 2}
    layout["margin"] = margin | {"autoexpand": False}
    names_below = named_ticks([step_name(each) for each in steps])
    layout["xaxis"] |= names_below | {"range": [-0.5, len(steps) - 0.5]}
    layout["yaxis"] |= {"range": [0, 1.02], "showgrid": True, "nticks": 5}
    return go.Figure(bars, layout | {"barmode": "group", "bargap": 0.35})
