"""Causal tracing as two heat maps beside each other: what one vector of the other sentence turns.

A row is a tensor of a stack, in the order of computation, a column a word. The colours diverge
about 0: nothing came across; 1 on the red side is all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import diverging
from app.figures.labels import MINUS, escape, format_percent
from app.figures.theme import Look, base_layout, colour_bar, token_axis

NAMES = 172  # pixels that the names of the rows take
GAP = 14
LEAST = 0.005  # a smaller share is not written into its cell
CELL_WIDTH, CELL_HEIGHT = 34, 17  # pixels that a number needs
AXES = (("x", "y"), ("x2", "y2"))


@dataclass(frozen=True)
class Row:
    """One patched tensor: its name, and the role whose colour the name has."""

    name: str
    role: str


@dataclass(frozen=True)
class Panel:
    """One stack. `shares` and `chances` are (rows, words); cells not known yet are NaN."""

    title: str
    rows: Sequence[Row]
    words: Sequence[str]
    hovers: Sequence[str]  # the words as the hover calls them
    shares: np.ndarray
    chances: np.ndarray
    marked: Sequence[int] = ()  # columns that are in question
    chosen: tuple[int, int] | None = None  # the cell that is in the experiment


@dataclass(frozen=True)
class SweepTexts:
    """What the figure says, in the reader's language."""

    scale: str  # title of the colour bar
    share: str  # "turned"
    chance: str  # "p(路)"


def sweep_map(
    panels: Sequence[Panel], texts: SweepTexts, look: Look, size: tuple[int, int] = (1380, 380)
) -> go.Figure:
    """The picture of both stacks; `size` in pixels decides how words are written.

    customdata of a cell: (panel, row, column).
    """
    ends = [(0.0, 1.0)] if len(panels) == 1 else _domains(panels, look, size[0])
    limit = max([1.0, *(float(np.nanmax(np.abs(each.shares), initial=0)) for each in panels)])
    drawn: list[Any] = []
    layout: dict[str, Any] = {}
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for place, (panel, domain) in enumerate(zip(panels, ends, strict=True)):
        room = (domain[1] - domain[0]) * size[0] / max(len(panel.words), 1)
        drawn.append(_cells(place, panel, texts, look, (room, size[1])))
        layout |= _axes(place, panel, domain, look, size)
        shapes += _frames(place, panel, look)
        notes.append(_title(place, panel, look))
    return go.Figure(
        drawn,
        base_layout(
            look,
            size[1],
            template="none",
            margin={"l": look.px(NAMES), "r": 8, "t": look.px(26), "b": 6, "pad": 2},
            coloraxis={
                "cmin": -limit,
                "cmax": limit,
                "colorscale": diverging(look.dark),
                "colorbar": colour_bar(look, texts.scale) | {"tickformat": ".0%"},
            },
            shapes=shapes,
            annotations=notes,
            hovermode="closest",
            **layout,
        ),
    )


def _domains(panels: Sequence[Panel], look: Look, width: int) -> list[tuple[float, float]]:
    """Where the panels lie across, by how many words they have; names stand before the second."""
    between = (look.px(NAMES) + GAP) / max(width - look.px(NAMES), 1)
    counts = [max(len(panel.words), 4) for panel in panels]
    first = (1 - between) * counts[0] / sum(counts)
    return [(0.0, first), (first + between, 1.0)]


def _cells(
    place: int, panel: Panel, texts: SweepTexts, look: Look, room: tuple[float, int]
) -> go.Heatmap:
    shares = np.asarray(panel.shares, dtype=np.float32)
    rows, columns = shares.shape
    x, y = AXES[place]
    hover = [
        [_hover(panel, texts, row, column) for column in range(columns)] for row in range(rows)
    ]
    where = [[(place, row, column) for column in range(columns)] for row in range(rows)]
    fits = room[0] >= look.px(CELL_WIDTH) and (room[1] - 90) / rows >= look.px(CELL_HEIGHT)
    written = [[_percent(float(value)) if fits else "" for value in row] for row in shares]
    return go.Heatmap(
        z=shares,
        xaxis=x,
        yaxis=y,
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        hoverongaps=False,
        customdata=where,
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
        text=written,
        texttemplate="%{text}",
        textfont={"size": look.px(12)},
    )


def _hover(panel: Panel, texts: SweepTexts, row: int, column: int) -> str:
    share, chance = float(panel.shares[row, column]), float(panel.chances[row, column])
    if not np.isfinite(share):
        return ""
    name = f"<b>{escape(panel.rows[row].name)} · {escape(panel.hovers[column])}</b>"
    turned = f"{escape(texts.share)} <b>{_exact(share)}</b>"
    return f"{name}<br>{turned}<br>{escape(texts.chance)} = <b>{format_percent(chance)}</b>"


def _percent(share: float) -> str:
    """A share as it stands in a cell; nothing where nothing came across."""
    if not np.isfinite(share) or abs(share) < LEAST:
        return ""
    return f"{round(100 * share)}".replace("-", MINUS)


def _exact(share: float) -> str:
    return f"{100 * share:.1f}%".replace("-0.0%", "0.0%").replace("-", MINUS)


def _axes(
    place: int, panel: Panel, domain: tuple[float, float], look: Look, size: tuple[int, int]
) -> dict[str, Any]:
    x, y = AXES[place]
    number = x[1:]
    pixels = (domain[1] - domain[0]) * (size[0] - look.px(NAMES))
    across = token_axis(panel.words, look, pixels, "top")
    across["ticktext"] = [
        _coloured(label, look.colour("changed")) if at in panel.marked else label
        for at, label in zip(across["tickvals"], across["ticktext"], strict=True)
    ]
    names = [_coloured(escape(row.name), look.colour(row.role), False) for row in panel.rows]
    down = {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "tickfont": {"size": look.px(13)},
        "range": [len(names) - 0.5, -0.5],
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": False,
        "ticks": "",
        "anchor": x,
    }
    across |= {"domain": list(domain), "anchor": y, "title": None, "color": look.colour("text")}
    return {f"xaxis{number}": across, f"yaxis{number}": down}


def _coloured(label: str, colour: str, bold: bool = True) -> str:
    inner = f"<b>{label}</b>" if bold else label
    return f'<span style="color:{colour}">{inner}</span>'


def _frames(place: int, panel: Panel, look: Look) -> list[dict[str, Any]]:
    """The columns in question, and the cell that is in the experiment."""
    x, y = AXES[place]
    pink = look.colour("changed")
    axes: dict[str, Any] = {"type": "rect", "xref": x, "yref": y}
    rows = len(panel.rows)
    boxes = [
        axes
        | {"x0": at - 0.5, "x1": at + 0.5, "y0": -0.5, "y1": rows - 0.5}
        | {"line": {"color": pink, "width": 1, "dash": "dot"}}
        for at in panel.marked
    ]
    if panel.chosen is not None:
        row, column = panel.chosen
        box = {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
        boxes.append(axes | box | {"name": "chosen", "line": {"color": pink, "width": 3}})
    return boxes


def _title(place: int, panel: Panel, look: Look) -> dict[str, Any]:
    """Above the names of the rows, where no word can cross it."""
    x, _ = AXES[place]
    return {
        "text": f"<b>{escape(panel.title)}</b>",
        "font": {"size": look.px(14), "color": look.colour("text")},
        "showarrow": False,
        "xref": f"{x} domain",
        "x": 0,
        "yref": "paper",
        "y": 1,
        "xanchor": "right",
        "yanchor": "bottom",
        "xshift": -6,
        "yshift": 6,
    }
