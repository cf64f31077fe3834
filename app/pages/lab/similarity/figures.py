"""A query and keys in the plane, by their dot product and by their distance."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassformer.app.pages.lab.dictionary.figures import arrow, plane_axes
from glassformer.app.pages.lab.figures.tables import matrix_html, name_html, tables_side_by_side
from glassformer.app.plots import drawing as go
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.similarity import Compared

Texts = Mapping[str, str]


def alike_figure(
    found: Compared, names: Sequence[str], texts: Texts, look: FigureStyle
) -> go.Figure:
    """Query and keys (S, 2) as arrows; through the best key of each measure, what is as alike.

    All on the dashed line have its dot product with the query, all on the circle its distance.
    texts: "query".
    """
    query, keys = found.query.numpy(), found.keys.numpy()
    arrows = [
        arrow(key, each, head_colour(at + 1, look.dark), 4, look)
        for at, (key, each) in enumerate(zip(keys.tolist(), names, strict=True))
    ]
    asked = arrow(query.tolist(), texts["query"], look.colour("query"), 8, look, below=True)
    layout = base_layout(look, margin={"l": 8, "r": 8, "t": 8, "b": 8, "pad": 0})
    layout["xaxis"], layout["yaxis"] = plane_axes(np.vstack([keys, [query], [[0, 0]]]), look)
    reach = float(np.linalg.norm(keys[found.distance.best] - query))
    (x, y), line = query.tolist(), {"color": look.colour("data"), "width": 2}
    circle = {"type": "circle", "x0": x - reach, "x1": x + reach, "y0": y - reach, "y1": y + reach}
    layout["shapes"] = [circle | {"line": line, "layer": "below"}]
    return go.Figure([_as_alike(keys[found.product.best], query, look), *arrows, asked], layout)


def _as_alike(key: np.ndarray, query: np.ndarray, look: FigureStyle) -> go.Scatter:
    """The line through a key at right angles to the query."""
    across = np.array([-query[1], query[0]]) / (float(np.linalg.norm(query)) or 1.0)
    far = 100.0 * max(1.0, float(np.abs([key, query]).max()))
    ends = np.stack([key - far * across, key + far * across])
    line = {"color": look.colour("weights"), "width": 2, "dash": "dash"}
    return go.Scatter(x=ends[:, 0], y=ends[:, 1], mode="lines", line=line, hoverinfo="skip")


def alike_tables(found: Compared, names: Sequence[str], texts: Texts, look: FigureStyle) -> str:
    """Scores and weights of both measures beside each other, a key a row, as HTML.

    texts: "product", "distance" and "squared", "length", "weights" with {name}.
    """

    def column(cells: Any, role: str, **more: Any) -> str:
        return matrix_html(cells.numpy().reshape(len(names), 1), look, role, **more)

    parts = []
    for title, each, role, more in (
        (texts["product"], found.product, "weights", {"rows": names}),
        (texts["distance"], found.distance, "data", {}),
    ):
        picked = texts["weights"].format(name=name_html(names[each.best]))
        parts.append((title, column(each.scores, role, tinted=False, **more)))
        parts.append((picked, column(each.weights, role, limit=1.0)))
    parts.append((texts["length"], column(found.lengths, "key", tinted=False)))
    return tables_side_by_side(parts)
