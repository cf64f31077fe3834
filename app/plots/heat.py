"""Heat maps: where a colour scale ends, its bar, cells, and what lies over cells."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import Scale, diverging_scale, sequential
from glassformer.app.plots.theme import FigureStyle

CLOSE = 1.15  # a largest value that is no further above the others is the end of the scale
GAPS_UP_TO = 40  # lines a side; beyond, the gaps between cells would eat the cells

Limits = tuple[float, float]


def bulk_magnitude(values: np.ndarray) -> float:
    """The magnitude below which 99% of the numbers other than 0 lie: a few must not fade the rest.

    The largest one where it is not far above; 1 where there is none.
    """
    sizes = np.abs(values[np.isfinite(values)])
    largest = largest_magnitude(values)
    most = float(np.percentile(sizes[sizes > 0], 99)) if (sizes > 0).any() else largest
    return most if largest > CLOSE * most else largest


def largest_magnitude(*values: np.ndarray) -> float:
    """The largest finite magnitude of the arrays together; 1 where there is none."""
    finite = [np.abs(array[np.isfinite(array)]).max(initial=0.0) for array in values]
    return float(max(finite, default=0.0)) or 1.0


def scale_of(limits: Limits, role: str, look: FigureStyle) -> Scale:
    """Diverging where the scale begins below 0, else from the panel's colour to the role's."""
    return diverging_scale(look.dark) if limits[0] < 0 else sequential(role, look.dark)


def heat_map(
    values: np.ndarray, limits: Limits, look: FigureStyle, role: str = "weights", **more: Any
) -> go.Heatmap:
    """Cells (rows, columns) in the colours of `scale_of`; `more` as of plotly's own."""
    given = {"colorscale": scale_of(limits, role, look), "zmin": limits[0], "zmax": limits[1]}
    return go.Heatmap(z=np.asarray(values, dtype=np.float32), **given | more)


def cell_gaps(shape: tuple[int, ...], most: int = GAPS_UP_TO) -> dict[str, Any]:
    """Lines of background between cells, on either axis as long as it has few lines."""
    return {"xgap": int(shape[1] <= most), "ygap": int(shape[0] <= most)}


def foot_bar(
    look: FigureStyle, x: float, length: float, ticks: Sequence[tuple[float, str]], size: int = 11,
    **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """A slim level scale at the foot of the figure; x: its middle, a share of the width."""
    return {
        "orientation": "h", "x": x, "xanchor": "center", "len": length,
        "y": 0, "yref": "container", "yanchor": "bottom",
        "thickness": look.px(8), "outlinewidth": 0, "ticks": "",
        "tickvals": [value for value, _ in ticks], "ticktext": [text for _, text in ticks],
        "tickfont": look.font(size, "faint"),
    } | more  # fmt: skip


def no_numbers(values: np.ndarray, among: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The cells that no colour can show, by kind: NaN and both infinities."""
    kinds = (("NaN", np.isnan), ("∞", np.isposinf), ("−∞", np.isneginf))
    found = [(name, among & test(values)) for name, test in kinds]
    return [(name, cells) for name, cells in found if cells.any()]


def hover_cells(cells: np.ndarray, colour: str, hover: str, **axes: str) -> go.Heatmap:
    """Cells in one colour, which only answer the hover."""
    return go.Heatmap(
        z=np.where(cells, 1.0, np.nan).astype(np.float32),
        colorscale=[[0, colour], [1, colour]],
        showscale=False,
        hoverongaps=False,
        hovertemplate=f"{hover}<extra></extra>",
        **axes,
    )


def cross_cells(cells: np.ndarray, look: FigureStyle, **axes: str) -> go.Scatter:
    """A cross on every cell that is True."""
    y, x = np.nonzero(cells)
    line = {"width": 2, "color": look.colour("changed")}
    marker = {"symbol": "x-thin", "size": look.px(9), "line": line}
    return go.Scatter(x=x, y=y, mode="markers", marker=marker, hoverinfo="skip", **axes)
