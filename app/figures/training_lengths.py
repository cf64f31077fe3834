"""How long the vectors of the stream are on their way, and how the weights have grown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import mix
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout
from app.figures.training_curves import plain_axis, steps_axis

# Queries, keys, … have their own colours everywhere.
ROLES = {
    "embedding": "data", "query": "query", "key": "key", "value": "value", "output": "weights",
    "feed_forward": "feed_forward", "norm": "norm", "generator": "changed",
}  # fmt: skip


@dataclass(frozen=True)
class LengthTexts:
    """What the figures say, in the reader's language."""

    hover: str  # with {place} {step} {value}
    parts: Mapping[str, str]  # names of what weights belong to
    size: str  # of weights, with {part} {step} {growth} {size}
    stacks: tuple[str, str] = ("", "")  # encoder, decoder


def lengths_figure(
    places: Sequence[str], lengths: np.ndarray, steps: Sequence[int], now: int, gap: int,
    texts: LengthTexts, look: Look, height: int,
) -> go.Figure:  # fmt: skip
    """A line a step from place to place, the step in view strong, the others faint.

    lengths (steps, places). now: index of the step in view. gap: the place where the second stack
    begins; the line is broken before it.
    """
    faint = mix(look.colour("page"), look.colour("data"), 0.3)
    order = [*(at for at in range(len(steps)) if at != now), now]  # the strong one on top
    traces = [
        _way(lengths[at], places, steps[at], gap, texts, look, at == now, faint) for at in order
    ]
    layout = base_layout(look, height, margin=_margin(look), hovermode="closest")
    layout["xaxis"] = layout["xaxis"] | {
        "tickmode": "array",
        "tickvals": list(range(len(places))),
        "ticktext": [escape(place) for place in places],
        "tickangle": 0,
        "tickfont": {"size": look.px(12)},
        "range": [-0.4, len(places) - 0.6],
        "automargin": False,
    }
    most = float(np.nanmax(lengths, initial=0)) or 1.0
    layout["yaxis"] = _values_axis([0, 1.05 * most], look)
    layout["shapes"] = [_border(gap - 0.5, look)]
    layout["annotations"] = [
        _name(text, start, look) for text, start in zip(texts.stacks, (0, gap), strict=True)
    ]
    return go.Figure(traces, layout)


def sizes_figure(
    sizes: Mapping[str, Sequence[float]], steps: Sequence[int], now: int, texts: LengthTexts,
    look: Look, height: int,
) -> go.Figure:  # fmt: skip
    """How many times as large the weights of each part are as at the first step.

    sizes: root mean square of a part's weights at each step.
    """
    growth = {
        part: np.asarray(values, np.float32) / (values[0] or 1) for part, values in sizes.items()
    }
    traces = [
        go.Scatter(
            x=np.arange(len(steps), dtype=np.float32),
            y=grown,
            mode="lines+markers",
            line={"color": look.colour(ROLES[part]), "width": 2.5},
            marker={"size": look.px(5)},
            hovertext=[
                _grown(texts, texts.parts[part], step, float(factor), size, look)
                for step, factor, size in zip(steps, grown, sizes[part], strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            cliponaxis=False,
        )
        for part, grown in growth.items()
    ]
    ends = [float(value) for grown in growth.values() for value in grown if np.isfinite(value)]
    low, high = min(ends, default=1.0), max(ends, default=1.0)
    room = 0.06 * ((high - low) or 1)
    layout = base_layout(look, height, margin=_margin(look), hovermode="closest")
    layout["xaxis"] = steps_axis(_thinned(steps), look)
    layout["yaxis"] = _values_axis([low - room, high + room], look) | {"ticksuffix": "×"}
    layout["shapes"] = [_border(now, look, "text")]
    return go.Figure(traces, layout)


def _way(
    values: np.ndarray, places: Sequence[str], step: int, gap: int, texts: LengthTexts, look: Look,
    strong: bool, faint: str,
) -> go.Scatter:  # fmt: skip
    x = [*range(gap), None, *range(gap, len(places))]
    y = [*map(float, values[:gap]), None, *map(float, values[gap:])]
    said = [
        escape(texts.hover.format(place=place, step=step, value=_number(value, look)))
        for place, value in zip(places, values, strict=True)
    ]
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": look.colour("data") if strong else faint, "width": 4 if strong else 1},
        marker={"size": look.px(9 if strong else 3)},
        hovertext=[*said[:gap], "", *said[gap:]],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _grown(texts: LengthTexts, part: str, step: int, growth: float, size: float, look: Look) -> str:
    values = {"growth": _number(growth, look), "size": _number(size, look)}
    return escape(texts.size.format(part=part, step=step, **values))


def _number(value: float, look: Look) -> str:
    return format_number(float(value), look.precision)


def _thinned(steps: Sequence[int]) -> list[Any]:
    """The steps with every other one unnamed: a small figure has no room for all."""
    last = len(steps) - 1
    return [step if (last - at) % 2 == 0 else "" for at, step in enumerate(steps)]


def _margin(look: Look) -> dict[str, int]:
    return {"l": look.px(48), "r": look.px(18), "t": look.px(22), "b": look.px(26), "pad": 2}


def _values_axis(limits: list[float], look: Look) -> dict[str, Any]:
    return plain_axis(look) | {"range": limits, "nticks": 6}


def _name(text: str, x: float, look: Look) -> dict[str, Any]:
    return {
        "text": escape(text),
        "x": x,
        "y": 1,
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": look.px(13), "color": look.colour("faint")},
    }


def _border(x: float, look: Look, role: str = "line") -> dict[str, Any]:
    line = {"color": look.colour(role), "width": 2, "dash": "dot" if role == "line" else "solid"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}
