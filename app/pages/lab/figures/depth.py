"""What depth does to vectors and gradients: curves over the layers, a line for each stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.pages.lab.figures.tables import rows_table
from app.plots import drawing as go
from app.plots.axes import grid_axis
from app.plots.colours import head_colour
from app.plots.labels import escape
from app.plots.marks import axis_title, hover, note, on, spans, suffix
from app.plots.theme import Look, base_layout
from core.lab.depth import Stack

HUES = {"post": 0, "pre": 2}  # of the eight that the colour-blind can tell apart
GAP = 0.055  # between two panels, as a share of the figure
NUMBERS = ("length", "ratio", "likeness")


@dataclass(frozen=True)
class Signal:
    """One measured quantity: a title in words, and its values for each of the stacks."""

    title: str
    values: Sequence[np.ndarray]
    logarithmic: bool = False


def depth_figure(
    panels: Sequence[Signal],
    stacks: Sequence[Stack],
    names: Sequence[str],
    layer: str,
    look: Look,
) -> go.Figure:
    """Panels side by side; every line runs from the input (0) to the last layer.

    names: of the stacks. layer: name of the horizontal axis.
    """
    margin = {"l": look.px(38), "r": look.px(14), "t": look.px(36), "b": look.px(44), "pad": 2}
    layout = base_layout(look, margin=margin, hovermode="closest", annotations=[])
    traces = []
    domains = spans([1] * len(panels), GAP)
    for at, (panel, domain) in enumerate(zip(panels, domains, strict=True)):
        end = suffix(at)
        layout[f"xaxis{end}"] = grid_axis(look, domain=domain, anchor=f"y{end}") | {
            "range": [-0.25, len(panel.values[0]) - 0.75],
            "dtick": 1,
            "tick0": 0,
            "tickformat": "d",
            "title": axis_title(layer, look, 4),
        }
        layout[f"yaxis{end}"] = _upwards(panel, look) | {"anchor": f"x{end}"}
        title = note(escape(panel.title), look, domain[0], 1, 14, yshift=look.px(8))
        layout["annotations"].append(title | {"xshift": -look.px(30)})
        for stack, name, values in zip(stacks, names, panel.values, strict=True):
            traces.append(_line(stack, name, values, at, look))
    return go.Figure(traces, layout)


def depth_legend(
    stacks: Sequence[Stack], names: Sequence[str], heads: Sequence[str], look: Look
) -> str:
    """The legend as a table, HTML: each stack's line, and where it has arrived in numbers.

    heads: what stands above the numbers: length at the top, gradient at the input over the one at
    the top, likeness at the top.
    """
    rows = []
    for stack, name in zip(stacks, names, strict=True):
        numbers = (float(stack.lengths[-1]), stack.gradient_ratio, float(stack.likeness[-1]))
        dash = "solid" if stack.residual else "dashed"
        line = f'<i style="border-top:3px {dash} {stack_colour(stack, look)}"></i>'
        cells = "".join(
            f'<td class="{kind}">{look.number(value)}</td>'
            for kind, value in zip(NUMBERS, numbers, strict=True)
        )
        rows.append((f"<th>{line}{escape(name)}</th>", cells))
    return rows_table("lab-lines", heads, rows)


def stack_colour(stack: Stack, look: Look) -> str:
    """The hue of a place of the norm."""
    return head_colour(HUES[stack.place], look.dark)


def _line(stack: Stack, name: str, values: np.ndarray, at: int, look: Look) -> go.Scatter:
    width, dash, size = (3, "solid", 7) if stack.residual else (2, "dash", 5)
    said = [
        f"{escape(name)}<br>{layer}: <b>{look.number(value)}</b>"
        for layer, value in enumerate(values.tolist())
    ]
    return go.Scatter(
        x=np.arange(len(values), dtype=np.float32),
        y=np.asarray(values, dtype=np.float32),
        mode="lines+markers",
        line={"color": stack_colour(stack, look), "width": width, "dash": dash},
        marker={"size": look.px(size)},
        cliponaxis=False,
        **on(at),
        **hover(said),
    )


def _upwards(panel: Signal, look: Look) -> dict[str, Any]:
    values = np.concatenate([np.asarray(each, dtype=np.float64) for each in panel.values])
    low, high = float(values.min()), float(values.max())
    if not panel.logarithmic:
        low = min(low, 0.0)
        room = 0.06 * ((high - low) or 1.0)
        return grid_axis(look, range=[low - room * (low < 0), high + room], nticks=6)
    # At least a decade: a line that hardly changes shall look so.
    ends = np.log10(max(low, 1e-12)), np.log10(max(high, 1e-12))
    middle, half = (ends[0] + ends[1]) / 2, max((ends[1] - ends[0]) / 2, 0.5) + 0.08
    return grid_axis(look, type="log", range=[middle - half, middle + half], dtick="D2") | {
        "minor": {"showgrid": False},
        "tickformat": ".2~g",
    }
