"""How long the vectors are along depth: a line a word, or a line a run."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import fade_colour
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.marks import annotate_at
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks
from glassformer.app.words import say
from glassformer.core.analysis.residual_stream import Depth
from glassformer.core.analysis.vectors import Numbers

MOST_TICKS = 9  # places that all have a name below them


def norms_figure(
    depth: Depth, labels: Sequence[str], position: int, ticks: Sequence[str], look: FigureStyle
) -> go.Figure:
    """Lengths ‖x‖ over depth; every point carries its word's position for clicks.

    labels: of the words, T. ticks: below the places, N; "" for one without a name.
    """
    count, words = depth.lengths.shape  # N, T
    others = [at for at in range(words) if at != position]
    gap = np.full((len(others), 1), np.nan)
    rest = np.concatenate([depth.lengths.T[others], gap], axis=1).reshape(-1)
    shared = {"hovertemplate": "<b>%{text}</b> ‖x‖ = %{y:.4~g}<extra></extra>"}
    names = [escape(visible(label)) for label in labels]
    faint = go.Scatter(
        x=np.tile(np.append(np.arange(count, dtype=np.float32), np.nan), len(others)),
        y=rest.astype(np.float32),
        mode="lines",
        line={"color": fade_colour(look.colour("faint"), 0.45), "width": 1.2},
        text=[names[at] for at in others for _ in range(count + 1)],
        customdata=np.repeat(np.asarray(others, dtype=np.int32), count + 1),
        **shared,
    )
    own = _line(
        depth.lengths[:, position],
        look,
        text=[names[position]] * count,
        customdata=np.full(count, position, dtype=np.int32),
        **shared,
    )
    layout = _layout(ticks, look, 240, 20)
    title = escape(say("stream.norms"))
    layout["annotations"] = [annotate_at(title, look, 0, 1, 12, "faint", yshift=2)]
    return go.Figure([faint, own], layout)


def beside_norms(
    means: tuple[Numbers, Numbers], names: tuple[str, str], ticks: Sequence[str], look: FigureStyle
) -> go.Figure:
    """Mean lengths (N,) of either run; the second one dashed, in the colour of what changed."""
    said = {"hovertemplate": "<b>%{fullData.name}</b> ‖x‖ = %{y:.4~g}<extra></extra>"}
    styles = (("data", "solid"), ("changed", "dash"))
    lines = [
        _line(mean, look, role, dash, name=escape(name), **said)
        for mean, name, (role, dash) in zip(means, names, styles, strict=True)
    ]
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    layout = _layout(ticks, look, 440, 30)
    return go.Figure(lines, layout | {"showlegend": True, "legend": legend})


def _line(
    lengths: Numbers, look: FigureStyle, role: str = "data", dash: str = "solid", **more: Any
) -> go.Scatter:
    return go.Scatter(
        x=np.arange(len(lengths), dtype=np.float32),
        y=lengths.astype(np.float32),
        mode="lines+markers",
        line={"color": look.colour(role), "width": 3, "dash": dash},
        marker={"size": look.px(8)},
        **more,
    )


def _layout(ticks: Sequence[str], look: FigureStyle, height: int, top: int) -> dict[str, Any]:
    margin = {"l": 8, "r": 12, "t": look.px(top), "b": 8, "pad": 2}
    layout = base_layout(look, look.px(height), template="none", hovermode="closest", margin=margin)
    named = [at for at, tick in enumerate(ticks) if tick]
    layout["xaxis"] |= {
        **named_ticks([escape(ticks[at]) for at in named], named),
        "tickangle": 0,
        "tickfont": {"size": look.px(11)},
        "range": [-0.3, len(ticks) - 0.7],
    }
    layout["yaxis"] |= {"rangemode": "tozero", "showgrid": True, "nticks": 5}
    return layout
