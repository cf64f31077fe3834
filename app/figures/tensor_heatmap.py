"""A sheet of numbers as a heat map: two axes of any tensor.

Signed values on the diverging scale about 0, the others on the role's colour from 0. What the
attention mask forbids is hatched and takes no part in the scale; NaN and ∞ are crossed out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import Scale, diverging, sequential
from app.figures.labels import MINUS, escape, format_number
from app.figures.tensor_axes import Side, corner, hover_text, rim, sheet_axes
from app.figures.theme import Look, base_layout, colour_bar, hatching

CELL_WIDTH, CELL_HEIGHT = 42, 19  # pixels a number needs to be written in its cell
MOST_DECIMALS, LARGEST = 3, 9999.5  # numbers too long for a cell; the hover has every digit
RIM_WIDTH, RIM_HEIGHT = 150, 60  # what the labels and the colour bar take of the picture


def tensor_heatmap(
    values: np.ndarray,
    allowed: np.ndarray | None,
    sides: tuple[Side, Side],
    limits: tuple[float, float],
    role: str,
    words: tuple[str, str],
    look: Look,
    size: tuple[int, int] = (680, 420),
) -> go.Figure:
    """The picture of a sheet.

    Args:
        values: (rows, columns) float32.
        allowed: the same shape, False where hatched; None if nothing is.
        sides: the rows and the columns.
        limits: of the colour scale, the first below 0 for signed values.
        role: whose colour unsigned values have.
        words: the hover's words for "value" and "masked".
        look: theme, type size, precision.
        size: pixels of the picture, its width about.
    """
    rows, columns = sides
    said = np.ones(values.shape, bool) if allowed is None else allowed
    shown = np.where(said & np.isfinite(values), values, np.nan).astype(np.float32)
    where = hover_text(rows, columns)
    drawn: list[go.Trace] = [_cells(shown, limits, role, where, words[0], look, size)]
    if not said.all():
        fill = f"{where}<br>{escape(words[1])} {_fill(values, said)}"
        drawn += [_silent(~said, fill, look), hatching(said, look)]
    for kind, cells in _kinds(values, said):
        hover = f"{where}<br>{escape(words[0])} <b>{kind}</b>"
        drawn += [_silent(cells, hover, look), _crosses(cells, look)]
    axes = sheet_axes(rows, columns, look, (size[0] - RIM_WIDTH, size[1] - RIM_HEIGHT))
    return go.Figure(
        [*drawn, rim()], base_layout(look, size[1], **axes, **corner(rows.title, look))
    )


def _cells(
    shown: np.ndarray,
    limits: tuple[float, float],
    role: str,
    where: str,
    word: str,
    look: Look,
    size: tuple[int, int],
) -> go.Heatmap:
    return go.Heatmap(
        z=shown,
        zmin=limits[0],
        zmax=limits[1],
        colorscale=_scale(limits, role, look),
        colorbar=colour_bar(look),
        hoverongaps=False,
        xgap=_gap(shown.shape[1]),
        ygap=_gap(shown.shape[0]),
        hovertemplate=f"{where}<br>{escape(word)} <b>%{{z:.9~g}}</b><extra></extra>",
        **_numbers(shown, limits, size, look),
    )


def _scale(limits: tuple[float, float], role: str, look: Look) -> Scale:
    return diverging(look.dark) if limits[0] < 0 else sequential(role, look.dark)


def _gap(count: int) -> int:
    return 1 if count <= 40 else 0


def _numbers(
    shown: np.ndarray, limits: tuple[float, float], size: tuple[int, int], look: Look
) -> dict[str, Any]:
    """The numbers themselves where every cell has the room for one."""
    rows, columns = shown.shape
    if (size[0] - RIM_WIDTH) / columns < look.px(CELL_WIDTH):
        return {}
    if (size[1] - RIM_HEIGHT) / rows < look.px(CELL_HEIGHT):
        return {}
    decimals = _decimals(max(map(abs, limits)))
    if decimals is None:
        return {}
    texts = [[_short(float(value), decimals) for value in row] for row in shown]
    return {"text": texts, "texttemplate": "%{text}", "textfont": {"size": look.px(12)}}


def _decimals(reach: float) -> int | None:
    """The same decimals in all cells, two or three digits for the largest; None if too long."""
    decimals = max(0, 1 - math.floor(math.log10(reach)))
    decimals = 2 if decimals == 1 and reach < 10 else decimals
    return decimals if decimals <= MOST_DECIMALS and reach < LARGEST else None


def _short(value: float, decimals: int) -> str:
    if not math.isfinite(value):
        return ""
    written = f"{value:.{decimals}f}"
    return written.lstrip("-") if float(written) == 0 else written.replace("-", MINUS)


def _fill(values: np.ndarray, said: np.ndarray) -> str:
    """What the masked cells hold, where all hold the same."""
    fills = np.unique(values[~said])
    return f"<b>{format_number(float(fills[0]), 9)}</b>" if len(fills) == 1 else ""


def _kinds(values: np.ndarray, said: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The cells that no colour can show, by kind."""
    kinds = (
        ("NaN", np.isnan(values)),
        ("∞", np.isposinf(values)),
        ("−∞", np.isneginf(values)),
    )
    return [(name, said & cells) for name, cells in kinds if (said & cells).any()]


def _silent(cells: np.ndarray, hover: str, look: Look) -> go.Heatmap:
    """Cells in the colour of the panel, which only answer the hover."""
    panel = look.colour("panel")
    return go.Heatmap(
        z=np.where(cells, 1.0, np.nan).astype(np.float32),
        colorscale=[[0, panel], [1, panel]],
        showscale=False,
        hoverongaps=False,
        hovertemplate=f"{hover}<extra></extra>",
    )


def _crosses(cells: np.ndarray, look: Look) -> go.Scatter:
    y, x = np.nonzero(cells)
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={
            "symbol": "x-thin",
            "size": look.px(9),
            "line": {"width": 2, "color": look.colour("changed")},
        },
        hoverinfo="skip",
    )
