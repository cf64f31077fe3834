"""What depth does to vectors and gradients: curves over the layers, a line for each stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures import labels
from app.figures.colours import head_colour
from app.figures.labels import format_number
from app.figures.theme import Look, base_layout
from app.figures.training_curves import plain_axis
from core.lab.depth import Stack

HUES = {"post": 0, "pre": 2}  # of the eight that the colour-blind can tell apart
GAP = 0.055  # between two panels, as a share of the figure
NUMBERS = ("length", "ratio", "likeness")


@dataclass(frozen=True)
class Panel:
    """One measured quantity: a title in words, and its values for each of the stacks."""

    title: str
    values: Sequence[np.ndarray]
    logarithmic: bool = False


def depth_figure(
    panels: Sequence[Panel], stacks: Sequence[Stack], names: Sequence[str], layer: str, look: Look
) -> go.Figure:
    """Panels side by side; every line runs from the input (0) to the last layer.

    names: of the stacks. layer: name of the horizontal axis.
    """
    layout = base_layout(look, margin=_margin(look), hovermode="closest")
    traces, titles = [], []
    share = (1 - GAP * (len(panels) - 1)) / len(panels)
    for at, panel in enumerate(panels):
        suffix = str(at + 1) if at else ""
        left = at * (share + GAP)
        layout[f"xaxis{suffix}"] = _across(len(panel.values[0]), layer, look) | {
            "domain": [left, left + share],
            "anchor": f"y{suffix}",
        }
        layout[f"yaxis{suffix}"] = _upwards(panel, look) | {"anchor": f"x{suffix}"}
        titles.append(_title(panel.title, left, look))
        for stack, name, values in zip(stacks, names, panel.values, strict=True):
            traces.append(_line(stack, name, values, suffix, look))
    layout["annotations"] = titles
    return go.Figure(traces, layout)


def depth_legend(
    stacks: Sequence[Stack], names: Sequence[str], heads: Sequence[str], look: Look
) -> str:
    """The legend as a table, HTML: each stack's line, and where it has arrived in numbers.

    heads: what stands above the numbers: length at the top, gradient at the input over the one at
    the top, likeness at the top.
    """
    top = "".join(f"<th>{escape(each)}</th>" for each in ("", *heads))
    rows = []
    for stack, name in zip(stacks, names, strict=True):
        numbers = (float(stack.lengths[-1]), stack.gradient_ratio, float(stack.likeness[-1]))
        dash = "solid" if stack.residual else "dashed"
        line = f'<i style="border-top:3px {dash} {stack_colour(stack, look)}"></i>'
        cells = "".join(
            f'<td class="{kind}">{format_number(value, look.precision)}</td>'
            for kind, value in zip(NUMBERS, numbers, strict=True)
        )
        rows.append(f"<tr><th>{line}{escape(name)}</th>{cells}</tr>")
    return f'<table class="lab-lines"><tr>{top}</tr>{"".join(rows)}</table>'


def stack_colour(stack: Stack, look: Look) -> str:
    """The hue of a place of the norm."""
    return head_colour(HUES[stack.place], look.dark)


def _line(stack: Stack, name: str, values: np.ndarray, suffix: str, look: Look) -> go.Scatter:
    said = [
        f"{labels.escape(name)}<br>{at}: <b>{format_number(value, look.precision)}</b>"
        for at, value in enumerate(values.tolist())
    ]
    return go.Scatter(
        x=np.arange(len(values), dtype=np.float32),
        y=np.asarray(values, dtype=np.float32),
        xaxis=f"x{suffix}",
        yaxis=f"y{suffix}",
        mode="lines+markers",
        line={
            "color": stack_colour(stack, look),
            "width": 3 if stack.residual else 2,
            "dash": "solid" if stack.residual else "dash",
        },
        marker={"size": look.px(7 if stack.residual else 5)},
        cliponaxis=False,
        hovertext=said,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _across(size: int, layer: str, look: Look) -> dict[str, Any]:
    title = {"text": labels.escape(layer), "font": {"size": look.px(13)}, "standoff": 4}
    return plain_axis(look) | {
        "range": [-0.25, size - 0.75],
        "dtick": 1,
        "tick0": 0,
        "tickformat": "d",
        "title": title | {"font": {"size": look.px(13), "color": look.colour("faint")}},
    }


def _upwards(panel: Panel, look: Look) -> dict[str, Any]:
    values = np.concatenate([np.asarray(each, dtype=np.float64) for each in panel.values])
    low, high = float(values.min()), float(values.max())
    if not panel.logarithmic:
        low = min(low, 0.0)
        room = 0.06 * ((high - low) or 1.0)
        return plain_axis(look) | {"range": [low - room * (low < 0), high + room], "nticks": 6}
    # At least a decade: a line that hardly changes shall look so.
    ends = np.log10(max(low, 1e-12)), np.log10(max(high, 1e-12))
    middle, half = (ends[0] + ends[1]) / 2, max((ends[1] - ends[0]) / 2, 0.5) + 0.08
    return plain_axis(look) | {
        "type": "log",
        "range": [middle - half, middle + half],
        "dtick": "D2",
        "minor": {"showgrid": False},
        "tickformat": ".2~g",
    }


def _title(text: str, x: float, look: Look) -> dict[str, Any]:
    return {
        "text": labels.escape(text),
        "x": x,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "xshift": -look.px(30),
        "yanchor": "bottom",
        "yshift": look.px(8),
        "showarrow": False,
        "font": {"size": look.px(14), "color": look.colour("text")},
    }


def _margin(look: Look) -> dict[str, int]:
    return {"l": look.px(38), "r": look.px(14), "t": look.px(36), "b": look.px(44), "pad": 2}
