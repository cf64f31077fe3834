"""What training has changed in the same matrix of every layer of a stack: a row of maps."""

from collections.abc import Mapping

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis
from glassformer.app.plots.heat import heat_map
from glassformer.app.plots.labels import escape
from glassformer.app.plots.marks import anchored_axes, axis_title, panel_axes, panel_spans
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.clones import Trained

GAP = 0.02  # between maps, a share


def clones_figure(
    stack: Trained, limit: float, texts: Mapping[str, str], look: FigureStyle
) -> go.Figure:
    """One map (D, D) a layer, coloured up to `limit`.

    texts: with places "layer" (which, how far) and "hover".
    """
    layers, size = len(stack.moved), stack.moved.size(-1)
    margin = {"l": 4, "r": 4, "t": 2, "b": look.px(22), "pad": 0}
    layout = base_layout(look, least=(look.px(90 * layers), 0), margin=margin)
    places, traces = np.arange(1, size + 1, dtype=np.float32), []
    for layer, columns in enumerate(panel_spans([1] * layers, GAP)):
        said = texts["layer"].format(
            layer=layer + 1, moved=look.number(float(stack.lengths[layer]))
        )
        frame = {"nticks": 0, "showticklabels": False, "ticks": "", "automargin": True}
        below = {"title": axis_title(said, look, 2, "text")}
        across = bare_axis(look, 10, domain=columns) | frame | below
        down = bare_axis(look, 10) | frame | {"range": [size + 0.5, 0.5]}
        layout |= anchored_axes(layer, across, down)
        cell = {"row": "%{y}", "column": "%{x}", "value": "%{z:.3~g}"}
        hovered = texts["hover"].format(layer=layer + 1, **cell)
        traces.append(
            heat_map(
                stack.moved[layer].numpy(), (-limit, limit), look, x=places, y=places,
                showscale=False, hovertemplate=f"{escape(hovered)}<extra></extra>",
                **panel_axes(layer),
            )
        )  # fmt: skip
    return go.Figure(traces, layout)
