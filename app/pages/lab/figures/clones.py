"""What training has changed in the same matrix of every layer: a row of maps for each stack."""

from collections.abc import Mapping

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis
from glassformer.app.plots.heat import heat_map, largest_magnitude
from glassformer.app.plots.labels import escape
from glassformer.app.plots.marks import (
    annotate_at,
    axis_suffix,
    panel_axes,
    panel_spans,
    stack_downwards,
)
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.clones import Trained

GAPS = 0.02, 0.16  # between maps and between rows, as shares


def clones_figure(
    stacks: Mapping[str, Trained], texts: Mapping[str, str], look: FigureStyle
) -> go.Figure:
    """One map (D, D) a layer, all on one scale.

    texts: a title for each stack, and with places "layer" (which, how far) and "hover".
    """
    limit = largest_magnitude(*(each.moved.numpy() for each in stacks.values()))
    margin = {"l": 4, "r": 4, "t": look.px(24), "b": look.px(22), "pad": 0}
    layout = base_layout(look, margin=margin, annotations=[])
    traces, panel = [], 0
    for (way, each), rows in zip(
        stacks.items(), stack_downwards([1] * len(stacks), GAPS[1]), strict=True
    ):
        title = annotate_at(f"<b>{escape(texts[way])}</b>", look, 0, rows[1], 13, yshift=look.px(4))
        layout["annotations"].append(title)
        for layer, columns in enumerate(panel_spans([1] * len(each.moved), GAPS[0])):
            end, size = axis_suffix(panel), each.moved.size(-1)
            frame = {"nticks": 0, "showticklabels": False, "ticks": ""}
            layout[f"xaxis{end}"] = bare_axis(look, 10, domain=columns, anchor=f"y{end}") | frame
            layout[f"yaxis{end}"] = bare_axis(look, 10, domain=rows, anchor=f"x{end}") | frame
            layout[f"yaxis{end}"]["range"] = [size + 0.5, 0.5]
            said = texts["layer"].format(
                layer=layer + 1, moved=look.number(float(each.lengths[layer]))
            )
            below = annotate_at(
                escape(said), look, sum(columns) / 2, rows[0], 12, "text", "center top", yshift=-2
            )
            layout["annotations"].append(below)
            cell = {"row": "%{y}", "column": "%{x}", "value": "%{z:.3~g}"}
            hovered = texts["hover"].format(layer=layer + 1, **cell)
            places = np.arange(1, size + 1, dtype=np.float32)
            traces.append(
                heat_map(
                    each.moved[layer].numpy(), (-limit, limit), look, x=places, y=places,
                    showscale=False, hovertemplate=f"{escape(hovered)}<extra></extra>",
                    **panel_axes(panel),
                )
            )  # fmt: skip
            panel += 1
    return go.Figure(traces, layout)
