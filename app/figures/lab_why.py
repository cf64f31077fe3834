"""Which word moves the last output, in an RNN, in convolutions and in attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures import labels
from app.figures.colours import head_colour, sequential
from app.figures.labels import format_number
from app.figures.theme import Look, base_layout
from app.figures.training_curves import plain_axis
from core.lab.why_attention import Route

HUES = {"recurrent": 0, "convolution": 1, "dilated": 3, "attention": 2}
SPLIT = (0.34, 0.44)  # shares of the height: the strips end, the curves begin
LEGEND = 112  # pixels left for the names of the strips
NAMED = 10  # pixels of the numbers in the strips

Names = Mapping[str, str]


@dataclass(frozen=True)
class WhyTexts:
    """What the figures say, in the reader's language; `kinds` has a name for each kind."""

    kinds: Names
    gradient: str  # above the curves
    path: str  # above the strips
    word: str  # of the horizontal axis
    hover: str  # with {kind} {word} {gradient} {path}
    length: str = ""
    time: str = ""
    time_hover: str = ""  # with {kind} {length} {time}
    waiting: str = ""  # where nothing is measured yet


def travel_figure(routes: Sequence[Route], texts: WhyTexts, look: Look) -> go.Figure:
    """Curves of the gradient at every word, and below each word its steps to the last output."""
    count = len(routes[0].path)
    layout = base_layout(look, margin=why_margin(look), hovermode="closest")
    layout["xaxis"] = plain_axis(look) | {
        "range": [0.5, count + 0.5],
        "dtick": 1 if count <= 16 else 4 if count > 24 else 2,
        "tick0": 1,
        "title": axis_title(texts.word, look),
        "showgrid": False,
        "anchor": "y2",
    }
    layout["yaxis"] = plain_axis(look) | {
        "type": "log",
        "domain": [SPLIT[1], 1],
        "exponentformat": "power",
        "dtick": 1,
        "range": _decades(routes),
        "anchor": "x",
    }
    layout["yaxis2"] = plain_axis(look) | {
        "domain": [0, SPLIT[0]],
        "range": [len(routes) - 0.5, -0.5],
        "tickvals": list(range(len(routes))),
        "ticktext": [coloured(texts.kinds[each.kind], each.kind, look) for each in routes],
        "tickfont": {"size": look.px(13)},
        "ticks": "",
        "showgrid": False,
        "anchor": "x",
    }
    layout["annotations"] = [
        _heading(texts.gradient, 1, look),
        _heading(texts.path, SPLIT[0], look),
    ]
    curves = [_curve(each, texts, look) for each in routes]
    return go.Figure([*curves, _strips(routes, texts, look)], layout)


def kind_colour(kind: str, look: Look) -> str:
    """The hue of a kind of layer, one that the colour-blind can tell from the others."""
    return head_colour(HUES[kind], look.dark)


def _curve(route: Route, texts: WhyTexts, look: Look) -> go.Scatter:
    gradients = route.gradients.numpy()
    said = [
        labels.escape(
            texts.hover.format(
                kind=texts.kinds[route.kind],
                word=at + 1,
                gradient=format_number(value, look.precision),
                path=path or "–",
            )
        )
        for at, (value, path) in enumerate(
            zip(gradients.tolist(), route.path.tolist(), strict=True)
        )
    ]
    return go.Scatter(
        x=np.arange(1, len(gradients) + 1, dtype=np.float32),
        y=np.where(gradients > 0, gradients, np.nan).astype(np.float64),
        mode="lines+markers",
        line={"color": kind_colour(route.kind, look), "width": 3},
        marker={"size": look.px(6)},
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )


def _strips(routes: Sequence[Route], texts: WhyTexts, look: Look) -> go.Heatmap:
    steps = np.stack([each.path.numpy() for each in routes])
    said = [
        [
            labels.escape(f"{texts.kinds[each.kind]}, {texts.word} {at + 1}: {path or '–'}")
            for at, path in enumerate(each.path.tolist())
        ]
        for each in routes
    ]
    return go.Heatmap(
        z=steps.astype(np.float32),
        x=np.arange(1, steps.shape[1] + 1, dtype=np.float32),
        yaxis="y2",
        zmin=0,
        zmax=max(float(steps.max()), 1.0) * 1.6,
        colorscale=sequential("weights", look.dark),
        showscale=False,
        xgap=1,
        ygap=3,
        text=[[str(path or "–") for path in row] for row in steps.tolist()],
        texttemplate="%{text}",
        textfont={"size": look.px(NAMED + 1), "color": look.colour("text")},
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _decades(routes: Sequence[Route]) -> list[float]:
    values = np.concatenate([each.gradients.numpy() for each in routes])
    return log_range(values[values > 0], 0.15)


def log_range(values: np.ndarray, room: float = 0.06) -> list[float]:
    """The range of a logarithmic axis that shows all values, with some room."""
    ends = np.log10([float(values.min()), float(values.max())])
    return [float(ends[0]) - room, float(ends[1]) + room]


def coloured(text: str, kind: str, look: Look) -> str:
    """A text in the colour of its kind, for a figure."""
    return f'<span style="color:{kind_colour(kind, look)}">{labels.escape(text)}</span>'


def note(text: str, look: Look) -> dict[str, Any]:
    """A grey text in the middle of a figure."""
    return {
        "text": labels.escape(text),
        "x": 0.5,
        "y": 0.5,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": look.px(15), "color": look.colour("faint")},
    }


def axis_title(text: str, look: Look) -> dict[str, Any]:
    """The title of an axis, small and grey."""
    font = {"size": look.px(13), "color": look.colour("faint")}
    return {"text": labels.escape(text), "font": font, "standoff": 5}


def _heading(text: str, y: float, look: Look) -> dict[str, Any]:
    return note(text, look) | {
        "x": 0,
        "y": y,
        "xanchor": "left",
        "yanchor": "bottom",
        "yshift": 4,
        "font": {"size": look.px(14), "color": look.colour("text")},
    }


def why_margin(look: Look) -> dict[str, int]:
    """What both figures leave free around them."""
    return {"l": look.px(LEGEND), "r": look.px(16), "t": look.px(28), "b": look.px(42), "pad": 4}
