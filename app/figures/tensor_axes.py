"""The axes of a sheet of numbers: words or numbers at the rim, every line's name in the hover.

Plotly names a line in the hover by its tick. So the picture lies on axes with a tick for every
line, whose labels are hidden, and a second pair of axes above it shows as many as there is room
for. What is sent grows with the lines, not with the cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.figures import drawing as go
from app.figures.labels import escape, text_width, visible
from app.figures.theme import Look, is_numbered, token_axis

STRIDES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)


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
    rows: Side, columns: Side, look: Look, pixels: tuple[float, float]
) -> dict[str, Any]:
    """The four axes of a picture; `pixels` are the width and height it has."""
    return {
        "xaxis": _naming(columns, "top"),
        "yaxis": _naming(rows, "left"),
        "xaxis2": _showing(columns, look, pixels[0], "top") | {"overlaying": "x"},
        "yaxis2": _showing(rows, look, pixels[1], "left") | {"overlaying": "y"},
    }


def corner(title: str, look: Look) -> dict[str, Any]:
    """The title of the rows, level, above their labels; with the margin that it needs."""
    size = look.px(13)
    note = {
        "text": f"{escape(title)} ↓",
        "font": {"size": size, "color": look.colour("faint")},
        "showarrow": False,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "right",
        "yanchor": "bottom",
        "xshift": -4,
        "yshift": 4,
    }
    margin = {"l": text_width(f"{title} ↓", size) + 16, "r": 8, "t": 8, "b": 8, "pad": 2}
    return {"annotations": [note], "margin": margin}


def rim() -> go.Scatter:
    """The second pair of axes is drawn only where something lies on it."""
    return go.Scatter(x=[None], y=[None], xaxis="x2", yaxis="y2", hoverinfo="skip")


def hover_text(rows: Side, columns: Side) -> str:
    """The lines of a cell for a hover template."""
    parts = [f"{escape(rows.title)} <b>%{{y}}</b>"]
    if columns.title:
        parts.append(f"{escape(columns.title)} <b>%{{x}}</b>")
    return "<br>".join(parts)


def _naming(side: Side, place: str) -> dict[str, Any]:
    return _axis(len(side), place) | {
        "tickvals": list(range(len(side))),
        "ticktext": [side.name(at) for at in range(len(side))],
        "showticklabels": False,
    }


def _showing(side: Side, look: Look, pixels: float, place: str) -> dict[str, Any]:
    if side.tokens is not None:
        axis = token_axis(side.tokens, look, pixels, place)
        if is_numbered(axis, side.tokens):
            axis["ticktext"] = [str(side.numbers[at]) for at in axis["tickvals"]]
    elif not side.title:
        axis = _axis(len(side), place) | {"showticklabels": False}
    else:
        axis = _number_axis(side, look, pixels, place)
    if place == "left":
        return axis  # its title would be rotated, which Chinese never is: see `corner`
    font = {"size": look.px(13), "color": look.colour("faint")}
    return axis | {"title": {"text": escape(side.title), "font": font, "standoff": 6}}


def _number_axis(side: Side, look: Look, pixels: float, place: str) -> dict[str, Any]:
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
    return _axis(len(side), place) | {
        "tickvals": sorted(rounds),
        "ticktext": [str(rounds[at]) for at in sorted(rounds)],
        "tickfont": {"size": font, "color": look.colour("text")},
    }


def _round(side: Side, at: int, stride: int) -> int | None:
    """The multiple of the stride that a line stands for, if any."""
    number = side.numbers[at]
    multiple = -(-number // stride) * stride
    return multiple if multiple < number + side.step else None


def _axis(count: int, place: str) -> dict[str, Any]:
    rows = place in ("left", "right")
    return {
        "tickmode": "array",
        "tickangle": 0,
        "side": place,
        "range": [count - 0.5, -0.5] if rows else [-0.5, count - 0.5],
        "type": "linear",
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": True,
    }
