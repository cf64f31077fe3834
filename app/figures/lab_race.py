"""How long a layer of each kind takes, against the length of the sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures import labels
from app.figures.lab_why import (
    WhyTexts,
    axis_title,
    coloured,
    kind_colour,
    log_range,
    note,
    why_margin,
)
from app.figures.labels import format_number
from app.figures.theme import Look, base_layout
from app.figures.training_curves import plain_axis
from core.lab.race import Race


def time_figure(found: Race | None, texts: WhyTexts, look: Look) -> go.Figure:
    """Time of one layer against the length of the sentence, both on logarithmic scales."""
    layout = base_layout(look, margin=why_margin(look), hovermode="closest")
    axis = plain_axis(look) | {"type": "log"}
    layout["xaxis"] = axis | {
        "title": axis_title(texts.length, look),
        "tickvals": found.lengths.tolist() if found else [],
        "range": log_range(found.lengths.numpy()) if found else [0, 1],
    }
    layout["yaxis"] = axis | {"title": axis_title(texts.time, look), "exponentformat": "none"}
    if found is None:
        layout["yaxis"] |= {"tickvals": [], "range": [0, 1]}
        layout["annotations"] = [note(texts.waiting, look)]
        return go.Figure([], layout)
    layout["yaxis"] |= {"dtick": 1, "minor": {"showgrid": False}}
    sizes = found.lengths.numpy()
    traces, ends = [], []
    for kind, seconds in found.seconds.items():
        times = 1000 * seconds.numpy()
        traces.append(_times(kind, sizes, times, texts, look))
        known = np.flatnonzero(np.isfinite(times))
        if len(known):
            last = known[-1]
            ends.append(_end(texts.kinds[kind], kind, sizes[last], times[last], look))
    layout["annotations"] = ends
    layout["margin"] = why_margin(look) | {"r": look.px(110)}
    return go.Figure(traces, layout)


def _times(
    kind: str, sizes: np.ndarray, times: np.ndarray, texts: WhyTexts, look: Look
) -> go.Scatter:
    said = [
        labels.escape(
            texts.time_hover.format(
                kind=texts.kinds[kind], length=size, time=format_number(time, look.precision)
            )
        )
        for size, time in zip(sizes.tolist(), times.tolist(), strict=True)
    ]
    return go.Scatter(
        x=sizes.astype(np.float64),
        y=times,
        mode="lines+markers",
        line={"color": kind_colour(kind, look), "width": 3},
        marker={"size": look.px(8)},
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )


def _end(text: str, kind: str, x: float, y: float, look: Look) -> dict[str, Any]:
    return {
        "text": coloured(text, kind, look),
        "x": float(np.log10(x)),
        "y": float(np.log10(y)),
        "xanchor": "left",
        "xshift": 10,
        "showarrow": False,
        "font": {"size": look.px(13)},
    }
