"""What all figures share: fonts, margins, labels of tokens, numbers, hatching.

Everything takes a `Look`; nothing here knows Streamlit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import colour, faded
from app.figures.labels import escape, is_chinese, text_width, visible

# Chinese falls back to what Linux, macOS and Windows bring.
FONT = (
    '"Source Sans", "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC", '
    '"Microsoft YaHei", "Droid Sans Fallback", sans-serif'
)
MONOSPACE = '"Source Code Pro", "Noto Sans Mono CJK SC", ui-monospace, monospace'
SMALLEST_FONT = 10


@dataclass(frozen=True)
class Look:
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


def base_layout(look: Look, height: int | None = None, **more: Any) -> dict[str, Any]:
    """Keyword arguments for `figure.update_layout`; `more` overrides single entries."""
    text, line = look.colour("text"), look.colour("line")
    axis = {
        "color": text,
        "gridcolor": line,
        "linecolor": line,
        "zeroline": False,
        "showgrid": False,
        "automargin": True,
        "ticklabeloverflow": "allow",  # otherwise plotly.js measures each label, a layout each
        "fixedrange": True,
        "title": {"font": {"size": look.px(13), "color": look.colour("faint")}, "standoff": 6},
        "tickfont": {"size": look.px(13)},
    }
    layout = {
        "font": {"family": FONT, "size": look.px(14), "color": text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8, "pad": 2},
        "xaxis": axis,
        "yaxis": axis,
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
            "color": faded(look.colour("faint"), 0.6),
            "activecolor": look.colour("text"),
        },
        "uirevision": "kept",
    }
    return layout | ({"height": height} if height else {}) | more


def colour_bar(look: Look, title: str = "") -> dict[str, Any]:
    """A slim colour bar with numbers; `title` is drawn above it."""
    return {
        "thickness": look.px(10),
        "len": 0.9,
        "outlinewidth": 0,
        "ticks": "",
        "nticks": 5,
        "tickformat": ".3~g",
        "tickfont": {"size": look.px(12), "color": look.colour("faint")},
        "title": {"text": escape(title), "side": "top", "font": {"size": look.px(12)}},
    }


def token_axis(
    tokens: Sequence[str],
    look: Look,
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
    labels = [str(at + 1) if numbered else escape(visible(tokens[at])) for at in places]
    return {
        "tickmode": "array",
        "tickvals": places,
        "ticktext": labels,
        "tickangle": angle or 0,
        "tickfont": {"size": int(min(font, max(SMALLEST_FONT, room * 0.8))) if rows else font},
        "side": side,
        "range": [count - 0.5, -0.5] if rows else [-0.5, count - 0.5],
        "type": "linear",
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "fixedrange": True,
        "automargin": True,
    }


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


def hatching(allowed: np.ndarray, look: Look) -> go.Scatter:
    """An overlay that hatches the cells where `allowed` (T, S) is False: forbidden, not zero.

    Lies on the panel colour above the heat map, which still answers hover and clicks.
    """
    x: list[float | None] = []
    y: list[float | None] = []
    for row, start, stop in _forbidden_runs(np.asarray(allowed, dtype=bool)):
        x += [start - 0.5, stop - 0.5, stop - 0.5, start - 0.5, start - 0.5, None]
        y += [row - 0.5, row - 0.5, row + 0.5, row + 0.5, row - 0.5, None]
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=look.colour("panel"),
        fillpattern={
            "shape": "/",
            "size": 7,
            "solidity": 0.16,
            "fillmode": "replace",
            "fgcolor": faded(look.colour("faint"), 0.6),
            "bgcolor": look.colour("panel"),
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _forbidden_runs(allowed: np.ndarray) -> list[tuple[int, int, int]]:
    """(row, first column, column after the last) of every run of False cells."""
    runs = []
    for row, cells in enumerate(allowed):
        edges = np.flatnonzero(np.diff(np.concatenate(([True], cells, [True])).astype(np.int8)))
        runs += [(row, int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return runs
