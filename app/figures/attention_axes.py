"""The axes of an attention map: its words, which of them are grey or pinned, the rows' spread."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.figures.labels import escape
from app.figures.theme import Look, is_numbered, token_axis
from core.reading.attention_views import Side

SPREAD_FROM = 0.885  # where the bars of the rows' spread begin, as a share of the width
GAP = 0.02  # between the cells and the bars
SMALLER = (1.0, 0.88, 0.77)  # sizes of type that are tried before the words become numbers


def words_axis(
    side: Side, pinned: int | None, role: str, look: Look, pixels: float
) -> dict[str, Any]:
    """The words down ("query") or across ("key"): sinks in grey, the pinned one in its colour."""
    axis = _fitting(side, role, look, pixels)
    if pinned is not None and pinned not in axis["tickvals"]:
        _show_pinned(axis, pinned)
    axis["ticktext"] = [
        _marked(label, place == pinned, place in side.sinks, role, look)
        for place, label in zip(axis["tickvals"], axis["ticktext"], strict=True)
    ]
    return axis


def has_numbers(side: Side, role: str, look: Look, pixels: float) -> bool:
    """Whether there is no room for the words, so that the axis counts them from 1."""
    return is_numbered(_fitting(side, role, look, pixels), side.labels)


def spread_axis(most: float, title: str, look: Look) -> dict[str, Any]:
    """The axis of the bars beside the rows, from 0 to the largest entropy."""
    faint = look.colour("faint")
    return {
        "domain": [SPREAD_FROM, 1],
        "anchor": "y",
        "side": "top",
        "range": [0, most * 1.04],
        "tickvals": [0, most],
        "ticktext": ["0", f"{most:.2f}"],
        "tickfont": {"size": look.px(11), "color": faint},
        "title": {
            "text": escape(title),
            "font": {"size": look.px(12), "color": faint},
            "standoff": 4,
        },
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def column_title(text: str, look: Look) -> dict[str, Any]:
    """The title above the words across."""
    font = {"size": look.px(13), "color": look.colour("key")}
    return {"text": escape(text), "font": font, "standoff": 10}


def row_title(text: str, look: Look, role: str) -> dict[str, Any]:
    """An annotation in the corner, above the labels of the rows: an axis title would be rotated."""
    return {
        "text": escape(text),
        "font": {"size": look.px(13), "color": look.colour(role)},
        "showarrow": False,
        "x": 0,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "right",
        "yanchor": "bottom",
        "xshift": -4,
        "yshift": 4,
    }


def _fitting(side: Side, role: str, look: Look, pixels: float) -> dict[str, Any]:
    where = "left" if role == "query" else "top"
    for share in SMALLER:
        smaller = replace(look, size=round(look.size * share))
        axis = token_axis(side.labels, smaller, pixels, where)
        if not is_numbered(axis, side.labels):
            return axis
    return token_axis(side.labels, look, pixels, where)


def _show_pinned(axis: dict[str, Any], pinned: int) -> None:
    """Number the pinned position instead of its nearest neighbour among the ticks."""
    nearest = min(range(len(axis["tickvals"])), key=lambda at: abs(axis["tickvals"][at] - pinned))
    axis["tickvals"][nearest] = pinned
    axis["ticktext"][nearest] = str(pinned + 1)


def _marked(label: str, pinned: bool, sink: bool, role: str, look: Look) -> str:
    if pinned:
        return f'<span style="color:{look.colour(role)}"><b>{label}</b></span>'
    if sink:
        return f'<span style="color:{look.colour("faint")}">{label}</span>'
    return label
