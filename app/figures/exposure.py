"""The right words' probabilities after the right words and after a wrong one, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.figures import drawing as go
from app.figures.labels import escape, format_percent, visible
from app.figures.theme import Look, base_layout, token_axis

ROLES = ("data", "changed")  # of the two bars
FEW = 14  # words over whose bars the percentages have room


def exposure_figure(
    words: Sequence[str], right: Sequence[float], wrong: Sequence[float],
    names: tuple[str, str], look: Look, width: int, height: int,
) -> go.Figure:  # fmt: skip
    """Two bars a word: its probability after the right words, and after the wrong one.

    names: of the two. width: pixels of the axis, by which the words are written.
    """
    layout = base_layout(look, height, barmode="group", bargap=0.3, bargroupgap=0.06)
    layout["xaxis"] = layout["xaxis"] | token_axis(words, look, width)
    layout["yaxis"] = layout["yaxis"] | {
        "range": [0, 1.2], "tickformat": ".0%", "tickvals": [0, 0.5, 1], "showgrid": True,
    }  # fmt: skip
    bars = [
        _bars(words, shares, name, look.colour(role), look)
        for shares, name, role in zip((right, wrong), names, ROLES, strict=True)
    ]
    return go.Figure(bars, layout)


def _bars(
    words: Sequence[str], shares: Sequence[float], name: str, colour: str, look: Look
) -> go.Bar:
    said = ["NaN" if math.isnan(share) else format_percent(share) for share in shares]
    return go.Bar(
        x=list(range(len(words))),
        y=[0.0 if math.isnan(share) else share for share in shares],
        name=escape(name),
        marker={"color": colour},
        text=said if len(words) <= FEW else None,
        textposition="outside",
        textangle=0,
        constraintext="none",
        textfont={"size": look.px(11), "color": look.colour("text")},
        cliponaxis=False,
        customdata=[
            f"{escape(visible(word))} · {escape(name)}<br><b>{share:.6g}</b>"
            for word, share in zip(words, shares, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
