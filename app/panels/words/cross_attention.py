"""Cross-attention as a matrix: one row an output word, one column a source word."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from html import unescape
from typing import Any

import numpy as np

from app.plots import drawing as go
from app.plots.colours import sequential
from app.plots.labels import escape, format_number, is_chinese, text_width, visible
from app.plots.theme import Look, base_layout, colour_bar, is_numbered, token_axis

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
    look: Look,
    titles: tuple[str, str, str],
    greyed: tuple[Collection[int], Collection[int]] = ((), ()),
    framed: tuple[int | None, int | None] = (None, None),
) -> go.Figure:
    """The weights (T, S) as a heat map with the words on both axes and exact values on hover.

    titles: of the columns, of the rows, of the colour bar. greyed: the columns and the rows whose
    words are written in grey. framed: the column and the row of the word in focus. The scale starts
    at 0 and ends at the largest weight.
    """
    layout = base_layout(look, shapes=list(_frames(framed, np.shape(weights), look)))
    across, down = _column_axis(sources, look), _row_axis(sources, outputs, look)
    # The rows' title stands above too: beside them it would be rotated, also in Chinese.
    heading = f"{escape(titles[0])} →    {escape(titles[1])} ↓"
    title = layout["xaxis"]["title"] | {"text": heading}
    layout["xaxis"] = layout["xaxis"] | _grey(across, greyed[0], look) | {"title": title}
    layout["yaxis"] = layout["yaxis"] | _grey(down, greyed[1], look)
    return go.Figure(_heat_map(weights, sources, outputs, look, titles[2]), layout)


def numbered(sources: Sequence[str], outputs: Sequence[str], look: Look) -> tuple[bool, bool]:
    """Whether the columns, the rows show numbers for want of room: list their words then."""
    columns = is_numbered(_column_axis(sources, look), sources) and not _downwards(sources, look)
    return columns, is_numbered(_row_axis(sources, outputs, look), outputs)


def _column_axis(tokens: Sequence[str], look: Look) -> dict[str, Any]:
    axis = token_axis(tokens, look, SIDE, side="top")
    labels = _downwards(tokens, look) if is_numbered(axis, tokens) else None
    return axis | {"ticktext": labels, "tickvals": list(range(len(tokens)))} if labels else axis


def _row_axis(sources: Sequence[str], outputs: Sequence[str], look: Look) -> dict[str, Any]:
    """The rows, numbered where words would touch each other.

    How high they are is up to the browser; this is what is left in the smallest window.
    """
    across = _column_axis(sources, look)
    numbers = is_numbered(across, sources) and not _downwards(sources, look)
    pixels = HEIGHT - HEADING - _height(across, look) - (look.px(LISTED) if numbers else 0)
    return token_axis(outputs, look, pixels, side="left", least=LEAST_ROW)


def _height(across: dict[str, Any], look: Look) -> float:
    """About how many pixels the words above the columns take."""
    font = look.px(13)
    if across["tickangle"]:
        widest = max(text_width(unescape(label), font) for label in across["ticktext"])
        return widest * math.sqrt(0.5) + font
    lines: int = max(label.count("<br>") + 1 for label in across["ticktext"])
    return lines * font * 1.3


def _downwards(tokens: Sequence[str], look: Look) -> list[str] | None:
    """Labels with Chinese written downwards, as it may be; None where other words are too long."""
    shown, font = [visible(token) for token in tokens], look.px(13)
    widths = [font if is_chinese(token) else text_width(token, font) for token in shown]
    if max(widths) + 4 > SIDE / len(tokens):
        return None
    return [
        "<br>".join(map(escape, token)) if is_chinese(token) else escape(token) for token in shown
    ]


def _frames(
    framed: tuple[int | None, int | None], shape: tuple[int, ...], look: Look
) -> Iterator[dict[str, object]]:
    rows, columns = shape
    column, row = framed
    line = {"color": look.colour("text"), "width": 2}
    if column is not None:
        yield {"type": "rect", "x0": column - 0.5, "x1": column + 0.5, "y0": -0.5,
               "y1": rows - 0.5, "line": line}  # fmt: skip
    if row is not None:
        yield {"type": "rect", "x0": -0.5, "x1": columns - 0.5, "y0": row - 0.5, "y1": row + 0.5,
               "line": line}  # fmt: skip


def _heat_map(
    weights: np.ndarray, sources: Sequence[str], outputs: Sequence[str], look: Look, title: str
) -> go.Heatmap:
    values = np.asarray(weights, dtype=np.float32)
    said = _said(values, sources, outputs, look)
    # plotly.js writes a tick's label for %{x} and %{y}: mostly no text needs to be sent per cell.
    names = "%{y} → %{x}" if said is None else "%{text}"
    number = f"<br><b>%{{z:.{look.precision}~g}}</b>" if np.isfinite(values).all() else ""
    return go.Heatmap(
        z=values,
        zmin=0,
        zmax=float(np.nanmax(values, initial=0)) or 1,
        colorscale=sequential("weights", look.dark),
        colorbar=colour_bar(look, title),
        xgap=1,
        ygap=1,
        hoverongaps=True,  # a weight that is not a number is a gap, and says so
        text=said,
        hovertemplate=f"{names}{number}<extra></extra>",
    )


def _said(
    values: np.ndarray, sources: Sequence[str], outputs: Sequence[str], look: Look
) -> list[list[str]] | None:
    """Both words of each cell where the ticks do not say them; with the weight where one is NaN."""
    across, down = _column_axis(sources, look), _row_axis(sources, outputs, look)
    finite = bool(np.isfinite(values).all())
    if finite and not is_numbered(across, sources) and not is_numbered(down, outputs):
        return None
    rows, columns = ([escape(_short(token)) for token in side] for side in (outputs, sources))
    return [
        [
            f"{rows[at]} → {column}" + ("" if finite else f"<br><b>{_number(value, look)}</b>")
            for column, value in zip(columns, values[at], strict=True)
        ]
        for at in range(len(rows))
    ]


def _short(token: str) -> str:
    shown = visible(token)
    return shown if len(shown) <= SHORT else shown[: SHORT - 1] + "…"


def _number(value: np.floating[Any], look: Look) -> str:
    return format_number(float(value), look.precision)


def _grey(axis: dict[str, Any], places: Collection[int], look: Look) -> dict[str, Any]:
    colour = look.colour("faint")
    labels = [
        f'<span style="color:{colour}">{label}</span>' if place in places else label
        for place, label in zip(axis["tickvals"], axis["ticktext"], strict=True)
    ]
    return axis | {"ticktext": labels}
