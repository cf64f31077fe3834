"""One row of attention as bars: how much one word looks at each word of the source."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from app.figures import drawing as go
from app.figures.colours import mix
from app.figures.labels import escape, format_number, visible
from app.figures.theme import Look, base_layout, is_numbered, token_axis


def source_weights(
    words: Sequence[str],
    weights: Sequence[float],
    look: Look,
    sinks: Collection[int] = (),
    pixels: float = 300,
) -> go.Figure:
    """One horizontal bar a word, in the order of the sentence; the strongest in full colour.

    weights: 0..1; NaN has no bar and is written. sinks: places of signs, their words in grey.
    pixels: of the height in the smallest window; the chart fills its place.
    """
    layout = base_layout(look)
    layout["xaxis"] = layout["xaxis"] | {"range": [0, 1.18], "visible": False}
    axis = token_axis(words, look, pixels - 16, side="left")
    layout["yaxis"] = layout["yaxis"] | axis | _greyed(axis, sinks, look)
    return go.Figure(_bars(words, weights, look, is_numbered(axis, words)), layout)


def _bars(
    words: Sequence[str], weights: Sequence[float], look: Look, numbered: bool
) -> go.Bar:  # fmt: skip
    known = [0.0 if math.isnan(each) else each for each in weights]
    strong = look.colour("weights")
    weak = mix(look.colour("panel"), strong, 0.5)
    most = max(range(len(known)), key=known.__getitem__, default=0)
    shown = [
        (f"{escape(visible(word))} " if numbered else "") + format_number(weight, look.precision)
        for word, weight in zip(words, weights, strict=True)
    ]
    return go.Bar(
        x=known,
        y=list(range(len(words))),
        orientation="h",
        width=0.74,
        marker={"color": [strong if at == most else weak for at in range(len(words))]},
        text=shown,
        textposition="outside",
        textangle=0,
        textfont={"size": look.px(12), "color": look.colour("text")},
        cliponaxis=False,
        customdata=[
            f"{escape(visible(word))}<br><b>{weight:.6g}</b>"
            for word, weight in zip(words, weights, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _greyed(axis: dict[str, Any], sinks: Collection[int], look: Look) -> dict[str, Any]:
    colour = look.colour("faint")
    labels = [
        f'<span style="color:{colour}">{label}</span>' if place in sinks else label
        for place, label in zip(axis["tickvals"], axis["ticktext"], strict=True)
    ]
    return {"ticktext": labels}
