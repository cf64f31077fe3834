"""Cross-attention as a matrix: one row an output word, one column a source word."""

import math
from collections.abc import Collection, Sequence
from html import unescape
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.heat import heat_map
from glassformer.app.plots.labels import escape, is_chinese, text_width, visible
from glassformer.app.plots.marks import frame_cells, grey_labels, word_pairs
from glassformer.app.plots.theme import (
    FigureStyle,
    base_layout,
    colour_bar,
    is_numbered,
    token_axis,
)
from glassformer.app.words import say

SIDE = 330.0  # pixels that the cells have at least, across
HEIGHT = 375.0  # pixels of the whole picture in the smallest window that it is made for
LISTED = 62.0  # pixels of them that a list of words takes at 100 %
HEADING = 34.0  # pixels of the heading above the words, and of the margins
LEAST_ROW = 14.0  # pixels of a row that its word can be read in
SHORT = 12  # characters of a word in the texts of thousands of cells


def cross_attention(
    weights: np.ndarray,
    sources: Sequence[str],
    outputs: Sequence[str],
    look: FigureStyle,
    grey: tuple[Collection[int], Collection[int]] = ((), ()),
    framed: tuple[int | None, int | None] = (None, None),
) -> go.Figure:
    """The weights (T, S) as a heat map with the words on both axes and exact values on hover.

    grey: the columns and the rows whose words are written in grey. framed: the column and the row
    of the word in focus. The scale starts at 0 and ends at the largest weight.
    """
    across, down, _ = _axes(sources, outputs, look)
    layout = base_layout(look, shapes=_frames(framed, np.shape(weights), look))
    # The rows' title stands above too: beside them it would be rotated, also in Chinese.
    heading = f"{say('translate.source')} →    {say('translate.output_axis')} ↓"
    title = layout["xaxis"]["title"] | {"text": escape(heading)}
    layout["xaxis"] |= grey_labels(across, grey[0], look) | {"title": title}
    layout["yaxis"] |= grey_labels(down, grey[1], look)
    values = np.asarray(weights, dtype=np.float32)
    worded = not is_numbered(across, sources) and not is_numbered(down, outputs)
    finite = bool(np.isfinite(values).all())
    # plotly.js writes a tick's label for %{x} and %{y}: mostly no text needs to be sent per cell.
    names = "%{y} → %{x}" if finite and worded else "%{text}"
    number = f"<br><b>%{{z:.{look.precision}~g}}</b>" if finite else ""
    cells = heat_map(
        values,
        (0, float(np.nanmax(values, initial=0)) or 1),
        look,
        colorbar=colour_bar(look),
        xgap=1,
        ygap=1,
        hoverongaps=True,  # a weight that is not a number is a gap, and says so
        text=None if finite and worded else _said(values, sources, outputs, look),
        hovertemplate=f"{names}{number}<extra></extra>",
    )
    return go.Figure(cells, layout)


def axes_with_numbers(
    sources: Sequence[str], outputs: Sequence[str], look: FigureStyle
) -> tuple[bool, bool]:
    """Whether the columns, the rows show numbers for want of room: list their words then."""
    _, down, listed = _axes(sources, outputs, look)
    return listed, is_numbered(down, outputs)


def _axes(
    sources: Sequence[str], outputs: Sequence[str], look: FigureStyle
) -> tuple[dict[str, Any], dict[str, Any], bool]:
    """Columns and rows, numbered where words would touch; whether the columns show no words.

    How high the rows are is up to the browser; they get what is left in the smallest window.
    """
    across = token_axis(sources, look, SIDE, side="top")
    listed = is_numbered(across, sources)
    if listed and (labels := _downwards(sources, look)):
        across |= {"ticktext": labels, "tickvals": list(range(len(sources)))}
        listed = False
    pixels = HEIGHT - HEADING - _height(across, look) - (look.px(LISTED) if listed else 0)
    return across, token_axis(outputs, look, pixels, side="left", least=LEAST_ROW), listed


def _height(across: dict[str, Any], look: FigureStyle) -> float:
    """About how many pixels the words above the columns take."""
    font = look.px(13)
    if across["tickangle"]:
        widest = max(text_width(unescape(label), font) for label in across["ticktext"])
        return widest * math.sqrt(0.5) + font
    lines: int = max(label.count("<br>") + 1 for label in across["ticktext"])
    return lines * font * 1.3


def _downwards(tokens: Sequence[str], look: FigureStyle) -> list[str] | None:
    """Labels with Chinese written downwards, as it may be; None where other words are too long."""
    shown, font = [visible(token) for token in tokens], look.px(13)
    widths = [font if is_chinese(token) else text_width(token, font) for token in shown]
    if max(widths) + 4 > SIDE / len(tokens):
        return None
    return [
        "<br>".join(map(escape, token)) if is_chinese(token) else escape(token) for token in shown
    ]


def _frames(
    framed: tuple[int | None, int | None], shape: tuple[int, ...], look: FigureStyle
) -> list[dict[str, Any]]:
    (rows, columns), (column, row) = shape, framed
    places = [] if column is None else [((0, rows - 1), (column, column))]
    places += [] if row is None else [((row, row), (0, columns - 1))]
    return [frame_cells(*place, look) for place in places]


def _said(
    values: np.ndarray, sources: Sequence[str], outputs: Sequence[str], look: FigureStyle
) -> list[list[str]]:
    """Both words of each cell; with the weight where one is NaN."""
    rows, columns = ([visible(each, SHORT) for each in words] for words in (outputs, sources))
    names = word_pairs(rows, columns)
    if np.isfinite(values).all():
        return names
    return [
        [f"{name}<br><b>{look.number(value)}</b>" for name, value in zip(*row, strict=True)]
        for row in zip(names, values, strict=True)
    ]
