"""A weighted sum as a table, as a formula, and as steps that lead to it."""

from collections.abc import Mapping, Sequence

import numpy as np

from glassformer.app.pages.lab.figures.tables import matrix_html, tables_side_by_side
from glassformer.app.plots import drawing as go
from glassformer.app.plots.axes import grid_axis, rows_axis
from glassformer.app.plots.labels import escape, visible
from glassformer.app.plots.marks import hover_texts
from glassformer.app.plots.theme import FigureStyle, base_layout
from glassformer.core.lab.weighted_values import Weighed

WRITTEN_OUT = 4  # terms of the formula


def weighed_tables(
    found: Weighed, words: Sequence[str], texts: Mapping[str, str], look: FigureStyle
) -> str:
    """Score, weight, value, their product and the sum so far, a word a row, as HTML.

    words: those that are taken. texts: "score", "weight", "value", "term", "running".
    """

    def column(cells: object, role: str, **more: object) -> str:
        return matrix_html(np.asarray(cells)[:, None], look, role, **more)  # type: ignore[arg-type]

    return tables_side_by_side([
        (texts["score"], column(found.scores, "weights", rows=words, tinted=False)),
        (texts["weight"], column(found.weights, "weights", limit=1.0)),
        (texts["value"], column(found.values, "value")),
        (texts["term"], column(found.terms, "value")),
        (texts["running"], column(found.running, "value", tinted=False)),
    ])  # fmt: skip


def formula_text(found: Weighed, others: str, look: FigureStyle) -> str:
    """The largest terms as "0.88 × 1.2 + 0.12 × (−0.3) = 1.02", in the order of the sentence.

    others: stands for all further terms, with {count} and {sum}.
    """
    order = found.terms.abs().argsort(descending=True, stable=True).tolist()
    shown = sorted(order[:WRITTEN_OUT])
    parts = [
        f"{look.number(float(found.weights[at]))} × {_summand(float(found.values[at]), look)}"
        for at in shown
    ]
    if rest := order[WRITTEN_OUT:]:
        total = _summand(float(found.terms[rest].sum()), look)
        parts.append(others.format(count=len(rest), sum=total))
    return f"{' + '.join(parts)} = {look.number(found.total)}"


def _summand(value: float, look: FigureStyle) -> str:
    """A number behind a sign, in brackets where it has one itself."""
    return f"({look.number(value)})" if value < 0 else look.number(value)


def steps_figure(
    found: Weighed, words: Sequence[str], texts: Mapping[str, str], look: FigureStyle
) -> go.Figure:
    """Each term as a bar that begins where the one before it ends; the last bar is the sum.

    texts: "total", "step" with {word}, {term}, {running}.
    """
    terms, ends = found.terms.numpy(), found.running.numpy()
    heights, starts = np.append(terms, ends[-1]), np.append(ends - terms, 0.0)
    said = [
        escape(texts["step"].format(word=visible(words[at]), **_numbers(found, at, look)))
        for at in range(len(words))
    ]
    inks = [look.colour("value" if each >= 0 else "changed") for each in terms.tolist()]
    bars = go.Bar(
        x=heights.astype(np.float64),
        y=np.arange(len(heights), dtype=np.float32),
        base=starts.tolist(),
        orientation="h",
        marker={"color": [*inks, look.colour("weights")]},
        **hover_texts([*said, f"{escape(texts['total'])} = <b>{look.number(found.total)}</b>"]),
    )
    named = [escape(visible(word)) for word in words]
    layout = base_layout(look, margin={"l": 8, "r": look.px(12), "t": 8, "b": look.px(26)})
    layout["yaxis"] = rows_axis([*named, f"<b>{escape(texts['total'])}</b>"], look, automargin=True)
    layout["xaxis"] = grid_axis(look, zeroline=True, zerolinecolor=look.colour("faint"))
    return go.Figure([bars], layout | {"bargap": 0.3})


def _numbers(found: Weighed, at: int, look: FigureStyle) -> dict[str, str]:
    """A term and the sum with it, as they are written."""
    numbers = {"term": found.terms[at], "running": found.running[at]}
    return {name: look.number(float(each)) for name, each in numbers.items()}
