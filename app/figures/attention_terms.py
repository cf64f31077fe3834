"""One cell of an attention map: q and k number by number, their products as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.figures import drawing as go
from app.figures.attention_axes import row_title
from app.figures.colours import diverging
from app.figures.labels import escape, format_number
from app.figures.theme import Look, base_layout
from core.reading.attention_terms import Terms

READABLE = 16  # rows whose numbers can be read at the panel's height
VECTORS = {"query": "q", "key": "k"}
BARS_FROM = 0.44  # where the bars begin, as a share of the width


@dataclass(frozen=True)
class Row:
    """One line of the sum: a dimension, or all the small ones together."""

    label: str
    q: float  # NaN where several dimensions are summed
    k: float
    product: float


def term_rows(terms: Terms, by: str, rest: str) -> list[Row]:
    """The lines of the sum, in order; they add up to the score.

    by "largest": the largest 15 and, with more dimensions than 16, one line for the `rest`, a text
    with {count}; by "dimension": all of them.
    """
    order = terms.order(by)
    fits = terms.q.size <= READABLE or by == "dimension"
    single = order if fits else order[: READABLE - 1]
    products = terms.products
    rows = [
        Row(str(at + 1), float(terms.q[at]), float(terms.k[at]), float(products[at]))
        for at in single
    ]
    if len(single) < len(order):
        others = order[len(single) :]
        total = float(products[others].astype(np.float64).sum())
        rows.append(Row(rest.format(count=len(others)), float("nan"), float("nan"), total))
    return rows


def terms_figure(rows: Sequence[Row], look: Look, height: int, dimension: str) -> go.Figure:
    """The vectors q and k as two columns of numbers, their products as signed bars.

    dimension: the title of the rows.
    """
    readable = len(rows) <= READABLE
    layout = base_layout(
        look,
        height,
        template="none",
        xaxis=_vector_axis(look),
        xaxis2=_product_axis(rows, look),
        yaxis=_row_axis(rows, readable, look),
        annotations=[row_title(dimension, look, "faint")],
        margin={"l": look.px(36), "r": 4, "t": look.px(26), "b": 2, "pad": 4},
    )
    return go.Figure([_vectors(rows, readable, look), _products(rows, readable, look)], layout)


def _vector_axis(look: Look) -> dict[str, Any]:
    heads = [
        f'<span style="color:{look.colour(role)}"><b>{letter}</b></span>'
        for role, letter in VECTORS.items()
    ]
    return _axis(look, 15) | {
        "domain": [0, BARS_FROM - 0.03],
        "side": "top",
        "range": [-0.5, 1.5],
        "tickvals": [0, 1],
        "ticktext": heads,
    }


def _product_axis(rows: Sequence[Row], look: Look) -> dict[str, Any]:
    reach = max((abs(row.product) for row in rows if np.isfinite(row.product)), default=0) or 1.0
    return _axis(look, 15) | {
        "domain": [BARS_FROM, 1],
        "anchor": "y",
        "side": "top",
        "range": [-1.75 * reach, 1.75 * reach],  # room for the numbers at the ends of the bars
        "tickvals": [0],
        "ticktext": ["<b>q · k</b>"],
        "zeroline": True,
        "zerolinecolor": look.colour("faint"),
        "zerolinewidth": 1,
    }


def _row_axis(rows: Sequence[Row], readable: bool, look: Look) -> dict[str, Any]:
    step = 1 if readable else max(1, len(rows) // 8)
    places = list(range(0, len(rows), step))
    return _axis(look, 12) | {
        "range": [len(rows) - 0.5, -0.5],
        "automargin": True,
        "tickvals": places,
        "ticktext": [escape(rows[place].label) for place in places],
    }


def _axis(look: Look, pixels: int) -> dict[str, Any]:
    font = {"size": look.px(pixels), "color": look.colour("faint")}
    return {"showgrid": False, "zeroline": False, "fixedrange": True, "ticks": "", "tickfont": font}


def _vectors(rows: Sequence[Row], readable: bool, look: Look) -> go.Heatmap:
    cells = np.array([[row.q, row.k] for row in rows], dtype=np.float32)
    finite = np.abs(cells[np.isfinite(cells)])
    reach = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
    written = [
        ["" if np.isnan(value) else format_number(float(value), look.precision) for value in pair]
        for pair in cells
    ]
    return go.Heatmap(
        z=cells,
        text=written if readable else None,
        texttemplate="%{text}" if readable else None,
        textfont={"size": look.px(12)},
        colorscale=diverging(look.dark),
        zmin=-reach,
        zmax=reach,
        showscale=False,
        xgap=2,
        ygap=1 if readable else 0,
        hoverongaps=False,
        hovertemplate="%{x} = %{z:.7~g}<extra></extra>",
    )


def _products(rows: Sequence[Row], readable: bool, look: Look) -> go.Bar:
    # The same colours as the scores: their scale is blue below zero, orange-red above.
    colours = [look.colour("key" if row.product >= 0 else "query") for row in rows]
    written = [format_number(row.product, look.precision) for row in rows]
    return go.Bar(
        x=np.array([row.product for row in rows], dtype=np.float32),
        y=np.arange(len(rows)),
        xaxis="x2",
        orientation="h",
        marker={"color": colours},
        width=0.72,
        text=written if readable else None,
        textposition="outside",
        constraintext="none",  # or plotly.js shrinks the numbers to the thickness of the bars
        textfont={"size": look.px(12), "color": look.colour("text")},
        cliponaxis=False,
        hovertext=[_sum_line(row) for row in rows],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _sum_line(row: Row) -> str:
    product = format_number(row.product, 7)
    if np.isnan(row.q):
        return f"{escape(row.label)}: {product}"
    return f"{format_number(row.q, 7)} × {format_number(row.k, 7)} = {product}"
