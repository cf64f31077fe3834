"""What figures of several panels share: their titles and one legend above them."""

from __future__ import annotations

from typing import Any

from app.figures.theme import Look


def panel_title(html: str, x: float, look: Look) -> dict[str, Any]:
    """The title of the panel that begins at `x` (0-1 of the width); `html` is escaped already."""
    return {
        "text": html,
        "x": x,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 6,
        "showarrow": False,
        "font": {"size": look.px(14)},
    }


def legend_above(look: Look) -> dict[str, Any]:
    """A legend on a line at the top, that only names."""
    return {
        "orientation": "h",
        "x": 0,
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "xanchor": "left",
        "itemclick": False,
        "itemdoubleclick": False,
        "bgcolor": "rgba(0,0,0,0)",
        "font": {"size": look.px(14)},
    }
