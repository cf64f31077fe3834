"""One head of a model in training: where each word of the translation looks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.figures import drawing as go
from app.figures.colours import sequential
from app.figures.labels import escape, visible
from app.figures.theme import Look, base_layout, token_axis


def head_figure(
    weights: np.ndarray,
    written: Sequence[str],
    source: Sequence[str],
    hover: str,
    look: Look,
    size: tuple[int, int],
) -> go.Figure:
    """The weights (T, S) of one head: a row a written word, a column a source word.

    hover: with {row} {column} {value}. size: width and height in pixels. The colours run from 0
    to 1 at every step, so that steps can be compared.
    """
    width, height = size
    named = np.array(
        [
            [_said(hover, row, column, value) for column, value in zip(source, line, strict=True)]
            for row, line in zip(written, weights, strict=True)
        ],
        dtype=object,
    )
    heat = go.Heatmap(
        z=weights.astype(np.float32),
        colorscale=sequential("weights", look.dark),
        zmin=0,
        zmax=1,
        showscale=False,
        xgap=1,
        ygap=1,
        customdata=named,
        hovertemplate="%{customdata}<extra></extra>",
    )
    columns = token_axis(source, look, width - look.px(90), "top")
    rows = token_axis(written, look, height - look.px(70), "left")
    margin = {"l": look.px(8), "r": look.px(16), "t": look.px(8), "b": look.px(8)}
    return go.Figure(
        heat, base_layout(look, height, xaxis=columns, yaxis=rows, margin=margin, template="none")
    )


def _said(hover: str, row: str, column: str, value: float) -> str:
    names = {"row": escape(visible(row)), "column": escape(visible(column))}
    return hover.format(value=f"{value:.3f}", **names)
