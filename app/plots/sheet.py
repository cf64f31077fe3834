"""A sheet of a tensor's numbers as a heat map.

Signed values on the diverging scale about 0, the others on the role's colour from 0. What the
attention mask forbids is hatched and takes no part in the scale; NaN and ∞ are crossed out.
"""

import math
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import Side, corner_title, hover_text, outer_axes, sheet_axes
from glassformer.app.plots.heat import cell_gaps, cross_cells, heat_map, hover_cells, no_numbers
from glassformer.app.plots.labels import MINUS, escape, format_number
from glassformer.app.plots.theme import FigureStyle, base_layout, colour_bar, hatch_cells

CELL_WIDTH, CELL_HEIGHT = 42, 19  # pixels a number needs to be written in its cell
MOST_DECIMALS, LARGEST = 3, 9999.5  # numbers too long for a cell; the hover has every digit
HEIGHT = 420  # pixels of the picture
INNER = (530, 360)  # pixels, about, that the labels and the colour bar leave of it


def tensor_heatmap(
    values: np.ndarray,
    allowed: np.ndarray | None,
    sides: tuple[Side, Side],
    limits: tuple[float, float],
    role: str,
    words: tuple[str, str],
    look: FigureStyle,
) -> go.Figure:
    """The picture of a sheet.

    values, allowed: (rows, columns), float32 and False where hatched. sides: the rows and the
    columns. limits: of the colour scale, the first below 0 for signed values. role: whose colour
    unsigned values have. words: the hover's words for "value" and "masked".
    """
    said = np.ones(values.shape, bool) if allowed is None else allowed
    shown = np.where(said & np.isfinite(values), values, np.nan).astype(np.float32)
    where, panel = hover_text(*sides), look.colour("panel")
    said_cells = f"{where}<br>{escape(words[0])} <b>%{{z:.9~g}}</b><extra></extra>"
    more = cell_gaps(shown.shape) | _numbers(shown, limits, look)
    more |= {"colorbar": colour_bar(look), "hoverongaps": False, "hovertemplate": said_cells}
    cells = heat_map(shown, limits, look, role, **more)
    drawn: list[go.Trace] = [cells]
    if not said.all():
        fill = f"{where}<br>{escape(words[1])} {_fill(values, said)}"
        drawn += [hover_cells(~said, panel, fill), hatch_cells(said, look)]
    for kind, lost in no_numbers(values, said):
        hover = f"{where}<br>{escape(words[0])} <b>{kind}</b>"
        drawn += [hover_cells(lost, panel, hover), cross_cells(lost, look)]
    axes = sheet_axes(*sides, look, INNER)
    layout = base_layout(look, HEIGHT, **axes, **corner_title(sides[0].title, look))
    return go.Figure([*drawn, outer_axes()], layout)


def _numbers(shown: np.ndarray, limits: tuple[float, float], look: FigureStyle) -> dict[str, Any]:
    """The numbers themselves where every cell has the room for one."""
    rows, columns = shown.shape
    if INNER[0] / columns < look.px(CELL_WIDTH):
        return {}
    if INNER[1] / rows < look.px(CELL_HEIGHT):
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
