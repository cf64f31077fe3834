"""Softmax: beside other functions, with √d_k and without, and with six kinds of mask."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from glassformer.app.pages.lab.figures.curves import (
    Curve,
    Curves,
    curves_figure,
    legend_above,
    panel_title,
)
from glassformer.app.pages.lab.figures.tables import matrix_html, rows_table, tables_side_by_side
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis
from glassformer.app.plots.colours import fade_colour
from glassformer.app.plots.labels import escape
from glassformer.app.plots.marks import anchored_axes, hover_texts, panel_axes, panel_spans
from glassformer.app.plots.theme import FigureStyle, base_layout, named_ticks
from glassformer.core.lab.masks import WAYS, Applied, Masks, Way
from glassformer.core.lab.softmax import WIDTHS, Normalised, Row, Scaling

BETWEEN = 0.03  # of the width, between two panels
FUNCTIONS = {
    "softmax": "e<sup>s</sup> / Σ e<sup>s</sup>",
    "relu": "max(0, s)",
    "sigmoid": "1 / (1 + e<sup>−s</sup>)",
    "l2": "s / √Σ s²",
}
MEASURES = ("spread", "entropy", "gradient")
MASKINGS = {
    "large_negative": "M ? S : −10⁹",
    "minus_infinity": "M ? S : −∞",
    "additive": "S + (0 | −∞)",
    "add_large_negative": "S + (0 | −10⁹)",
    "multiply_before": "softmax(S · M)",
    "multiply_after": "softmax(S) · M",
}
NEAR = 1e-3  # a sum this far from 1 is named; half precision rounds by less


def bars_figure(
    found: Sequence[Normalised], texts: Mapping[str, str], look: FigureStyle
) -> go.Figure:
    """A panel for each function on one scale: bars for the weights, marks for the changed scores.

    texts: the functions' names, "weights", "shifted", "stretched".
    """
    layout = base_layout(
        look,
        least=(look.px(150 * len(found)), 0),
        margin={"l": look.px(40), "r": look.px(8), "t": look.px(76), "b": look.px(26), "pad": 2},
        showlegend=True,
        legend=legend_above(look),
        annotations=[],
        barmode="overlay",
    )
    traces: list[go.Trace] = []
    for at, (each, domain) in enumerate(
        zip(found, panel_spans([1] * len(found), BETWEEN), strict=True)
    ):
        count = each.weights.numel()
        across = bare_axis(look, 13, domain=domain) | {
            "range": [-0.5, count - 0.4],
            **named_ticks([str(place + 1) for place in range(count)]),
        }
        upwards = bare_axis(look, 12, showticklabels=not at) | {
            "range": _ends(found), "nticks": 7,
            "showgrid": True, "gridcolor": look.colour("line"),
            "zeroline": True, "zerolinecolor": look.colour("faint"),
        }  # fmt: skip
        layout |= anchored_axes(at, across, upwards)
        title = f"<b>{escape(texts[each.key])}</b>  {FUNCTIONS[each.key]}"
        layout["annotations"].append(panel_title(title, domain[0], look))
        traces += _panel(each, texts, look, panel_axes(at) | {"showlegend": not at})
    return go.Figure(traces, layout)


def keeps_table(found: Sequence[Normalised], texts: Mapping[str, str], look: FigureStyle) -> str:
    """A row for each function: its sum and what it keeps, as HTML.

    texts: the functions' names, "total" and what they keep.
    """

    def sign(kept: bool) -> str:
        colour = look.colour("value" if kept else "changed")
        return f'<td style="color:{colour}">{"✓" if kept else "✗"}</td>'

    rows = []
    for each in found:
        kept = "".join(map(sign, each.keeps.values()))
        rows.append(
            (f"<th>{escape(texts[each.key])}</th>", f"<td>{look.number(each.total)}</td>{kept}")
        )
    return rows_table(
        "lab-keeps", [texts["total"], *(texts[keep] for keep in found[0].keeps)], rows
    )


def _panel(
    each: Normalised, texts: Mapping[str, str], look: FigureStyle, axes: Mapping[str, Any]
) -> list[go.Trace]:
    weights = each.weights.numpy()
    places = np.arange(len(weights))

    def shared(name: str, values: np.ndarray) -> dict[str, Any]:
        said = [
            escape(f"{name}, {at + 1}: {look.number(value)}") for at, value in enumerate(values)
        ]
        return {"y": values, "name": escape(name), "cliponaxis": False, **hover_texts(said), **axes}

    bars = go.Bar(
        x=places - 0.14,
        width=0.5,
        marker={"color": fade_colour(look.colour("weights"), 0.55), "line": {"width": 0}},
        text=[look.number(value) for value in weights],
        textposition="outside",
        textfont=look.font(13 if len(weights) < 6 else 11, "text"),
        **shared(texts["weights"], weights),
    )
    drawn: list[go.Trace] = [bars]
    for name, values, aside, symbol, role in (
        ("shifted", each.shifted, 0.22, "circle-open", "data"),
        ("stretched", each.stretched, 0.38, "diamond-open", "key"),
    ):
        hue = look.colour(role)
        marker = {"symbol": symbol, "size": look.px(11), "color": hue}
        marker["line"] = {"width": 2.5, "color": hue}
        more = shared(texts[name], values.numpy())
        drawn.append(go.Scatter(x=places + aside, mode="markers", marker=marker, **more))
    return drawn


def _ends(found: Sequence[Normalised]) -> list[float]:
    """One scale for all: the ends of the weights, and of the changed ones."""
    ends = torch.cat([torch.cat([each.weights, each.shifted, each.stretched]) for each in found])
    low, high = min(0.0, float(ends.min())), max(1.0, float(ends.max()))
    return [low - 0.14 * (high - low) * (low < 0), high + 0.1 * (high - low)]


def scaling_figure(found: Scaling, texts: Mapping[str, str], look: FigureStyle) -> go.Figure:
    """A panel for each measure, a curve with and one without √d_k, the d_k asked for marked.

    texts: "raw", "scaled", "alike", "axis" and the measures.
    """
    raw, scaled = look.colour("changed"), look.colour("weights")
    panels = [
        Curves(
            texts[measure],
            [
                Curve(texts["raw"], getattr(found.raw, measure).tolist(), raw, "dash"),
                Curve(texts["scaled"], getattr(found.scaled, measure).tolist(), scaled),
            ],
            levels=[(found.most, texts["alike"])] if measure == "entropy" else [],
        )
        for measure in MEASURES
    ]
    return curves_figure(found.widths, panels, texts["axis"], look, found.d_k, WIDTHS)


def row_tables(row: Row, texts: Mapping[str, str], look: FigureStyle) -> str:
    """One row of scores and its weights, without and with the division, as HTML.

    texts: "raw", "scaled", "scores", "weights", "measured", "entropy_short", "gradient_short".
    """
    scores, weights = row.scores.numpy(), row.weights.numpy()
    measured = torch.stack([row.made.entropy, row.made.gradient], dim=1).numpy()
    names = (texts["raw"], texts["scaled"])
    counted = [str(at + 1) for at in range(scores.shape[1])]
    columns = (texts["entropy_short"], texts["gradient_short"])
    plain = partial(matrix_html, tinted=False, ours=True)
    return tables_side_by_side([
        (texts["scores"], plain(scores, look, rows=names, columns=counted)),
        (texts["weights"], matrix_html(weights, look, "weights", columns=counted, limit=1)),
        (texts["measured"], plain(measured, look, columns=columns)),
    ])  # fmt: skip


def ways_tables(found: Masks, texts: Mapping[str, str], look: FigureStyle) -> str:
    """All ways as a grid of tables, HTML.

    texts: a name for each way, "total", "fine", "own", those of `verdict`, and "after": what
    stands between sentences.
    """
    parts = [_way(found, way, texts, look) for way in WAYS]
    return f'<div class="lab-masks">{"".join(parts)}</div>'


def verdict(
    each: Applied, nothing: np.ndarray, texts: Mapping[str, str], look: FigureStyle
) -> list[str]:
    """What is wrong with a way here, in sentences; nothing: rows that may look at no word.

    texts: "nan", "spreads", "no_gradient", "leaks", "sums", "uniform" and "unmasked", each with
    {rows}; "comma": what stands between their numbers.
    """
    said = []

    def tell(name: str, flags: np.ndarray, **more: str) -> None:
        if flags.any():
            rows = texts["comma"].join(str(at + 1) for at in np.flatnonzero(flags).tolist())
            said.append(texts[name].format(rows=rows, **more))

    broken = each.not_numbers.numpy()
    if broken.any():
        tell("nan", broken)
        tell("spreads", each.reached.numpy())
    else:
        tell("no_gradient", each.gradient_lost.numpy())
    leaked = np.nan_to_num(each.leaked.double().numpy())
    most = look.number(leaked.max(where=~nothing, initial=0.0))
    tell("leaks", (leaked > 0) & ~nothing, most=most)
    alike = np.ptp(each.weights.double().numpy(), axis=1) < NEAR
    tell("uniform", (leaked > 0) & nothing & alike)
    tell("unmasked", (leaked > 0) & nothing & ~alike)
    totals = each.totals.double().numpy()
    tell("sums", (np.abs(totals - 1) > NEAR) & ~broken)
    return said


def _way(found: Masks, way: Way, texts: Mapping[str, str], look: FigureStyle) -> str:
    each = found.ways[way]
    words = [str(at + 1) for at in range(found.scores.size(1))]
    weights, totals = each.weights.double().numpy(), each.totals.double().numpy()[:, None]
    forbidden = ~found.allowed.numpy()
    wrong = np.isnan(weights) | (forbidden & (weights > 0))
    off = ~(np.abs(totals - 1) <= NEAR)
    table = matrix_html(
        weights, look, "weights", words, words, wrong=wrong, faint=forbidden, limit=1.0
    )
    sums = matrix_html(totals, look, "weights", (), (texts["total"],), wrong=off, tinted=False)
    said = verdict(each, found.empty.numpy(), texts, look)
    kind, mark, text = (
        ("bad", "✗", texts["after"].join(said)) if said else ("good", "✓", texts["fine"])
    )
    own = f"<small>{escape(texts['own'])}</small>" if WAYS.index(way) < 3 else ""
    return (
        f'<section class="{kind}"><h5><b>{escape(texts[way])}</b>'
        f" <code>{escape(MASKINGS[way])}</code>{own}</h5>"
        f'<div class="lab-beside">{table}{sums}</div><p>{mark} {escape(text)}</p></section>'
    )
