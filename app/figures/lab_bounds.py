"""The paper's Table 1, and what was measured, as an HTML table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from app.figures.lab_why import kind_colour
from app.figures.labels import format_number
from app.figures.theme import Look
from core.lab.table_one import Bound, LayerType
from core.lab.why_attention import Kind, Route

SIGNS = {"^2": "²", r" \cdot ": " · ", r"\log_k": "log<sub>k</sub>"}  # of the paper's formulas
MEASURED: dict[LayerType, Kind] = {
    "attention": "attention", "recurrent": "recurrent", "convolution": "dilated",
}  # fmt: skip


def table_html(
    bounds: Sequence[Bound],
    routes: Sequence[Route],
    heads: Sequence[str],
    kinds: Mapping[LayerType, str],
    measured: str,
    look: Look,
) -> str:
    """The paper's Table 1 with what was measured beside it, HTML.

    heads: above the columns: cost, waiting, path. kinds: names of the layers. measured: in front
    of a measured number. The convolution's row is the dilated one, as in the paper.
    """
    found = {each.kind: each for each in routes}
    top = "".join(f"<th>{escape(each)}</th>" for each in ("", *heads))
    rows = []
    for bound in bounds:
        kind = MEASURED.get(bound.layer)
        route = found[kind] if kind else None
        cells = [
            _cell(bound.cost_formula, bound.cost, None, measured, look),
            _cell(
                bound.sequential_formula,
                bound.sequential,
                route.sequential if route else None,
                measured,
                look,
            ),
            _cell(bound.path_formula, bound.path, route.longest if route else None, measured, look),
        ]
        colour = kind_colour(route.kind, look) if route else look.colour("text")
        name = f'<th style="color:{colour}">{escape(kinds[bound.layer])}</th>'
        rows.append(f"<tr>{name}{''.join(cells)}</tr>")
    return f'<table class="lab-bounds"><tr>{top}</tr>{"".join(rows)}</table>'


def written(formula: str) -> str:
    r"""A formula of the table as HTML: `O(n^2 \cdot d)` is "O(n² · d)"."""
    text = escape(formula)
    for sign, shown in SIGNS.items():
        text = text.replace(sign, shown)
    return text


def _cell(formula: str, value: float, seen: int | None, measured: str, look: Look) -> str:
    number = format_number(int(value) if value == int(value) else value, look.precision)
    here = "" if seen is None else f"<b>{escape(measured)} {format_number(seen)}</b>"
    return f"<td>{written(formula)}<br><span>= {number}</span>{here}</td>"
