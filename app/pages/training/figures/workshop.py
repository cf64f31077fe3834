"""A run while it grows: its curve, and one head of the model."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.heat import heat_map
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.marks import hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout, token_axis
from glassformer.core.text_models.history import CurvePoint, SnapshotMetrics

FIRST_LOSS = 8.0  # about where runs begin: the frame is there before its first point

Place = tuple[float, float]  # 0–1 from the left and from the bottom


def curve_drawing(
    curve: Sequence[CurvePoint], saved: Sequence[SnapshotMetrics], steps: int
) -> dict[str, Any]:
    """Where everything of a run of so many steps lies in the frame; the loss fills its height.

    line: the loss of training. marks: that on held-out sentences, at each saved step. across, up:
    the ticks, of steps and of nats a word, with their names.
    """
    held_out = [(each.step, each.metrics["loss"]) for each in saved if "loss" in each.metrics]
    points = [(point.step, point.loss) for point in curve]
    most = _round_up(max((loss for _, loss in (*points, *held_out)), default=FIRST_LOSS))
    return {
        "line": [_place(*point, steps, most) for point in points],
        "marks": [_place(*point, steps, most) for point in held_out],
        "across": [(share, str(round(share * steps))) for share in (0, 0.25, 0.5, 0.75, 1)],
        "up": [(tick / most, f"{tick:g}") for tick in _ticks(most)],
    }


def _place(step: int, loss: float, steps: int, most: float) -> Place:
    return round(step / steps, 5), round(min(loss / most, 1.0), 5)


def _ticks(most: float) -> list[float]:
    step = next((each for each in (0.1, 0.25, 0.5, 1, 2, 5, 10) if most / each <= 5), most)
    return [tick * step for tick in range(math.floor(most / step + 1e-9) + 1)]


def _round_up(value: float) -> float:
    """The next whole number, or half of one below 2."""
    return max(0.5, math.ceil(2 * value) / 2) if value < 2 else float(math.ceil(value))


def head_figure(
    weights: np.ndarray, written: Sequence[str], source: Sequence[str], template: str,
    look: FigureStyle, size: tuple[int, int],
) -> go.Figure:  # fmt: skip
    """The weights (T, S) of one head: a row a written word, a column a source word.

    template: with {row} {column} {value}. size: width and height in pixels. The colours run from 0
    to 1 at every step, so that steps can be compared.
    """
    width, height = size

    rows, columns = ([escape(visible(word)) for word in words] for words in (written, source))
    named = [
        [
            template.format(row=row, column=column, value=f"{value:.3f}")
            for column, value in zip(columns, line, strict=True)
        ]
        for row, line in zip(rows, weights, strict=True)
    ]
    cells = np.array(named, dtype=object)
    shown = {"showscale": False, "xgap": 1, "ygap": 1, **hover_texts(cells, "customdata")}
    layout = base_layout(
        look,
        height,
        template="none",
        xaxis=token_axis(source, look, width - look.px(90), "top"),
        yaxis=token_axis(written, look, height - look.px(70), "left"),
        margin={"l": look.px(8), "r": look.px(16), "t": look.px(8), "b": look.px(8)},
    )
    return go.Figure(heat_map(weights, (0, 1), look, **shown), layout)
