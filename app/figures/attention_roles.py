"""What one head does: the shares of its weight that go to certain places, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.labels import escape, format_percent, text_width
from app.figures.theme import Look, base_layout

LONGEST = 9.0  # of a name on one line, in widths of a Chinese character


def roles_figure(shares: Mapping[str, float], look: Look, height: int) -> go.Figure:
    """A bar for each named share (0–1), on the outline of the whole; NaN has no bar."""
    names, values = list(shares), np.array(list(shares.values()), dtype=np.float32)
    places = np.arange(len(names))
    shared = {"y": places, "orientation": "h", "width": 0.5, "hoverinfo": "skip"}
    whole = np.ones(len(names), np.float32)
    bars = [
        go.Bar(x=whole, marker={"color": look.colour("line")}, **shared),
        go.Bar(x=values, marker={"color": look.colour("weights")}, **shared),
    ]
    layout = base_layout(
        look,
        height,
        template="none",
        barmode="overlay",
        xaxis={"range": [0, 1], "visible": False, "fixedrange": True},
        yaxis=_name_axis(names, look),
        margin={"l": 8, "r": look.px(56), "t": 4, "b": 4, "pad": 4},
        annotations=[
            _number(int(place), _percent(value), look)
            for place, value in zip(places, values, strict=True)
        ],
    )
    return go.Figure(bars, layout)


def _name_axis(names: Sequence[str], look: Look) -> dict[str, Any]:
    return {
        "range": [len(names) - 0.5, -0.5],
        "tickvals": list(range(len(names))),
        "ticktext": [_lines(name) for name in names],
        "tickfont": {"size": look.px(13)},
        "automargin": True,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _lines(name: str) -> str:
    """A long list of places takes two lines: in a narrow panel the bars need the room."""
    if text_width(name, 1) > LONGEST:
        at = max(name.rfind(", "), name.find("、")) + 1
        return f"{escape(name[:at].strip())}<br>{escape(name[at:].strip())}" if at else escape(name)
    return escape(name)


def _number(place: int, text: str, look: Look) -> dict[str, Any]:
    right = {"x": 1, "xref": "paper", "xanchor": "right", "xshift": look.px(52)}
    right |= {"font": {"size": look.px(13)}}
    return right | {"y": place, "text": text, "showarrow": False}


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else escape(format_percent(float(share)))
