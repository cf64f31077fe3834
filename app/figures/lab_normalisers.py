"""Softmax, ReLU, sigmoid and L2 norm of the same scores: bars side by side, and what each keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape as html_escape
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.colours import faded
from app.figures.lab_panels import legend_above, panel_title
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout
from core.lab.normalisers import Normalised

BETWEEN = 0.03  # of the width, between two panels
FORMULAS = {
    "softmax": "e<sup>s</sup> / Σ e<sup>s</sup>",
    "relu": "max(0, s)",
    "sigmoid": "1 / (1 + e<sup>−s</sup>)",
    "l2": "s / √Σ s²",
}
KEEPS = ("sums_to_one", "never_negative", "competes", "unmoved_by_shift", "unmoved_by_stretch")


def bars_figure(found: Sequence[Normalised], texts: Mapping[str, str], look: Look) -> go.Figure:
    """A panel for each function on one scale: bars for the weights, marks for the changed scores.

    texts: the functions' names, "weights", "shifted", "stretched".
    """
    reach = _reach(found)
    layout = base_layout(
        look,
        margin={"l": look.px(40), "r": look.px(8), "t": look.px(76), "b": look.px(26), "pad": 2},
        showlegend=True,
        legend=legend_above(look),
        annotations=[],
        barmode="overlay",
    )
    traces: list[Any] = []
    share = (1 - BETWEEN * (len(found) - 1)) / len(found)
    for at, each in enumerate(found):
        end = str(at + 1) if at else ""
        left = at * (share + BETWEEN)
        count = each.weights.numel()
        layout[f"xaxis{end}"] = _x_axis(count, [left, left + share], end, look)
        layout[f"yaxis{end}"] = _y_axis(reach, end, look, named=not at)
        layout["annotations"].append(
            panel_title(f"<b>{escape(texts[each.key])}</b>  {FORMULAS[each.key]}", left, look)
        )
        traces += _panel(each, end, texts, look, named=not at)
    return go.Figure(traces, layout)


def keeps_table(found: Sequence[Normalised], texts: Mapping[str, str], look: Look) -> str:
    """A row for each function: its sum and what it keeps, as HTML.

    texts: the functions' names, "total" and those of `KEEPS`.
    """
    names = [texts["total"], *(texts[keep] for keep in KEEPS)]
    head = "".join(f"<th>{html_escape(name)}</th>" for name in names)
    return f'<table class="lab-keeps"><tr><th></th>{head}</tr>{_rows(found, texts, look)}</table>'


def _rows(found: Sequence[Normalised], texts: Mapping[str, str], look: Look) -> str:
    def sign(kept: bool) -> str:
        colour = look.colour("value" if kept else "changed")
        return f'<td style="color:{colour}">{"✓" if kept else "✗"}</td>'

    return "".join(
        f"<tr><th>{html_escape(texts[each.key])}</th>"
        f"<td>{format_number(each.total, look.precision)}</td>"
        f"{''.join(sign(getattr(each, keep)) for keep in KEEPS)}</tr>"
        for each in found
    )


def _panel(
    each: Normalised, end: str, texts: Mapping[str, str], look: Look, named: bool
) -> list[Any]:
    weights = each.weights.numpy()
    places = np.arange(len(weights))
    axes = {"xaxis": f"x{end}", "yaxis": f"y{end}", "showlegend": named}
    hue = look.colour("weights")
    bars = go.Bar(
        x=places - 0.14,
        y=weights,
        width=0.5,
        name=escape(texts["weights"]),
        marker={"color": faded(hue, 0.55), "line": {"width": 0}},
        text=[format_number(float(value), look.precision) for value in weights],
        textposition="outside",
        textfont={"size": look.px(13 if len(weights) < 6 else 11), "color": look.colour("text")},
        cliponaxis=False,
        hovertext=[_said(texts["weights"], at, value, look) for at, value in enumerate(weights)],
        hovertemplate="%{hovertext}<extra></extra>",
        **axes,
    )
    marks = [
        _marks(each.shifted.numpy(), 0.22, "circle-open", "data", texts["shifted"], look, axes),
        _marks(each.stretched.numpy(), 0.38, "diamond-open", "key", texts["stretched"], look, axes),
    ]
    return [bars, *marks]


def _marks(
    values: np.ndarray, aside: float, symbol: str, role: str, name: str, look: Look,
    axes: Mapping[str, Any],
) -> go.Scatter:  # fmt: skip
    return go.Scatter(
        x=np.arange(len(values)) + aside,
        y=values,
        mode="markers",
        name=escape(name),
        marker={
            "symbol": symbol,
            "size": look.px(11),
            "color": look.colour(role),
            "line": {"width": 2.5, "color": look.colour(role)},
        },
        hovertext=[_said(name, at, value, look) for at, value in enumerate(values)],
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
        **axes,
    )


def _said(name: str, at: int, value: float, look: Look) -> str:
    return escape(f"{name}, {at + 1}: {format_number(float(value), look.precision)}")


def _reach(found: Sequence[Normalised]) -> list[float]:
    """One scale for all: the ends of the weights, and of the changed ones."""
    ends = [
        float(value)
        for each in found
        for values in (each.weights, each.shifted, each.stretched)
        for value in (values.min(), values.max())
    ]
    low, high = min(0.0, *ends), max(1.0, *ends)
    return [low - 0.06 * (high - low) * (low < 0), high + 0.1 * (high - low)]


def _x_axis(count: int, domain: list[float], end: str, look: Look) -> dict[str, Any]:
    return {
        "domain": domain,
        "anchor": f"y{end}",
        "range": [-0.5, count - 0.4],
        "tickmode": "array",
        "tickvals": list(range(count)),
        "ticktext": [str(at + 1) for at in range(count)],
        "tickfont": {"size": look.px(13), "color": look.colour("faint")},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _y_axis(reach: list[float], end: str, look: Look, named: bool) -> dict[str, Any]:
    return {
        "anchor": f"x{end}",
        "range": reach,
        "nticks": 7,
        "showticklabels": named,
        "tickfont": {"size": look.px(12), "color": look.colour("faint")},
        "gridcolor": look.colour("line"),
        "zeroline": True,
        "zerolinecolor": look.colour("faint"),
        "fixedrange": True,
    }
