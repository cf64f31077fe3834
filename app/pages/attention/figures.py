"""One cell of an attention map as a formula and as bars, and one head's weight by places."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import bare_axis, rows_axis
from glassformer.app.plots.bars import row_bars
from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.heat import heat_map, largest_magnitude
from glassformer.app.plots.labels import escape, format_number, format_percent, text_width
from glassformer.app.plots.latex import latex_number, paint_latex
from glassformer.app.plots.marks import (
    annotate_at,
    colour_label,
    hover_texts,
    row_title,
    upright_line,
)
from glassformer.app.plots.theme import FigureStyle, base_layout, hatch_pattern
from glassformer.app.words import say
from glassformer.core.analysis.attention_cell import CellOfHeads, Terms
from glassformer.core.analysis.attention_views import Kind, asks_with, attention_at
from glassformer.core.config import ModelConfig
from glassformer.core.trace.sites import site_at

FILLS = {"large_negative": "-10^{9}", "minus_infinity": r"-\infty", "additive": r"-\infty"}
HEIGHT, ROLES_HEIGHT = 300, 190  # pixels at 100 %
READABLE = 16  # rows whose numbers can be read at the panel's height
VECTORS = {"query": "q", "key": "k"}
BARS_FROM = 0.44  # where the bars begin, as a share of the width
ROOM = 1.35  # the axis in bars' lengths: beyond the longest stands its number
MOST_TYPE = 115  # percent, of the names of roles: their column is narrow and keeps its bars
LONGEST = 6.0  # of a name on one line, in widths of a Chinese character at 100 %


@dataclass(frozen=True)
class Scored:
    """How scores come about where it is not as in the paper."""

    asks: str = "Q"  # LaTeX of what meets
    answers: str = "K"
    divides: bool = True  # by √d_k
    biased: bool = False  # distances add to them

    @classmethod
    def of(cls, config: ModelConfig, kind: Kind) -> "Scored":
        """That of a model's attention."""
        sites = (site_at(f"{attention_at(kind, 0)}/{name}") for name in asks_with(config, kind))
        asks, answers = (site.symbol for site in sites)
        biased = config.positions == "relative" and kind != "cross"
        return cls(asks, answers, config.score_scale, biased)


def stage_formula(
    stage: str, fill: str, width: int, look: FigureStyle, made: "Scored | None" = None
) -> str:
    """What a stage computes for the whole matrix.

    fill: the config's `mask_fill`; width: d_k.
    """
    made = made or Scored()
    asks, answers = paint_latex(made.asks, "query", look), paint_latex(made.answers, "key", look)
    if len(made.answers) > 1:
        answers = f"({answers})"
    product = rf"{asks} {answers}^{{\top}}"
    before = r"S'_{ts} + B_{ts}" if made.biased else "S'_{ts}"
    if stage == "scores":
        return f"S = {product}"
    if stage == "biased":
        return r"S'_{ts} + B_{ts},\quad B_{ts} = b[\mathrm{bucket}(s - t)]"
    if stage == "scaled" and not made.divides:
        return "S' = S"
    if stage == "scaled":
        root = format_number(math.sqrt(width), 4)
        return rf"S' = \frac{{{product}}}{{\sqrt{{d_k}}}} = \frac{{S}}{{\sqrt{{{width}}}}}" + (
            rf" = \frac{{S}}{{{root}}}" if math.isqrt(width) ** 2 == width else ""
        )
    if stage == "masked":
        return (
            rf"\tilde S_{{ts}} = \begin{{cases}} {before} & M_{{ts}} = 1 \\"
            rf" {FILLS[fill]} & M_{{ts}} = 0 \end{{cases}}"
        )
    return (
        rf"{paint_latex('A_{ts}', 'weights', look)} = \frac{{e^{{\tilde S_{{ts}}}}}}"
        rf"{{\sum_{{j}} e^{{\tilde S_{{tj}}}}}}"
    )


