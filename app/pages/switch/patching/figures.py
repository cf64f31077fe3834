"""Causal tracing as two heat maps beside each other: what one vector of the other sentence turns.

A row is a tensor of a stack, in the order of computation, a column a word. The colours diverge
about 0: nothing came across; 1 on the red side is all of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import rows_axis
from glassformer.app.plots.colours import diverging_scale
from glassformer.app.plots.labels import MINUS, escape, format_percent
from glassformer.app.plots.marks import (
    anchored_axes,
    annotate_at,
    axis_suffix,
    cell_frame,
    colour_label,
    frame_cells,
    hover_texts,
    panel_axes,
)
from glassformer.app.plots.theme import FigureStyle, base_layout, colour_bar, token_axis

NAMES = 172  # pixels that the names of the rows take
GAP = 14
LEAST = 0.005  # a smaller share is not written into its cell
CELL_WIDTH, CELL_HEIGHT = 34, 17  # pixels that a number needs


@dataclass(frozen=True)
class PatchingPanel:
    """One stack. `shares` and `chances` are (rows, words); cells not known yet are NaN.

    rows: the patched tensors, each with its name and the role whose colour the name has.
    """

    title: str
    rows: Sequence[tuple[str, str]]
    words: Sequence[str]
    hovers: Sequence[str]  # the words as the hover calls them
    shares: np.ndarray
    chances: np.ndarray
    marked: Sequence[int] = ()  # columns that are in question
    chosen: tuple[int, int] | None = None  # the cell that is in the experiment


def patching_map(
    panels: Sequence[PatchingPanel],
    words: tuple[str, str],
    look: FigureStyle,
    size: tuple[int, int] = (1380, 380),
) -> go.Figure:
    """The picture of both stacks; `size` in pixels decides how words are written.

    words: what the hover calls a share, and a chance. customdata of a cell: (panel, row, column).
    """
    ends = [(0.0, 1.0)] if len(panels) == 1 else _domains(panels, look, size[0])
    limit = max([1.0, *(float(np.nanmax(np.abs(each.shares), initial=0)) for each in panels)])
    layout = base_layout(
        look,
        size[1],
        least=(0.8 * size[0], 0),
        template="none",
        margin={"l": look.px(NAMES), "r": 8, "t": look.px(26), "b": 6, "pad": 2},
        coloraxis={
            "cmin": -limit,
            "cmax": limit,
            "colorscale": diverging_scale(look.dark),
            "colorbar": colour_bar(look) | {"tickformat": ".0%"},
        },
        shapes=[],
        annotations=[],
        hovermode="closest",
    )
    drawn = []
    for place, (panel, domain) in enumerate(zip(panels, ends, strict=True)):
        room = (domain[1] - domain[0]) * size[0] / max(len(panel.words), 1)
        drawn.append(_cells(place, panel, words, look, (room, size[1])))
        layout |= _axes(place, panel, domain, look, size[0])
        layout["shapes"] += _frames(place, panel, look)
        # Above the names of the rows, where no word can cross it.
        title = annotate_at(f"<b>{escape(panel.title)}</b>", look, 0, 1, 14, at="right bottom")
        title |= {"xref": f"x{axis_suffix(place)} domain", "xshift": -6, "yshift": 6}
        layout["annotations"].append(title)
    return go.Figure(drawn, layout)


def _domains(
    panels: Sequence[PatchingPanel], look: FigureStyle, width: int
) -> list[tuple[float, float]]:
    """Where the panels lie across, by how many words they have; names stand before the second."""
    between = (look.px(NAMES) + GAP) / max(width - look.px(NAMES), 1)
    counts = [max(len(panel.words), 4) for panel in panels]
    first = (1 - between) * counts[0] / sum(counts)
    return [(0.0, first), (first + between, 1.0)]


def _cells(
    place: int,
    panel: PatchingPanel,
    words: tuple[str, str],
    look: FigureStyle,
    room: tuple[float, int],
) -> go.Heatmap:
    shares = np.asarray(panel.shares, dtype=np.float32)
    rows, columns = shares.shape
    said = [[_hover(panel, words, row, column) for column in range(columns)] for row in range(rows)]
    where = [[(place, row, column) for column in range(columns)] for row in range(rows)]
    fits = room[0] >= look.px(CELL_WIDTH) and (room[1] - 90) / rows >= look.px(CELL_HEIGHT)
    written = [[_percent(float(value)) if fits else "" for value in row] for row in shares]
    return go.Heatmap(
        z=shares,
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        hoverongaps=False,
        customdata=where,
        text=written,
        texttemplate="%{text}",
        textfont={"size": look.px(12)},
        **panel_axes(place),
        **hover_texts(said),
    )


def _hover(panel: PatchingPanel, words: tuple[str, str], row: int, column: int) -> str:
    share, chance = float(panel.shares[row, column]), float(panel.chances[row, column])
    if not np.isfinite(share):
        return ""
    name = f"<b>{escape(panel.rows[row][0])} · {escape(panel.hovers[column])}</b>"
    turned, likely = map(escape, words)
    exact = f"{100 * share:.1f}%".replace("-0.0%", "0.0%").replace("-", MINUS)
    return f"{name}<br>{turned} <b>{exact}</b><br>{likely} = <b>{format_percent(chance)}</b>"


def _percent(share: float) -> str:
    """A share as it stands in a cell; nothing where nothing came across."""
    if not np.isfinite(share) or abs(share) < LEAST:
        return ""
    return f"{round(100 * share)}".replace("-", MINUS)


def _axes(
    place: int, panel: PatchingPanel, domain: tuple[float, float], look: FigureStyle, width: int
) -> dict[str, Any]:
    changed = look.colour("changed")
    pixels = (domain[1] - domain[0]) * (width - look.px(NAMES))
    across = token_axis(panel.words, look, pixels, "top")
    across["ticktext"] = [
        colour_label(f"<b>{label}</b>", changed) if at in panel.marked else label
        for at, label in zip(across["tickvals"], across["ticktext"], strict=True)
    ]
    across |= {"domain": list(domain), "color": look.colour("text")}
    names = [colour_label(escape(name), look.colour(role)) for name, role in panel.rows]
    return anchored_axes(place, across, rows_axis(names, look, automargin=False))


def _frames(place: int, panel: PatchingPanel, look: FigureStyle) -> list[dict[str, Any]]:
    """The columns in question, and the cell that is in the experiment."""
    axes = {"xref": f"x{axis_suffix(place)}", "yref": f"y{axis_suffix(place)}"}
    line = {"color": look.colour("changed"), "width": 1, "dash": "dot"}
    rows = (0, len(panel.rows) - 1)
    boxes = [frame_cells(rows, (at, at), look, line=line) | axes for at in panel.marked]
    if panel.chosen is not None:
        chosen = cell_frame(*panel.chosen, look, 3, role="changed", name="chosen")
        boxes.append(chosen | axes)
    return boxes
