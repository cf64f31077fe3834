"""A run while it grows: its curve, and one head of the model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.plots import drawing as go
from app.plots.heat import heat_map
from app.plots.labels import escape, visible
from app.plots.marks import hover
from app.plots.theme import Look, base_layout, token_axis
from core.history import CurvePoint, SnapshotMetrics

FIRST_LOSS = 8.0  # about where runs begin: the frame is there before its first point

Place = tuple[float, float]  # 0–1 from the left and from the bottom
Tick = tuple[float, str]


@dataclass(frozen=True)
class CurveDrawing:
    """Where everything lies in the frame."""

    line: tuple[Place, ...]  # the loss of training
    marks: tuple[Place, ...]  # the loss on held-out sentences, at each saved step
    across: tuple[Tick, ...]  # steps
    up: tuple[Tick, ...]  # nats a word

    def to_dict(self) -> dict[str, Any]:
        """For the component."""
        return asdict(self)


def curve_drawing(
    curve: Sequence[CurvePoint], saved: Sequence[SnapshotMetrics], steps: int
) -> CurveDrawing:
    """The drawing of a run of so many steps; the loss begins at 0 and fills the height."""
    held_out = [(each.step, each.metrics["loss"]) for each in saved if "loss" in each.metrics]
    losses = [*(point.loss for point in curve), *(loss for _, loss in held_out)]
    most = _round_up(max(losses, default=FIRST_LOSS))
    return CurveDrawing(
        line=tuple(_place(point.step, point.loss, steps, most) for point in curve),
        marks=tuple(_place(step, loss, steps, most) for step, loss in held_out),
        across=tuple((share, str(round(share * steps))) for share in (0, 0.25, 0.5, 0.75, 1)),
        up=tuple((tick / most, f"{tick:g}") for tick in _ticks(most)),
    )


def _place(step: int, loss: float, steps: int, most: float) -> Place:
    return round(step / steps, 5), round(min(loss / most, 1.0), 5)


def _ticks(most: float) -> list[float]:
    step = next((each for each in (0.1, 0.25, 0.5, 1, 2, 5, 10) if most / each <= 5), most)
    return [tick * step for tick in range(math.floor(most / step + 1e-9) + 1)]


def _round_up(value: float) -> float:
    """The next whole number, or half of one below 2."""
    return max(0.5, math.ceil(2 * value) / 2) if value < 2 else float(math.ceil(value))


def head_figure(
    weights: np.ndarray,
    written: Sequence[str],
    source: Sequence[str],
    template: str,
    look: Look,
    size: tuple[int, int],
) -> go.Figure:
    """The weights (T, S) of one head: a row a written word, a column a source word.

    template: with {row} {column} {value}. size: width and height in pixels. The colours run from 0
    to 1 at every step, so that steps can be compared.
    """
    width, height = size

    def said(row: str, column: str, value: float) -> str:
        names = {"row": escape(visible(row)), "column": escape(visible(column))}
        return template.format(value=f"{value:.3f}", **names)

    named = [
        [said(row, column, value) for column, value in zip(source, line, strict=True)]
        for row, line in zip(written, weights, strict=True)
    ]
    cells = np.array(named, dtype=object)
    shown = {"showscale": False, "xgap": 1, "ygap": 1, **hover(cells, "customdata")}
    layout = base_layout(
        look,
        height,
        template="none",
        xaxis=token_axis(source, look, width - look.px(90), "top"),
        yaxis=token_axis(written, look, height - look.px(70), "left"),
        margin={"l": look.px(8), "r": look.px(16), "t": look.px(8), "b": look.px(8)},
    )
    return go.Figure(heat_map(weights, (0, 1), look, **shown), layout)
