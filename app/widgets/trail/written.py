"""How a number of the trail, its terms and its verdict are written."""

from __future__ import annotations

import math
from typing import Any

from app.figures.labels import format_number, visible
from app.figures.theme import Look
from app.widgets.tensors.written import axis_name, place
from app.words import say
from core.trace.sites import Role as SiteRole
from core.trace.sites import site_at
from core.trace.trace import Trace
from core.trail.node import Node
from core.trail.terms import Cell, Factor, Label, Term

SHOWN = 8  # terms that stand by themselves
LONG = 9  # significant digits of a float32, told apart from its neighbours
SIGNS = {
    "id": "w", "table": "E", "root": "√D", "embedding": "E", "position": "PE", "time": "t",
    "frequency": "ω", "copied": "x", "stream": "x", "branch": "f(x)", "state": "x",
    "fraction": "1/n", "centred": "x − μ", "mean": "−μ", "inverse_spread": "1/σ", "gain": "γ",
    "normalized": "x̂", "shift": "β", "matrix": "W", "bias": "b", "query": "Q", "key": "K",
    "score": "S", "inverse_root": "1/√dₖ", "scaled": "S′", "fill": "fill", "not_padding": "word?",
    "not_future": "past?", "exponential": "exp", "weight": "A", "value": "V",
    "pre_activation": "h", "gate": "gate", "activation": "a", "dropout": "m", "probability": "p",
}  # fmt: skip
COLOURS: dict[str, SiteRole] = {
    "query": "query", "key": "key", "value": "value", "score": "weights", "scaled": "weights",
    "exponential": "weights", "weight": "weights", "probability": "weights",
    "pre_activation": "feed_forward", "activation": "feed_forward", "gate": "feed_forward",
    "mean": "norm", "inverse_spread": "norm", "normalized": "norm", "gain": "norm",
    "shift": "norm", "centred": "norm",
}  # fmt: skip


def where(trace: Trace, cell: Cell) -> str:
    """The words of a cell's place in its tensor: "head 2 · query it · key animal"."""
    parts = []
    for axis, index in zip(trace.axes(cell.address), cell.index, strict=True):
        if axis.name in ("batch", "one"):
            continue
        name = visible(axis.labels[index]) if axis.labels else str(index + 1)
        parts.append(f"{axis_name(axis)} {name}")
    return " · ".join(parts)


def short_where(trace: Trace, cell: Cell) -> str:
    """The same without the names of the axes: "2 · it · animal"."""
    axes = zip(trace.axes(cell.address), cell.index, strict=True)
    return " · ".join(
        visible(axis.labels[index]) if axis.labels else str(index + 1)
        for axis, index in axes
        if axis.name not in ("batch", "one")
    )


def title(cell: Cell) -> str:
    """What is recorded there, and at which place of the model."""
    site = site_at(cell.address)
    return say("trail.title", what=say(site.text_key), place=place(cell.address))


def is_in(trace: Trace, cell: Cell) -> bool:
    """Whether a run has the cell: another one, before or after a switch, may be shorter."""
    if cell.address not in trace:
        return False
    shape = trace[cell.address].shape
    pairs = zip(cell.index, shape, strict=False)
    return len(cell.index) == len(shape) and all(index < size for index, size in pairs)


def crumb(trace: Trace, cell: Cell, look: Look) -> dict[str, Any]:
    """One number of the way, for the list of those visited."""
    site = site_at(cell.address)
    value = float(trace[cell.address][cell.index])
    return {
        "name": say(f"trail.short.{site.group}.{site.name}"),
        "where": short_where(trace, cell),
        "place": place(cell.address),
        "value": format_number(value, look.precision),
        "colour": look.colour(site.role),
        "go": reach(cell),
    }


def reach(cell: Cell) -> dict[str, Any]:
    """A cell as the browser sends it back."""
    return {"address": cell.address, "index": list(cell.index)}


def rows(node: Node, look: Look) -> list[dict[str, Any]]:
    """The largest terms with their factors, and the rest in one row.

    The term that belongs to the cell itself always stands among them, first.
    """
    terms, rest = node.shown(SHOWN)
    written = [_row(term, look) for term in terms]
    if rest.count > 0:
        name = say("trail.rest", count=rest.count)
        number = format_number(rest.contribution, look.precision)
        value = _sent(rest.contribution)
        written.append({"label": name, "factors": [], "value": value, "number": number})
    return written


def _row(term: Term, look: Look) -> dict[str, Any]:
    return {
        "label": label(term.label),
        "factors": [_factor(factor, look) for factor in term.factors],
        "value": _sent(term.contribution),
        "number": format_number(term.contribution, look.precision),
        "own": term.own,
    }


def _sent(number: float) -> float | None:
    """For the browser, where NaN and ∞ are no JSON: such a term has no bar, its number is text."""
    return number if math.isfinite(number) else None


def label(named: Label) -> str:
    """What a term stands for."""
    if named.kind == "part":
        return ""
    if named.kind in ("token", "word"):
        return visible(named.text)
    text = say(f"trail.label_{named.kind}", index=named.index + 1)
    return text if named.head is None else say("trail.of_head", label=text, head=named.head + 1)


def _factor(factor: Factor, look: Look) -> dict[str, Any]:
    role = COLOURS.get(factor.role, "data")
    learned = factor.parameter is not None
    name = say(f"trail.role_{factor.role}")
    if factor.parameter is not None:
        index = ", ".join(map(str, factor.parameter.index))
        name = say("trail.learned", name=name, parameter=f"{factor.parameter.name}[{index}]")
    return {
        "sign": SIGNS[factor.role],
        "name": name,
        "number": format_number(factor.value, look.precision),
        "exact": format_number(factor.value, LONG),
        "colour": look.colour("text" if learned else role),
        "learned": learned,
        "go": [reach(cell) for cell in factor.sources],
    }