def cell_formula(
    terms: Terms, stage: str, fill: str, look: FigureStyle, divides: bool = True
) -> str:
    """The same steps with one cell's numbers; the chosen stage's number is emphasised.

    The numbers are those recorded, rounded to the reader's precision.
    """
    score, scaled, weight = (
        latex_number(value, look) for value in (terms.score, terms.scaled, terms.weight)
    )
    biased = scaled if terms.biased is None else latex_number(terms.biased, look)
    masked = biased if terms.allowed else FILLS[fill]
    pair = f"{paint_latex('q_i', 'query', look)} {paint_latex('k_i', 'key', look)}"
    lines = {
        "scores": (rf"\textstyle\sum_i {pair}", "= ", score),
        "scaled": (rf"{score} / \sqrt{{{terms.q.size}}}" if divides else "S'", "= ", scaled),
        "biased": ("S' + B", f"= {scaled} + {_bias(terms, look)} = ", biased),
        "masked": (rf"M = {int(terms.allowed)}", r"\Rightarrow ", masked),
        "weights": (r"\mathrm{softmax}", f"= {_share(terms, look)}", weight),
    }
    rows = []
    if terms.bias is None:
        del lines["biased"]
    for name, (left, middle, result) in lines.items():
        if name == stage:
            result = rf"\boldsymbol{{{paint_latex(result, 'weights', look)}}}"
        rows.append(f"{left} &{middle} {result}")
    return r"\begin{aligned}" + r" \\[2pt] ".join(rows) + r"\end{aligned}"


def _bias(terms: Terms, look: FigureStyle) -> str:
    bias = terms.bias or 0.0
    return latex_number(bias, look) if bias >= 0 else f"({latex_number(bias, look)})"


def _share(terms: Terms, look: FigureStyle) -> str:
    above, below = terms.numerator, terms.denominator
    if not (math.isfinite(above) and math.isfinite(below)) or below == 0:
        return ""  # e to a huge score, or a row that may look nowhere: nothing to divide
    return rf"\tfrac{{{latex_number(above, look)}}}{{{latex_number(below, look)}}} ="


@dataclass(frozen=True)
class Term:
    """One line of the sum: a dimension, or all the small ones together."""

    label: str
    q: float  # NaN where several dimensions are summed
    k: float
    product: float


def term_rows(terms: Terms, by: str, most: int = READABLE) -> list[Term]:
    """The lines of the sum, in order; they add up to the score.

    by "largest": so many lines at most, the last one for all smaller ones together; by
    "dimension": all of them.
    """
    order = terms.order(by)
    fits = terms.q.size <= most or by == "dimension"
    single = order if fits else order[: most - 1]
    products = terms.products
    rows = [
        Term(str(at + 1), float(terms.q[at]), float(terms.k[at]), float(products[at]))
        for at in single
    ]
    if len(single) < len(order):
        others = order[len(single) :]
        total = float(products[others].astype(np.float64).sum())
        rows.append(Term(say("attention.rest", count=len(others)), math.nan, math.nan, total))
    return rows


