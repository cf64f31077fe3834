"""The course of a training: loss, and what the model could do at each snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import head_colour
from app.figures.labels import escape, format_number, format_percent
from app.figures.theme import Look, base_layout
from core.history import CurvePoint
from core.reading.training_views import timeline

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
    layout = base_layout(
        look,
        height,
        margin={"l": edge, "r": edge, "t": look.px(20), "b": look.px(24), "pad": 0},
        xaxis=steps_axis(snapshots, look),
        hovermode="closest",
        annotations=[
            _title(texts.shares, 0, "left", look),
            *([_title(texts.loss, 1, "right", look)] if losses else []),
        ],
    )
    layout["yaxis"] = _share_axis(look)
    if losses:
        layout["yaxis2"] = _loss_axis(max(losses), look)
    return go.Figure(traces, layout)


def steps_axis(snapshots: Sequence[int], look: Look) -> dict[str, Any]:
    """An axis on which the snapshots are equally far from each other and named by their steps."""
    return plain_axis(look) | {
        "tickmode": "array",
        "tickvals": list(range(len(snapshots))),
        "ticktext": [str(step) for step in snapshots],
        "tickangle": 0,
        "range": [0, max(len(snapshots) - 1, 1)],
        "type": "linear",
    }


def plain_axis(look: Look) -> dict[str, Any]:
    """An axis with small grey names and a thin grid, that cannot be moved."""
    return {
        "tickfont": {"size": look.px(12), "color": look.colour("faint")},
        "showgrid": True,
        "gridcolor": look.colour("line"),
        "zeroline": False,
        "fixedrange": True,
        "automargin": False,
    }


def metric_colour(place: int, look: Look) -> str:
    """The colour of a metric, from the hues that the colour-blind can tell apart."""
    return head_colour(place, look.dark)


def _loss(
    curve: Sequence[CurvePoint], snapshots: Sequence[int], texts: CurveTexts, look: Look
) -> go.Scatter:
    steps = [point.step for point in curve]
    said = [_said(texts, texts.loss, point.step, _number(point.loss, look)) for point in curve]
    return go.Scatter(
        x=np.asarray(timeline(steps, snapshots), dtype=np.float32),
        y=np.asarray([point.loss for point in curve], dtype=np.float32),
        yaxis="y2",
        mode="lines",
        line={"color": look.colour("faint"), "width": 2.5},
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _held_out(
    losses: Sequence[float | None], snapshots: Sequence[int], texts: CurveTexts, look: Look
) -> go.Scatter:
    said = [
        "" if loss is None else _said(texts, texts.held_out, step, _number(loss, look))
        for step, loss in zip(snapshots, losses, strict=True)
    ]
    return go.Scatter(
        x=np.arange(len(snapshots), dtype=np.float32),
        y=np.array([np.nan if loss is None else loss for loss in losses], np.float32),
        yaxis="y2",
        mode="markers",
        marker={"size": look.px(8), "color": look.colour("faint"), "symbol": "diamond"},
        cliponaxis=False,
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _number(value: float, look: Look) -> str:
    return format_number(value, look.precision)


def _metric(
    each: Measured, place: int, snapshots: Sequence[int], texts: CurveTexts, look: Look
) -> go.Scatter:
    said = [
        "" if share is None else _said(texts, each.name, step, format_percent(share))
        for step, share in zip(snapshots, each.shares, strict=True)
    ]
    return go.Scatter(
        x=np.arange(len(snapshots), dtype=np.float32),
        y=np.array([np.nan if share is None else share for share in each.shares], np.float32),
        mode="lines+markers",
        connectgaps=True,
        line={
            "color": metric_colour(place, look),
            "width": 2.5,
            "dash": DASHES[place % len(DASHES)],
        },
        marker={"size": look.px(6)},
        cliponaxis=False,
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _said(texts: CurveTexts, name: str, step: int, value: str) -> str:
    return escape(texts.hover.format(name=name, step=step, value=value))


def _share_axis(look: Look) -> dict[str, Any]:
    return plain_axis(look) | {
        "range": [-0.03, 1.03],
        "ticklabelstandoff": 8,
        "tickvals": [0, 0.5, 1],
        "ticktext": ["0%", "50%", "100%"],
    }


def _loss_axis(most: float, look: Look) -> dict[str, Any]:
    step = next((each for each in (0.1, 0.2, 0.5, 1, 2, 5, 10) if 5 * each >= most), most or 1)
    return plain_axis(look) | {
        "overlaying": "y",
        "ticklabelstandoff": 8,
        "side": "right",
        "range": [-0.03 * most, 1.03 * most],
        "tickmode": "array",
        "tickvals": [tick * step for tick in range(int(most / step) + 1)],
        "showgrid": False,
    }


def _title(text: str, x: float, side: str, look: Look) -> dict[str, Any]:
    return {
        "text": escape(text),
        "x": x,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": side,
        "yanchor": "bottom",
        "yshift": 3,
        "showarrow": False,
        "font": {"size": look.px(12), "color": look.colour("faint")},
    }
