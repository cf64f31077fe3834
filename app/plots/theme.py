"""What all figures share: fonts, margins, labels of tokens, numbers, hatching.

Everything takes a `FigureStyle`; nothing here knows Streamlit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, SupportsFloat

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import colour, fade_colour
from glassformer.app.plots.labels import escape, format_number, is_chinese, text_width, visible

# Chinese falls back to what Linux, macOS and Windows bring.
FONT = (
    '"Source Sans", "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC", '
    '"Microsoft YaHei", "Droid Sans Fallback", sans-serif'
)
SMALLEST_FONT = 10
# Of each axis. To hide the names that have no room plotly.js would measure all names once for each
# of them, a layout of the page each time.
NAMES_STAY = "allow"


@dataclass(frozen=True)
class FigureStyle:
    """How figures are drawn for this reader: theme, type size in percent, significant digits."""

    dark: bool = False
    size: int = 100
    precision: int = 3

    def colour(self, role: str) -> str:
        """The colour of a role in this theme."""
        return colour(role, self.dark)

    def px(self, pixels: float) -> int:
        """A font size or a distance that grows with the type size."""
        return round(pixels * self.size / 100)

    def font(self, pixels: float, role: str) -> dict[str, Any]:
        """Type of a size at 100 %, in the colour of a role."""
        return {"size": self.px(pixels), "color": self.colour(role)}

    def number(self, value: SupportsFloat) -> str:
        """A number with the reader's digits."""
        return format_number(float(value), self.precision)

    def smaller(self) -> "list[FigureStyle]":
        """The same and two smaller sizes of type, tried before words become numbers."""
        return [replace(self, size=round(self.size * share)) for share in (1.0, 0.88, 0.77)]


def base_layout(
    look: FigureStyle, height: int | None = None, least: tuple[float, float] = (0, 0), **more: Any
) -> dict[str, Any]:
    """Keyword arguments for `figure.update_layout`; `more` overrides single entries.

    least: pixels across and down in which it can be read; in less it is scrolled (ui/chart.js).
    """
    text, line, axis = look.colour("text"), look.colour("line"), _axis(look)
    layout = {
        "font": {"family": FONT, "size": look.px(14), "color": text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8, "pad": 2},
        "minreducedwidth": 24,  # or plotly.js cuts names and titles where there is little room
        "minreducedheight": 24,
        "xaxis": axis,
        "yaxis": dict(axis),
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {
            "bgcolor": look.colour("panel"),
            "bordercolor": line,
            "font": {"family": FONT, "size": look.px(14), "color": text},
            "align": "left",
        },
        "colorway": [look.colour(role) for role in ("weights", "data", "query", "key", "value")],
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": fade_colour(look.colour("faint"), 0.6),
            "activecolor": look.colour("text"),
        },
        "uirevision": "kept",
        "meta": {"least": least},
    }
    return layout | ({"height": height} if height else {}) | more


def _axis(look: FigureStyle) -> dict[str, Any]:
    """What all axes have."""
    line = look.colour("line")
    return {
        "color": look.colour("text"),
        "gridcolor": line,
        "linecolor": line,
        "zeroline": False,
        "showgrid": False,
        "automargin": True,
        "ticklabeloverflow": NAMES_STAY,
        "fixedrange": True,
        "title": {"font": look.font(13, "faint"), "standoff": 6},
        "tickfont": {"size": look.px(13)},
    }


def colour_bar(look: FigureStyle, title: str = "") -> dict[str, Any]:
    """A slim colour bar with numbers; `title` is drawn above it."""
    return {
        "thickness": look.px(10),
        "len": 0.9,
        "outlinewidth": 0,
        "ticks": "",
        "nticks": 5,
        "tickformat": ".3~g",
        "ticklabeloverflow": NAMES_STAY,
        "tickfont": look.font(12, "faint"),
        "title": {"text": escape(title), "side": "top", "font": {"size": look.px(12)}},
    }


