"""The course of a training: loss, and what the model could do at each snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.plots import drawing as go
from app.plots.axes import grid_axis
from app.plots.colours import head_colour
from app.plots.labels import escape, format_percent
from app.plots.marks import hover, note
from app.plots.theme import Look, base_layout, named_ticks
from core.analysis.training_views import timeline
from core.history import CurvePoint

EDGE = 50  # pixels left and right of the plot: the slider below has the same, and so they line up
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")  # lines differ without colour, too


@dataclass(frozen=True)
class Measured:
    """One metric over the snapshots; None where it was not measured."""

    name: str
    shares: Sequence[float | None]  # 0..1


@dataclass(frozen=True)
class CurveTexts:
    """What the figure says, in the reader's language."""

    loss: str
    held_out: str
    shares: str
    hover: str  # with {name} {step} {value}


def curves_figure(
    curve: Sequence[CurvePoint], measured: Sequence[Measured], snapshots: Sequence[int],
    texts: CurveTexts, look: Look, height: int, held_out: Sequence[float | None] = (),
) -> go.Figure:  # fmt: skip
    """Shares on the left axis, the loss in grey on the right one, over evenly spaced snapshots.

    held_out: the loss at each snapshot on sentences that were not trained on, as points.
    Where the reader stands is not in the figure: a mark that moves would draw it all again.
    """
    traces = [_loss(curve, snapshots, texts, look)] if curve else []
    known = [value for value in held_out if value is not None]
    if known:
        traces.append(_held_out(held_out, snapshots, texts, look))
    losses = [*known, *(point.loss for point in curve)]
    traces += [_metric(each, place, snapshots, texts, look) for place, each in enumerate(measured)]
    edge = look.px(EDGE)
    titles = ((texts.shares, 0, "left bottom"), (texts.loss, 1, "right bottom"))
    layout = base_layout(
        look,
        height,
        margin={"l": edge, "r": edge, "t": look.px(20), "b": look.px(24), "pad": 0},
        xaxis=steps_axis(snapshots, look),
        hovermode="closest",
        annotations=[
            note(escape(text), look, x, 1, 12, "faint", at, yshift=3)
            for text, x, at in titles[: 2 if losses else 1]
        ],
    )
    layout["yaxis"] = _share_axis(look)
    if losses:
        layout["yaxis2"] = _loss_axis(max(losses), look)
    return go.Figure(traces, layout)


def steps_axis(snapshots: Sequence[int], look: Look) -> dict[str, Any]:
    """An axis on which the snapshots are equally far from each other and named by their steps."""
    return grid_axis(look, range=[0, max(len(snapshots) - 1, 1)], type="linear") | {
        **named_ticks([str(step) for step in snapshots]),
        "tickangle": 0,
    }


def metric_colour(place: int, look: Look) -> str:
    """The colour of a metric, from the hues that the colour-blind can tell apart."""
    return head_colour(place, look.dark)


def _loss(
    curve: Sequence[CurvePoint], snapshots: Sequence[int], texts: CurveTexts, look: Look
) -> go.Scatter:
    steps = [point.step for point in curve]
    said = [_said(texts, texts.loss, point.step, look.number(point.loss)) for point in curve]
    return go.Scatter(
        x=np.asarray(timeline(steps, snapshots), dtype=np.float32),
        y=np.asarray([point.loss for point in curve], dtype=np.float32),
        yaxis="y2",
        mode="lines",
        line={"color": look.colour("faint"), "width": 2.5},
        **hover(said),
    )


def _held_out(
    losses: Sequence[float | None], snapshots: Sequence[int], texts: CurveTexts, look: Look
) -> go.Scatter:
    said = [
        "" if loss is None else _said(texts, texts.held_out, step, look.number(loss))
        for step, loss in zip(snapshots, losses, strict=True)
    ]
    return go.Scatter(
        x=np.arange(len(snapshots), dtype=np.float32),
        y=np.array(losses, np.float32),
        yaxis="y2",
        mode="markers",
        marker={"size": look.px(8), "color": look.colour("faint"), "symbol": "diamond"},
        cliponaxis=False,
        **hover(said),
    )


def _metric(
    each: Measured, place: int, snapshots: Sequence[int], texts: CurveTexts, look: Look
) -> go.Scatter:
    said = [
        "" if share is None else _said(texts, each.name, step, format_percent(share))
        for step, share in zip(snapshots, each.shares, strict=True)
    ]
    dash = DASHES[place % len(DASHES)]
    return go.Scatter(
        x=np.arange(len(snapshots), dtype=np.float32),
        y=np.array(each.shares, np.float32),
        mode="lines+markers",
        connectgaps=True,
        line={"color": metric_colour(place, look), "width": 2.5, "dash": dash},
        marker={"size": look.px(6)},
        cliponaxis=False,
        **hover(said),
    )


def _said(texts: CurveTexts, name: str, step: int, value: str) -> str:
    return escape(texts.hover.format(name=name, step=step, value=value))


def _share_axis(look: Look) -> dict[str, Any]:
    ticks = named_ticks(["0%", "50%", "100%"], [0, 0.5, 1])
    return grid_axis(look, range=[-0.03, 1.03], ticklabelstandoff=8) | ticks


def _loss_axis(most: float, look: Look) -> dict[str, Any]:
    step = next((each for each in (0.1, 0.2, 0.5, 1, 2, 5, 10) if 5 * each >= most), most or 1)
    return grid_axis(look, range=[-0.03 * most, 1.03 * most], ticklabelstandoff=8) | {
        "overlaying": "y",
        "side": "right",
        "tickmode": "array",
        "tickvals": [tick * step for tick in range(int(most / step) + 1)],
        "showgrid": False,
    }
