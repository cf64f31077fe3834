"""Words and positions added, as one product and concatenated: tables, and what either costs."""

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from glassformer.app.pages.lab.figures.tables import matrix_html, rows_table
from glassformer.app.plots.heat import largest_magnitude
from glassformer.app.plots.labels import escape
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.lab.added import Added

Texts = Mapping[str, str]


def product_tables(found: Added, texts: Texts, look: FigureStyle) -> str:
    """(x, p) times A on top of E, and beside it a + e: the same, as HTML.

    texts: "product", "sum".
    """
    x, p = _table(found.x, "data", look), _table(found.one_hot, "query", look)
    words, places = _table(found.words, "data", look), _table(found.places, "query", look)
    limit = largest_magnitude(found.added.numpy())
    stacked = _table(found.stacked, "value", look, limit)
    product = [("(x, p)", x + p), ("W = (A, E)", f"<span>{words}{places}</span>")]
    terms = [
        ("a = x A", _table(found.a, "data", look)),
        ("e = p E", _table(found.e, "query", look)),
    ]
    return _line(texts["product"], product, "×", ("(x, p) W", stacked)) + _line(
        texts["sum"], terms, "+", ("a + e", _table(found.added, "value", look, limit))
    )


def beside_tables(found: Added, texts: Texts, look: FigureStyle) -> str:
    """Word and position one after the other: as wide as both, nothing is mixed, HTML."""
    both = _table(found.a, "data", look) + _table(found.e, "query", look)
    return _line(texts["beside"], [("(a, e)", both)], "", None)


def costs_table(found: Added, texts: Texts) -> str:
    """Width and parameters of both ways in a model of full size, as HTML.

    texts: "way_added", "way_beside", "width", "parameters", "times".
    """
    rows, least = [], found.costs[0].parameters
    for name, cost in zip(("added", "beside"), found.costs, strict=True):
        numbers = (f"{cost.width:,}", f"{cost.parameters:,}", f"× {cost.parameters / least:.2f}")
        cells = "".join(f"<td>{each}</td>" for each in numbers)
        rows.append((f"<th>{escape(texts[f'way_{name}'])}</th>", cells))
    return rows_table("lab-keeps", [texts[each] for each in ("width", "parameters", "times")], rows)


def _table(cells: Tensor, role: str, look: FigureStyle, limit: float | None = None) -> str:
    return matrix_html(cells.numpy().astype(np.float32), look, role, limit=limit)


def _line(
    title: str, parts: list[tuple[str, str]], sign: str, result: tuple[str, str] | None
) -> str:
    """Tables under their names with a sign between them, below a title (escaped here)."""
    figures = [
        f"<figure><figcaption>{name}</figcaption><span>{table}</span></figure>"
        for name, table in (*parts, *([result] if result else []))
    ]
    signs = [sign] * (len(parts) - 1) + ["="] * (result is not None)
    inside = figures[0] + "".join(
        f'<span class="lab-sign">{sign}</span>{figure}'
        for sign, figure in zip(signs, figures[1:], strict=True)
    )
    return f'<section class="lab-sum"><b>{escape(title)}</b><div>{inside}</div></section>'
