"""What depth does to vectors and gradients: curves over the layers, a line for each stack."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from glassformer.app.pages.lab.figures.tables import rows_table
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.labels import escape
from glassformer.app.plots.marks import (
    anchored_axes,
    annotate_at,
    axis_title,
    dotted_line,
    panel_axes,
    panel_spans,
)
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.depth import Stack

HUES = {"post": 0, "pre": 2}  # of the eight that the colour-blind can tell apart
GAP = 0.055  # between two panels, as a share of the figure
SIGNALS = ("lengths", "gradients", "likeness")  # a panel each


def depth_figure(stacks: Sequence[Stack], texts: Mapping[str, str], look: FigureStyle) -> go.Figure:
    """Panels side by side; every line runs from the input (0) to the last layer.

    texts: the signals, "layer" for the horizontal axis, and a name for each stack.
    """
    margin = {"l": look.px(38), "r": look.px(14), "t": look.px(36), "b": look.px(44), "pad": 2}
    least = (look.px(60 + 100 * len(SIGNALS)), 0)
    layout = base_layout(look, None, least, margin=margin, hovermode="closest", annotations=[])
    traces: list[go.Scatter] = []
    domains = panel_spans([1] * len(SIGNALS), GAP)
    for at, (signal, domain) in enumerate(zip(SIGNALS, domains, strict=True)):
        lines = [getattr(stack, signal).numpy() for stack in stacks]
        across = grid_axis(look, domain=domain) | {
            "range": [-0.25, len(lines[0]) - 0.75],
            "dtick": 1,
            "tick0": 0,
            "tickformat": "d",
            "title": axis_title(texts["layer"], look, 4),
        }
        upwards = _log_axis if signal == "gradients" else _from_zero
        layout |= anchored_axes(at, across, upwards(np.concatenate(lines), look))
        title = annotate_at(escape(texts[signal]), look, domain[0], 1, 14, yshift=look.px(8))
        layout["annotations"].append(title | {"xshift": -look.px(30)})
        traces += [_line(*each, texts, at, look) for each in zip(stacks, lines, strict=True)]
    return go.Figure(traces, layout)


def depth_legend(stacks: Sequence[Stack], texts: Mapping[str, str], look: FigureStyle) -> str:
    """The legend as a table, HTML: each stack's line, and where it has arrived in numbers.

    texts: "top_length", "top_ratio" (gradient at the input over the one at the top),
    "top_likeness", and a name for each stack.
    """
    rows = []
    for stack in stacks:
        numbers = {
            "length": float(stack.lengths[-1]),
            "ratio": stack.gradient_ratio,
            "likeness": float(stack.likeness[-1]),
        }
        dash = "solid" if stack.residual else "dashed"
        line = f'<i style="border-top:3px {dash} {stack_colour(stack, look)}"></i>'
        cells = "".join(
            f'<td class="{kind}">{look.number(value)}</td>' for kind, value in numbers.items()
        )
        rows.append((f"<th>{line}{escape(_name(stack, texts))}</th>", cells))
    heads = [texts[f"top_{kind}"] for kind in ("length", "ratio", "likeness")]
    return rows_table("lab-lines", heads, rows)


def _name(stack: Stack, texts: Mapping[str, str]) -> str:
    if stack.span:
        return texts[f"{stack.place}_span"].format(span=stack.span)
    return texts[f"{stack.place}_{'whole' if stack.residual else 'cut'}"]


def stack_colour(stack: Stack, look: FigureStyle) -> str:
    """The hue of a place of the norm."""
    return head_colour(HUES[stack.place], look.dark)


def _line(
    stack: Stack, values: np.ndarray, texts: Mapping[str, str], at: int, look: FigureStyle
) -> go.Scatter:
    width, dash, size = (3, "solid", 7) if stack.residual else (2, "dash", 5)
    said = [
        f"{escape(_name(stack, texts))}<br>{layer}: <b>{look.number(value)}</b>"
        for layer, value in enumerate(values.tolist())
    ]
    line = {"color": stack_colour(stack, look), "width": width, "dash": dash}
    x = np.arange(len(values), dtype=np.float32)
    return dotted_line(x, values, line, look.px(size), said, **panel_axes(at))


def _from_zero(values: np.ndarray, look: FigureStyle) -> dict[str, Any]:
    low, high = min(float(values.min()), 0.0), float(values.max())
    room = 0.06 * ((high - low) or 1.0)
    return grid_axis(look, range=[low - room * (low < 0), high + room], nticks=6)


def _log_axis(values: np.ndarray, look: FigureStyle) -> dict[str, Any]:
    """At least a decade: a line that hardly changes shall look so."""
    ends = np.log10(max(float(values.min()), 1e-12)), np.log10(max(float(values.max()), 1e-12))
    middle, half = (ends[0] + ends[1]) / 2, max((ends[1] - ends[0]) / 2, 0.5) + 0.08
    return grid_axis(look, type="log", range=[middle - half, middle + half], dtick="D2") | {
        "minor": {"showgrid": False},
        "tickformat": ".2~g",
    }