def token_axis(
    tokens: Sequence[str],
    look: FigureStyle,
    pixels: float = 600,
    side: str = "bottom",
    least: float = SMALLEST_FONT,
) -> dict[str, Any]:
    """Layout of an axis whose integer positions are tokens; `pixels` is the axis's length.

    side "bottom" or "top" for columns, "left" or "right" for rows (row 0 on top). least: pixels of
    a row that a word needs.
    Chinese is never rotated, Latin at most 45°; where neither fits, positions are numbered from 1
    (`is_numbered` tells; show the tokens beside the figure then).
    """
    count, font = len(tokens), look.px(13)
    rows = side in ("left", "right")
    angle = 0 if rows else _angle(tokens, font, pixels)
    room = pixels / max(count, 1)
    numbered = angle is None or (rows and room < least)
    step = 1
    if numbered:
        needed = font * (1.2 if rows else 0.7 * len(str(count)) + 0.6)
        step = max(1, int(np.ceil(needed / room)))
    places = list(range(0, count, step))
    return line_axis(count, side) | {
        "tickvals": places,
        "ticktext": [str(at + 1) if numbered else escape(visible(tokens[at])) for at in places],
        "tickangle": angle or 0,
        "tickfont": {"size": int(min(font, max(SMALLEST_FONT, room * 0.8))) if rows else font},
    }


def line_axis(count: int, side: str) -> dict[str, Any]:
    """An axis of so many lines of cells or bars, without ticks; row 0 on top."""
    rows = side in ("left", "right")
    return {
        "tickmode": "array",
        "tickangle": 0,
        "side": side,
        "range": [count - 0.5, -0.5] if rows else [-0.5, count - 0.5],
        "type": "linear",
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": True,
        "ticklabeloverflow": NAMES_STAY,
    }


def named_ticks(labels: Sequence[str], places: Sequence[float] | None = None) -> dict[str, Any]:
    """Ticks with these names, escaped already, at the places; one after the other without."""
    where = list(range(len(labels))) if places is None else list(places)
    return {"tickmode": "array", "tickvals": where, "ticktext": list(labels)}


def is_numbered(axis: dict[str, Any], tokens: Sequence[str]) -> bool:
    """Whether `token_axis` found no room for the tokens and numbered the positions instead."""
    return list(axis["ticktext"]) != [escape(visible(token)) for token in tokens]


def _angle(tokens: Sequence[str], font: int, pixels: float) -> int | None:
    """The rotation of the column labels in degrees, None where only numbers fit."""
    room = pixels / max(len(tokens), 1)
    if max((text_width(visible(token), font) for token in tokens), default=0) + 4 <= room:
        return 0
    if not any(is_chinese(token) for token in tokens) and room >= font * 1.15:
        return -45
    return None


def hatch_cells(allowed: np.ndarray, look: FigureStyle, first: int = 0, **axes: str) -> go.Scatter:
    """An overlay that hatches the cells where `allowed` (T, S) is False: forbidden, not zero.

    Lies on the panel colour above the heat map, which still answers hover and clicks. first: what
    rows and columns are counted from.
    """
    ends = np.diff(np.pad(~np.asarray(allowed, bool), ((0, 0), (1, 1))).astype(np.int8))
    (rows, starts), stops = np.nonzero(ends == 1), np.nonzero(ends == -1)[1]  # of runs in a row
    left, right, top, bottom = (first + each - 0.5 for each in (starts, stops, rows, rows + 1))
    between = np.full(len(rows), np.nan)
    x = np.stack([left, right, right, left, left, between], axis=1)
    y = np.stack([top, top, bottom, bottom, top, between], axis=1)
    return go.Scatter(
        x=x.ravel().tolist(),
        y=y.ravel().tolist(),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=look.colour("panel"),
        fillpattern=hatch_pattern(look),
        hoverinfo="skip",
        showlegend=False,
        **axes,
    )


def hatch_pattern(look: FigureStyle) -> dict[str, Any]:
    """Thin grey strokes on the colour of the panel."""
    pattern = {"shape": "/", "size": 7, "solidity": 0.16, "fillmode": "replace"}
    return pattern | {
        "fgcolor": fade_colour(look.colour("faint"), 0.6),
        "bgcolor": look.colour("panel"),
    }