def terms_figure(rows: Sequence[Term], look: FigureStyle) -> go.Figure:
    """The vectors q and k as two columns of numbers, their products as signed bars."""
    readable = len(rows) <= READABLE
    places = list(range(0, len(rows), 1 if readable else max(1, len(rows) // 8)))
    most = 2 * largest_magnitude(
        np.array([row.product for row in rows])
    )  # room for the numbers at the ends
    layout = base_layout(
        look,
        look.px(HEIGHT),
        template="none",
        xaxis=bare_axis(look, 15, ticks="", domain=[0, BARS_FROM - 0.03], side="top")
        | {"range": [-0.5, 1.5], "tickvals": [0, 1]}
        | {
            "ticktext": [
                colour_label(f"<b>{v}</b>", look.colour(role)) for role, v in VECTORS.items()
            ]
        },
        xaxis2=bare_axis(look, 15, ticks="", domain=[BARS_FROM, 1], side="top", anchor="y")
        | {"range": [-most, most], "tickvals": [0], "ticktext": ["<b>q · k</b>"]}
        | _zero_line(look),
        yaxis=bare_axis(look, 12, ticks="", automargin=True, range=[len(rows) - 0.5, -0.5])
        | {"tickvals": places, "ticktext": [escape(rows[place].label) for place in places]},
        annotations=[row_title(say("attention.dimension"), look, "faint")],
        margin={"l": look.px(36), "r": 4, "t": look.px(26), "b": 2, "pad": 4},
    )
    return go.Figure([_vectors(rows, readable, look), _products(rows, readable, look)], layout)


def _zero_line(look: FigureStyle) -> dict[str, Any]:
    return {"zeroline": True, "zerolinecolor": look.colour("faint"), "zerolinewidth": 1}


def _vectors(rows: Sequence[Term], readable: bool, look: FigureStyle) -> go.Heatmap:
    cells = np.array([[row.q, row.k] for row in rows], dtype=np.float32)
    most = largest_magnitude(cells)
    written = [["" if np.isnan(value) else look.number(value) for value in pair] for pair in cells]
    return heat_map(
        cells,
        (-most, most),
        look,
        text=written if readable else None,
        texttemplate="%{text}" if readable else None,
        textfont={"size": look.px(12)},
        showscale=False,
        xgap=2,
        ygap=1 if readable else 0,
        hoverongaps=False,
        hovertemplate="%{x} = %{z:.7~g}<extra></extra>",
    )


def _products(rows: Sequence[Term], readable: bool, look: FigureStyle) -> go.Bar:
    # The same colours as the scores: their scale is blue below zero, orange-red above.
    colours = [look.colour("key" if row.product >= 0 else "query") for row in rows]
    return row_bars(
        np.array([row.product for row in rows], dtype=np.float32),
        [look.number(row.product) for row in rows] if readable else None,
        colours,
        look,
        12,
        xaxis="x2",
        width=0.72,
        constraintext="none",  # or plotly.js shrinks the numbers to the thickness of the bars
        **hover_texts([_sum_line(row) for row in rows]),
    )


def _sum_line(row: Term) -> str:
    product = format_number(row.product, 7)
    if np.isnan(row.q):
        return f"{escape(row.label)}: {product}"
    return f"{format_number(row.q, 7)} × {format_number(row.k, 7)} = {product}"


def shares_figure(cell: CellOfHeads, stage: str, look: FigureStyle) -> go.Figure:
    """One cell at one stage in each head, as bars in the heads' colours, with a line at the mean.

    Weights run from 0, scores to both sides of 0. A forbidden cell has a hatched band, no number.
    """
    values = np.where(cell.forbidden | ~np.isfinite(cell.values), np.nan, cell.values)
    most = ROOM * float(np.abs(np.nan_to_num(values)).max()) or 1.0
    ends = (0.0 if stage == "weights" else -most, most)
    names = [escape(say("attention.column", head=head + 1)) for head in range(len(values))]
    axis = {"range": list(ends), "showticklabels": False, "ticks": "", "showgrid": False}
    places = np.arange(len(values))
    shared = {"orientation": "h", "width": 0.72}
    bars = [
        go.Bar(
            x=values.astype(np.float32),
            y=places,
            marker={"color": [head_colour(int(head), look.dark) for head in places]},
            hovertemplate="%{x:.7~g}<extra></extra>",
            **shared,
        )
    ]
    if cell.forbidden.any():
        bars.append(go.Bar(**_band(cell.forbidden, ends, look), **shared))
    layout = base_layout(
        look,
        look.px(HEIGHT),
        template="none",
        barmode="overlay",
        xaxis=axis | _zero_line(look) | {"fixedrange": True},
        # The line's label stands above the first bar.
        yaxis=rows_axis(names, look, range=[len(names) - 0.5, -1.2]),
        annotations=_numbers(cell, ends, look),
    )
    if np.isfinite(cell.mean):
        line, label = _mean(cell, ends, look)
        layout |= {"shapes": [line], "annotations": [label, *layout["annotations"]]}
    return go.Figure(bars, layout)


def _band(forbidden: np.ndarray, ends: tuple[float, float], look: FigureStyle) -> dict[str, Any]:
    """Hatching across the panel for each head that may not look, as in the matrix."""
    struck = np.flatnonzero(forbidden)
    whole = np.full(len(struck), ends[1] - ends[0], np.float32)
    marker = {"color": look.colour("panel"), "pattern": hatch_pattern(look)}
    return {"x": whole, "base": ends[0], "y": struck, "marker": marker, "hoverinfo": "skip"}


def _numbers(
    cell: CellOfHeads, ends: tuple[float, float], look: FigureStyle
) -> list[dict[str, Any]]:
    """The value at the end of each bar, on the page's colour: the line of the mean stays behind."""
    shared = {"xref": "x", "yref": "y", "borderpad": 1, "bgcolor": look.colour("page")}
    notes = []
    for place, (value, struck) in enumerate(zip(cell.values, cell.forbidden, strict=True)):
        at = float(value) if np.isfinite(value) and not struck else 0.0
        text, side, shift = look.number(value), "left", 3
        if at < 0:
            side, shift = "right", -3
        if struck:
            text, at, side, shift = say("attention.forbidden"), sum(ends) / 2, "center", 0
        where = f"{side} auto"
        notes.append(annotate_at(escape(text), look, at, place, at=where, xshift=shift) | shared)
    return notes


def _mean(
    cell: CellOfHeads, ends: tuple[float, float], look: FigureStyle
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The line at the mean of the heads, and its label."""
    mean = cell.mean
    height: dict[str, Any] = {"yref": "y", "y0": -0.6, "y1": len(cell.values) - 0.4}
    text = escape(say("attention.shares_mean", mean=look.number(mean)))
    at = f"{'left' if mean < sum(ends) / 2 else 'right'} auto"
    return (
        upright_line(mean, look, "text", 1.5, layer="below", **height),
        annotate_at(text, look, mean, -0.9, 12, at=at, xref="x", yref="y"),
    )


def roles_figure(shares: Mapping[str, float], look: FigureStyle) -> go.Figure:
    """A bar for each named share (0–1), on the outline of the whole; NaN has no bar."""
    look = replace(look, size=min(look.size, MOST_TYPE))
    names, values = list(shares), np.array(list(shares.values()), dtype=np.float32)
    places = np.arange(len(names))
    shared = {"y": places, "orientation": "h", "width": 0.5, "hoverinfo": "skip"}
    whole = np.ones(len(names), np.float32)
    bars = [
        go.Bar(x=lengths, marker={"color": look.colour(role)}, **shared)
        for lengths, role in ((whole, "line"), (values, "weights"))
    ]
    said = ["–" if np.isnan(share) else escape(format_percent(float(share))) for share in values]
    right = look.px(40)
    layout = base_layout(
        look,
        look.px(ROLES_HEIGHT),
        template="none",
        barmode="overlay",
        xaxis={"range": [0, 1], "visible": False, "fixedrange": True},
        yaxis=rows_axis([_lines(name, look) for name in names], look),
        margin={"l": 8, "r": look.px(42), "t": 4, "b": 4, "pad": 4},
        annotations=[
            annotate_at(text, look, 1, place, at="right auto", yref="y", xshift=right)
            for place, text in enumerate(said)
        ],
    )
    return go.Figure(bars, layout)


def _lines(name: str, look: FigureStyle) -> str:
    """A long name takes two lines, of large type also two words: the bars need the room."""
    at = max(name.rfind(", "), name.find("、")) + 1 or name.find(" ") + 1
    if not at or text_width(name, 1) * look.size / 100 <= LONGEST:
        return escape(name)
    return f"{escape(name[:at].strip())}<br>{escape(name[at:].strip())}"
