"""Values in the plane, as attention weighs them and adds them up."""

from collections.abc import Mapping, Sequence

import numpy as np

from glassformer.app.pages.lab.dictionary.figures import arrow, plane_axes
from glassformer.app.pages.lab.figures.tables import matrix_html, tables_side_by_side
from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.labels import escape
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.dictionary import LookUp

Texts = Mapping[str, str]
PALE = 0.5


def pull_figure(found: LookUp, names: Sequence[str], texts: Texts, look: FigureStyle) -> go.Figure:
    """Values (S, 2) as pale arrows; weight × value tip to tail, and their sum from the origin.

    texts: "sum", "mean".
    """
    values, terms = found.values.numpy(), found.terms.numpy()
    hues = [head_colour(at, look.dark) for at in range(len(values))]
    pale = [
        arrow(value, name, hue, 2, look)
        for value, name, hue in zip(values.tolist(), names, hues, strict=True)
    ]
    for each in pale:
        each["opacity"] = PALE
    joints = np.vstack([[0.0, 0.0], terms.cumsum(axis=0)])
    chain = [
        _segment(start, end, hue, look)
        for start, end, hue in zip(joints, joints[1:], hues, strict=False)
    ]
    result = arrow(found.soft.tolist(), texts["sum"], look.colour("value"), 8, look, below=True)
    mean = found.mean.tolist()
    average = go.Scatter(
        x=mean[:1],
        y=mean[1:],
        mode="markers+text",
        marker={"symbol": "x", "size": look.px(11), "color": look.colour("faint")},
        text=[escape(texts["mean"])],
        textposition="top center",
        textfont={"size": look.px(14), "color": look.colour("faint")},
        hoverinfo="skip",
        cliponaxis=False,
    )
    layout = base_layout(
        look, least=(look.px(290), 0), margin={"l": 8, "r": 8, "t": 8, "b": 8, "pad": 0}
    )
    layout["xaxis"], layout["yaxis"] = plane_axes(np.vstack([values, joints]), look)
    return go.Figure([*pale, average, result, *chain], layout)


def _segment(start: np.ndarray, end: np.ndarray, hue: str, look: FigureStyle) -> go.Scatter:
    """An arrow without a name from one place to another."""
    return go.Scatter(
        x=[float(start[0]), float(end[0])],
        y=[float(start[1]), float(end[1])],
        mode="lines+markers",
        line={"color": hue, "width": 4},
        marker={"symbol": "arrow", "size": [0, look.px(14)], "angleref": "previous", "color": hue},
        hoverinfo="skip",
        cliponaxis=False,
    )


def pull_tables(found: LookUp, names: Sequence[str], texts: Texts, look: FigureStyle) -> str:
    """The way from the scores to the sum, a word a row, as HTML.

    texts: "score", "weight", "value", "term", "total".
    """
    scores, weights = (each.numpy()[:, None] for each in (found.scores, found.weights))
    terms = np.vstack([found.terms.numpy(), found.soft.numpy()[None]])
    largest = float(found.values.abs().max()) or 1.0
    return tables_side_by_side([
        (texts["score"], matrix_html(scores, look, "weights", rows=names, tinted=False)),
        (texts["weight"], matrix_html(weights, look, "weights", limit=1.0)),
        (texts["value"], matrix_html(found.values.numpy(), look, "value", limit=largest)),
        (
            f"{texts['term']}, {texts['total']}",
            matrix_html(terms, look, "value", limit=largest),
        ),
    ])  # fmt: skip
