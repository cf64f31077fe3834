"""Axes: of rows with names, of numbers on a grid, and of a sheet of numbers.

Plotly names a line of a sheet in the hover by its tick. So the picture lies on axes with a tick for
every line, whose labels are hidden, and a second pair of axes above it shows as many as there is
room for. What is sent grows with the lines, not with the cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from glassformer.app.plots import drawing as go
from glassformer.app.plots.labels import escape, text_width, visible
from glassformer.app.plots.marks import axis_title, row_title
from glassformer.app.plots.theme import (
    NAMES_STAY,
    FigureStyle,
    is_numbered,
    line_axis,
    named_ticks,
    token_axis,
)

STRIDES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


def rows_axis(
    labels: Sequence[str], look: FigureStyle, size: int = 13, **more: Any
) -> dict[str, Any]:
    """Names of rows from the top, escaped already, however many; `more` overrides."""
    names = named_ticks(labels) | {"tickfont": {"size": look.px(size)}}
    return line_axis(len(labels), "left") | names | more


def bare_axis(look: FigureStyle, size: int, **more: Any) -> dict[str, Any]:
    """An axis with grey names and without lines that cannot be moved."""
    plain = {"showgrid": False, "zeroline": False, "fixedrange": True}
    names = {"tickfont": look.font(size, "faint"), "ticklabeloverflow": NAMES_STAY}
    return plain | names | more


def grid_axis(look: FigureStyle, **more: Any) -> dict[str, Any]:
    """An axis with small grey names and a thin grid, that cannot be moved."""
    lines = {"showgrid": True, "gridcolor": look.colour("line"), "automargin": False}
    return bare_axis(look, 12) | lines | more


@dataclass(frozen=True)
class Side:
    """One axis of the picture: its title, the number of each line, and its words if it has any.

    `numbers` count from 1. With a `step` above 1 a line stands for `step` neighbours.
    """

    title: str
    numbers: Sequence[int]
    tokens: Sequence[str] | None = None
    step: int = 1

    def __len__(self) -> int:
        return len(self.numbers)

    def name(self, at: int) -> str:
        """A line in words, escaped for Plotly: "5 animal", "17", "17–20"."""
        number = self.numbers[at]
        if self.step > 1:
            return f"{number}–{number + self.step - 1}"
        if self.tokens is None:
            return str(number)
        return f"{number} {escape(visible(self.tokens[at]))}"


def sheet_axes(
    rows: Side, columns: Side, look: FigureStyle, pixels: tuple[float, float]
) -> dict[str, Any]:
    """The four axes of a picture; `pixels` are the width and height it has."""
    return {
        "xaxis": _naming(columns, "top"),
        "yaxis": _naming(rows, "left"),
        "xaxis2": _showing(columns, look, pixels[0], "top") | {"overlaying": "x"},
        "yaxis2": _showing(rows, look, pixels[1], "left") | {"overlaying": "y"},
    }


def corner_title(title: str, look: FigureStyle) -> dict[str, Any]:
    """The title of the rows, level, above their labels; with the margin that it needs."""
    text = f"{title} ↓"
    margin = {"l": text_width(text, look.px(13)) + 16, "r": 8, "t": 8, "b": 8, "pad": 2}
    return {"annotations": [row_title(text, look, "faint")], "margin": margin}


def outer_axes() -> go.Scatter:
    """The second pair of axes is drawn only where something lies on it."""
    return go.Scatter(x=[None], y=[None], xaxis="x2", yaxis="y2", hoverinfo="skip")


def hover_text(rows: Side, columns: Side) -> str:
    """The lines of a cell for a hover template."""
    parts = [f"{escape(rows.title)} <b>%{{y}}</b>"]
    if columns.title:
        parts.append(f"{escape(columns.title)} <b>%{{x}}</b>")
    return "<br>".join(parts)


def _naming(side: Side, place: str) -> dict[str, Any]:
    names = named_ticks([side.name(at) for at in range(len(side))])
    return line_axis(len(side), place) | names | {"showticklabels": False}


def _showing(side: Side, look: FigureStyle, pixels: float, place: str) -> dict[str, Any]:
    if side.tokens is not None:
        axis = token_axis(side.tokens, look, pixels, place)
        if is_numbered(axis, side.tokens):
            axis["ticktext"] = [str(side.numbers[at]) for at in axis["tickvals"]]
    elif not side.title:
        axis = line_axis(len(side), place) | {"showticklabels": False}
    else:
        axis = _number_axis(side, look, pixels, place)
    if place == "left":
        return axis  # its title would be rotated, which Chinese never is: see `corner_title`
    return axis | {"title": axis_title(side.title, look)}


def _number_axis(side: Side, look: FigureStyle, pixels: float, place: str) -> dict[str, Any]:
    """The first line and round numbers, as many as fit."""
    rows, font = place in ("left", "right"), look.px(13)
    room = 1.8 * font if rows else text_width(str(side.numbers[-1]), font) + font
    fit = max(int(pixels / room), 2)
    span = side.numbers[-1] - side.numbers[0] + 1
    stride = next((stride for stride in STRIDES if span / stride <= fit), span)
    rounds = {at: number for at in range(len(side)) if (number := _round(side, at, stride))}
    first_round = min(rounds, default=len(side))
    if first_round * pixels / len(side) >= room:
        rounds[0] = side.numbers[0]
    names = named_ticks([str(rounds[at]) for at in sorted(rounds)], sorted(rounds))
    return line_axis(len(side), place) | names | {"tickfont": look.font(13, "text")}


def _round(side: Side, at: int, stride: int) -> int | None:
    """The multiple of the stride that a line stands for, if any."""
    number = side.numbers[at]
    multiple = -(-number // stride) * stride
    return multiple if multiple < number + side.step else None
