"""A soft dictionary: query and keys in the plane, weights and answer against the temperature."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassformer.app.pages.lab.figures.curves import Curve, Curves, curves_figure
from glassformer.app.pages.lab.figures.tables import matrix_html, tables_side_by_side
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.marks import hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.dictionary import TEMPERATURES, LookUp

AROUND = (
    "middle right", "top right", "top center", "top left",
    "middle left", "bottom left", "bottom center", "bottom right",
)  # fmt: skip


def plane_figure(
    found: LookUp, names: Sequence[str], texts: Mapping[str, str], look: FigureStyle
) -> go.Figure:
    """Query and keys (S, 2) as arrows; the area of a key's disc is its weight.

    texts: "query".
    """
    query, keys = found.query.tolist(), found.keys.numpy()
    weights = found.weights.tolist()
    hues = [head_colour(at, look.dark) for at in range(len(keys))]
    arrows = [
        arrow(key, name, hue, 4, look)
        for key, name, hue in zip(keys.tolist(), names, hues, strict=True)
    ]
    discs = go.Scatter(
        x=keys[:, 0],
        y=keys[:, 1],
        mode="markers",
        marker={
            "size": [look.px(8 + 52 * math.sqrt(weight)) for weight in weights],
            "color": hues,
            "opacity": 0.35,
            "line": {"width": 0},
        },
        cliponaxis=False,
        **hover_texts([
            escape(f"{visible(name)}: {look.number(weight)}")
            for name, weight in zip(names, weights, strict=True)
        ]),
    )  # fmt: skip
    asked = arrow(query, texts["query"], look.colour("query"), 8, look, below=True)
    layout = base_layout(look, margin={"l": 8, "r": 8, "t": 8, "b": 8, "pad": 0})
    layout["xaxis"], layout["yaxis"] = plane_axes(np.vstack([keys, [query], [[0, 0]]]), look)
    return go.Figure([discs, *arrows, asked], layout)


def heat_figure(
    found: LookUp,
    temperature: float,
    names: Sequence[str],
    texts: Mapping[str, str],
    look: FigureStyle,
) -> go.Figure:
    """The weight of each entry and the answer against the temperature, which is marked.

    texts: "weight", "answer", "hard", "mean", "axis".
    """
    weights = found.by_temperature.T.tolist()  # (S, N)
    entries = [
        Curve(visible(names[at]), each, head_colour(at, look.dark))
        for at, each in enumerate(weights)
    ]
    answers = Curve(texts["answer"], found.answers[:, 0].tolist(), look.colour("value"))
    levels = [(float(found.hard[0]), texts["hard"]), (float(found.mean[0]), texts["mean"])]
    low = min(*answers.values, *(height for height, _ in levels))
    panels = [Curves(texts["weight"], entries), Curves(texts["answer"], [answers], levels, low)]
    x = found.temperatures.tolist()
    return curves_figure(x, panels, texts["axis"], look, temperature, TEMPERATURES)


def entries_table(
    found: LookUp, names: Sequence[str], texts: Mapping[str, str], look: FigureStyle
) -> str:
    """The way from the scores to the answer, an entry a row, as HTML.

    texts: "scores", "weight", "value", "term", "scaled".
    """
    width = found.keys.size(1)

    def column(cells: Any, role: str, **more: Any) -> str:
        return matrix_html(np.asarray(cells).reshape(len(names), 1), look, role, **more)

    return tables_side_by_side([
        (texts["scores"], column(found.scores, "weights", rows=names, tinted=False)),
        (texts["scaled"].format(width=width), column(found.scaled, "weights", tinted=False)),
        (texts["weight"], column(found.weights, "weights", limit=1.0)),
        (texts["value"], column(found.values, "value")),
        (texts["term"], column(found.terms, "value")),
    ])  # fmt: skip


def answers_table(
    found: LookUp, names: Sequence[str], texts: Mapping[str, str], look: FigureStyle
) -> str:
    """What each kind of dictionary answers, as HTML; values have one number.

    texts: "exact", "exact_none", "nearest", "soft", "blind".
    """
    nearest = texts["nearest"].format(name=visible(names[found.nearest]))
    exact = np.nan if found.exact is None else found.values[found.exact, 0]
    rows = (texts["exact"], nearest, texts["soft"], texts["blind"])
    cells = np.array([[exact], [found.hard[0]], [found.soft[0]], [found.mean[0]]], np.float64)
    limit = float(np.nanmax(np.abs(cells))) or 1.0

    def written(value: float) -> str:
        return texts["exact_none"] if math.isnan(value) else look.number(value)

    return matrix_html(cells, look, "value", rows, limit=limit, write=written, ours=True)


def _place(end: Sequence[float], below: bool) -> str:
    """Where a name stands at the tip of an arrow; `below`: out of the way of another arrow."""
    octant = round(math.atan2(end[1], end[0]) / (math.pi / 4)) % 8
    if octant in (0, 4) and (below or end[1]):
        side = "right" if octant == 0 else "left"
        return f"{'top' if end[1] > 0 and not below else 'bottom'} {side}"
    return AROUND[octant]


def arrow(
    end: Sequence[float], name: str, hue: str, width: int, look: FigureStyle, below: bool = False
) -> go.Scatter:
    """A vector from the origin with its name; below: out of the way of another one."""
    return go.Scatter(
        x=[0, end[0]],
        y=[0, end[1]],
        mode="lines+markers+text",
        line={"color": hue, "width": width},
        marker={"symbol": "arrow", "size": [0, look.px(10 + width)], "angleref": "previous",
                "color": hue},
        text=["", f"<b>{escape(visible(name))}</b>"],
        textposition=_place(end, below),
        textfont={"size": look.px(15), "color": hue},
        hoverinfo="skip",
        cliponaxis=False,
    )  # fmt: skip


def plane_axes(points: np.ndarray, look: FigureStyle) -> tuple[dict[str, Any], dict[str, Any]]:
    """Axes of one scale that show all points (N, 2)."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.3 * (float((high - low).max()) or 1.0)
    lines = {"zeroline": True, "zerolinecolor": look.colour("line"), "automargin": True}
    axes = [
        bare_axis(look, 11, nticks=6, constrain="domain") | lines | {"range": [start, end]}
        for start, end in zip((low - room).tolist(), (high + room).tolist(), strict=True)
    ]
    return axes[0], axes[1] | {"scaleanchor": "x"}
