"""Keys and values, step by step: reused and computed with a cache, computed without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.figures import drawing as go
from app.figures.colours import faded, mix
from app.figures.labels import escape
from app.figures.theme import Look, base_layout

WIDTH, APART = 0.38, 0.2  # of the bars; half of what lies between those of one step


@dataclass(frozen=True)
class CacheTexts:
    """The names of the three parts, of the axis below and of the numbers."""

    reused: str
    computed: str
    without: str
    step: str
    numbers: str


def cache_work(
    reused: Sequence[int], computed: Sequence[int], without: Sequence[int], now: int,
    hovers: Sequence[str], texts: CacheTexts, look: Look, height: int,
) -> go.Figure:  # fmt: skip
    """Two bars a step: what the cache gives and what is computed, and all computed anew.

    now: the step in focus, behind which a band lies. hovers: what a step says, as plain text.
    """
    steps = range(len(reused))
    added = look.colour("data")
    shared = {
        "width": WIDTH,
        "customdata": [escape(hover).replace("\n", "<br>") for hover in hovers],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    left, right = [at - APART for at in steps], [at + APART for at in steps]
    bars = [
        go.Bar(x=left, y=list(computed), name=escape(texts.computed), marker={"color": added},
               **shared),
        go.Bar(x=left, y=list(reused), name=escape(texts.reused),
               marker={"color": mix(look.colour("panel"), added, 0.3)}, **shared),
        go.Bar(x=right, y=list(without), name=escape(texts.without),
               marker={"color": look.colour("key")}, **shared),
    ]  # fmt: skip
    return go.Figure(bars, _layout(len(reused), now, texts, look, height))


def _layout(count: int, now: int, texts: CacheTexts, look: Look, height: int) -> dict[str, Any]:
    layout = base_layout(look, height, barmode="stack", template="none", showlegend=True)
    layout["margin"] = layout["margin"] | {"t": look.px(28)}
    places = list(range(0, count, max(1, count // 16)))
    title = layout["xaxis"]["title"] | {"text": escape(texts.step)}
    layout["xaxis"] = layout["xaxis"] | {
        "tickmode": "array", "tickvals": places, "ticktext": [str(at + 1) for at in places],
        "range": [-0.6, count - 0.4], "title": title,
    }  # fmt: skip
    layout["yaxis"] = layout["yaxis"] | {"showgrid": True, "tickformat": ",d"}
    layout["annotations"] = [  # above the axis: beside it Chinese would be rotated
        {"text": escape(texts.numbers), "showarrow": False, "xref": "paper", "yref": "paper",
         "x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom", "yshift": 6,
         "font": {"size": look.px(12), "color": look.colour("faint")}}
    ]  # fmt: skip
    layout["legend"] = {
        "orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": look.px(13)},
        "traceorder": "normal", "itemclick": False, "itemdoubleclick": False,
    }  # fmt: skip
    layout["shapes"] = [
        {"type": "rect", "x0": now - 0.5, "x1": now + 0.5, "yref": "paper", "y0": 0, "y1": 1,
         "line": {"width": 0}, "fillcolor": faded(look.colour("data"), 0.14), "layer": "below"}
    ]  # fmt: skip
    return layout
