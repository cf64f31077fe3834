"""The course of a training: loss, and what the model could do at each snapshot."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.labels import escape, format_percent
from glassformer.app.plots.marks import annotate_at, hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks
from glassformer.core.analysis.training_views import snapshot_axis
from glassformer.core.text_models.history import CurvePoint

EDGE = 50  # pixels left and right of the plot: the slider below has the same, and so they line up
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")  # lines differ without colour, too


def curves_figure(
    curve: Sequence[CurvePoint], measured: Mapping[str, Sequence[float | None]],
    snapshots: Sequence[int], texts: Mapping[str, str], look: FigureStyle, height: int,
    held_out: Sequence[float | None] = (),
) -> go.Figure:  # fmt: skip
    """Shares on the left axis, the loss in grey on the right one, over evenly spaced snapshots.

    measured: metrics by name, a share of 0..1 a snapshot, None where it was not measured. held_out:
    the loss at each snapshot on sentences that were not trained on, as points. texts: "loss",
    "held_out", "shares", "hover" with {name} {step} {value}.
    Where the reader stands is not in the figure: a mark that moves would draw it all again.
    """
    traces = [_loss(curve, snapshots, texts, look)] if curve else []
    known = [value for value in held_out if value is not None]
    if known:
        mark = {"size": look.px(8), "color": look.colour("faint"), "symbol": "diamond"}
        points = _points(texts["held_out"], held_out, look.number, snapshots, texts)
        traces.append(go.Scatter(**points, yaxis="y2", mode="markers", marker=mark))
    for place, (name, shares) in enumerate(measured.items()):
        colour, dash = head_colour(place, look.dark), DASHES[place % len(DASHES)]
        line = {"line": {"color": colour, "width": 2.5, "dash": dash}, "connectgaps": True}
        points = _points(name, shares, format_percent, snapshots, texts)
        mark = {"size": look.px(6)}
        traces.append(go.Scatter(**points, **line, mode="lines+markers", marker=mark))
    losses = [*known, *(point.loss for point in curve)]
    return go.Figure(traces, _layout(losses, snapshots, texts, look, height))


def _layout(
    losses: Sequence[float], snapshots: Sequence[int], texts: Mapping[str, str], look: FigureStyle,
    height: int,
) -> dict[str, Any]:  # fmt: skip
    edge, titles = look.px(EDGE), [("shares", 0, "left bottom"), ("loss", 1, "right bottom")]
    layout = base_layout(
        look,
        height,
        margin={"l": edge, "r": edge, "t": look.px(20), "b": look.px(24), "pad": 0},
        xaxis=steps_axis(snapshots, look),
        hovermode="closest",
        annotations=[
            annotate_at(escape(texts[name]), look, x, 1, 12, "faint", at, yshift=3)
            for name, x, at in titles[: 2 if losses else 1]
        ],
    )
    layout["yaxis"] = grid_axis(look, range=[-0.03, 1.03], ticklabelstandoff=8)
    layout["yaxis"] |= named_ticks(["0%", "50%", "100%"], [0, 0.5, 1])
    if losses:
        layout["yaxis2"] = _loss_axis(max(losses), look)
    return layout


def steps_axis(snapshots: Sequence[int], look: FigureStyle) -> dict[str, Any]:
    """An axis on which the snapshots are equally far from each other and named by their steps."""
    return grid_axis(look, range=[0, max(len(snapshots) - 1, 1)], type="linear") | {
        **named_ticks([str(step) for step in snapshots]),
        "tickangle": 0,
    }


def _loss(
    curve: Sequence[CurvePoint],
    snapshots: Sequence[int],
    texts: Mapping[str, str],
    look: FigureStyle,
) -> go.Scatter:
    steps, losses = [point.step for point in curve], [point.loss for point in curve]
    return go.Scatter(
        x=np.asarray(snapshot_axis(steps, snapshots), dtype=np.float32),
        y=np.asarray(losses, dtype=np.float32),
        yaxis="y2",
        mode="lines",
        line={"color": look.colour("faint"), "width": 2.5},
        **_hover(texts["loss"], steps, losses, look.number, texts),
    )


def _points(
    name: str, values: Sequence[float | None], write: Callable[[float], str],
    snapshots: Sequence[int], texts: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    """A value a snapshot; None has no point."""
    return {
        "x": np.arange(len(snapshots), dtype=np.float32),
        "y": np.array(values, np.float32),
        "cliponaxis": False,
        **_hover(name, snapshots, values, write, texts),
    }


def _hover(
    name: str, steps: Sequence[int], values: Sequence[float | None],
    write: Callable[[float], str], texts: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    said = [
        "" if value is None else texts["hover"].format(name=name, step=step, value=write(value))
        for step, value in zip(steps, values, strict=True)
    ]
    return hover_texts([*map(escape, said)])


def _loss_axis(most: float, look: FigureStyle) -> dict[str, Any]:
    step = next((each for each in (0.1, 0.2, 0.5, 1, 2, 5, 10) if 5 * each >= most), most or 1)
    return grid_axis(look, range=[-0.03 * most, 1.03 * most], ticklabelstandoff=8) | {
        "overlaying": "y",
        "side": "right",
        "tickmode": "array",
        "tickvals": [tick * step for tick in range(int(most / step) + 1)],
        "showgrid": False,
    }
