"""The drawer at the foot of every page: one number, what it was made of, and the way so far."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from glassformer.app.panels import provenance
from glassformer.app.panels.address_words import axis_name, place
from glassformer.app.panels.context import fields_of_cell, walk_button
from glassformer.app.panels.phrases import experiment_line
from glassformer.app.plots.labels import format_number, visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.runs import on_screen
from glassformer.app.runs.traces import get_setting
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import format_error, literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.explain.provenance.node import Cell, Factor, Node, Term
from glassformer.core.explain.provenance.unfold import largest_path, next_cell, unfold
from glassformer.core.explain.steps.wires import Wire
from glassformer.core.interventions import Experiment
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.sites import Axis, site_at
from glassformer.core.trace.sites import Role as SiteRole
from glassformer.core.trace.trace import Trace

_view = component(__file__, "trail_view")  # terms as signed bars, or the numbers visited

TICKS = {"agrees": "✓", "edited": "✎", "differs": "≠", "given": "•"}
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
    "token_type": "Tₛ", "rotation": "cos, sin", "position_bias": "B", "up": "u",
}  # fmt: skip
COLOURS: dict[str, SiteRole] = {
    "query": "query", "key": "key", "value": "value", "score": "weights", "scaled": "weights",
    "exponential": "weights", "weight": "weights", "probability": "weights",
    "position_bias": "weights", "up": "feed_forward",
    "pre_activation": "feed_forward", "activation": "feed_forward", "gate": "feed_forward",
    "mean": "norm", "inverse_spread": "norm", "normalized": "norm", "gain": "norm",
    "shift": "norm", "centred": "norm",
}  # fmt: skip


def show() -> None:
    """Draw the drawer where a number is unfolded; call it after the page."""
    if store.get_state().trail is not None:
        page = current_look().colour("page")
        put_sheet(__file__, "trail.css", f".st-key-trail {{ background: {page}; }}")
        _drawer()


@st.fragment
@wait_for_turn
def _drawer() -> None:
    """One step on the trail leaves the page alone."""
    cells = provenance.visited_cells()
    if not cells:
        st.rerun()  # closed: without the drawer's room at the foot of the page
    trace, look = on_screen.trace_on_screen(), current_look()
    with st.container(key="trail", gap="xsmall"):
        try:
            model = on_screen.model_on_screen().transformer
            node = unfold(trace, model, cells[-1].address, cells[-1].index)
        except GlassformerError as error:
            st.warning(format_error(error))
            _button("close", provenance.close_drawer)
            return
        _head(trace, model, node)
        way, number, terms = st.columns([22, 33, 45], gap="medium")
        with way:
            there = [cell for cell in cells if is_in(trace, cell)]
            crumbs = [visited_number(trace, cell, look) for cell in there]
            _draw("trail_way", {"way": crumbs, "title": say("trail.way")})
        with number, box("tex", "trail_number", gap="xsmall"):
            _number(node, look)
        with terms:
            heading = say(f"trail.outer_{node.outer}") if node.groups else say("trail.no_terms")
            _draw("trail_terms", {"rows": term_rows(node, look), "title": heading})


def _head(trace: Trace, model: Transformer, node: Node) -> None:
    """The title, and the buttons that go on, to the words, to the Walkthrough, and out."""
    cells, onward = provenance.visited_cells(), next_cell(node)

    def back() -> None:
        provenance.go_to_number(cells[-2])

    def largest() -> None:
        if onward is not None:
            provenance.go_to_number(onward)

    def to_the_words() -> None:
        provenance.go_to_number(*(each.cell for each in largest_path(trace, model, node.cell)))

    with side_by_side("trail_head", "dense", gap="small"):
        words = literal(place_in_tensor(trace, node.cell))
        st.markdown(f"**{literal(cell_title(node.cell))}** · {words}", width="stretch")
        _button("back", back, disabled=len(cells) < 2)
        _button("largest", largest, disabled=onward is None)
        _button("words", to_the_words, disabled=onward is None)
        walk_button(trace, node.cell.address, "trail_walk", **selection(trace, node))
        _button("close", provenance.close_drawer)


def _button(name: str, act: Callable[[], None], disabled: bool = False) -> None:
    st.button(
        say(f"trail.{name}"),
        key=f"trail_{name}",
        help=say(f"trail.{name}_help"),
        on_click=act,
        disabled=disabled,
        type="tertiary",
    )


def _draw(key: str, data: dict[str, Any]) -> None:
    """Draw `data["rows"]` as terms, or `data["way"]` as the numbers visited; a click goes to one.

    Texts go in as data: nothing of a user's is read as HTML.
    """
    _view(key, data, height="stretch", go=lambda sent: provenance.go_to_number(read_cell(sent)))


def read_cell(value: dict[str, Any]) -> Cell:
    """The cell that the browser sent."""
    return Cell(str(value["address"]), tuple(int(index) for index in value["index"]))


def selection(trace: Trace, node: Node) -> dict[str, object]:
    """The cell's place as the one selection of all pages has it."""
    axes = zip(trace.axes(node.cell.address), node.cell.index, strict=True)
    at: dict[str, int] = {axis.name: index for axis, index in axes}
    return fields_of_cell(trace, Wire(node.cell.address), at)


def _number(node: Node, look: FigureStyle) -> None:
    """The formula, the number recorded and recomputed, and what stands on the way."""
    st.markdown(say(f"trail.operation_{node.operation}"))
    st.latex(node.formula)
    recorded, exact = (format_number(each, LONG) for each in (node.recorded, node.exact))
    switches = _switches(node)
    # A run under switches may differ only where one of them reached in.
    verdict = "differs" if node.verdict == "edited" and not switches else node.verdict
    st.markdown(
        say(
            f"trail.verdict_{verdict}",
            tick=TICKS[verdict],
            recorded=recorded,
            exact=exact,
            difference=format_number(abs(node.difference), look.precision),
            tolerance=format_number(node.tolerance, 2),
            switches=literal(switches),
        )
    )
    facts = [
        f"${fact.symbol} = {format_number(fact.value, look.precision)}$ "
        f":small[{say(f'trail.fact_{fact.key}')}]"
        for fact in node.facts
    ]
    if facts:
        st.markdown(" &emsp; ".join(facts))
    for note in node.notes:
        st.caption(say(f"trail.note_{note}"))


def _switches(node: Node) -> str:
    """What is switched at a number that is not what was computed; "" where nothing is."""
    if node.verdict != "edited":
        return ""
    applied = on_screen.experiment_on_screen()
    plain = get_setting(*on_screen.made_by())
    asked = replace(plain, config=applied.config(plain.config))
    return experiment_line(Experiment(applied.changing(node.cell.address, asked)))


def place_in_tensor(trace: Trace, cell: Cell) -> str:
    """The words of a cell's place in its tensor: "head 2 · query it · key animal"."""
    return " · ".join(f"{axis_name(axis)} {name}" for axis, name in _places(trace, cell))


def _places(trace: Trace, cell: Cell) -> list[tuple[Axis, str]]:
    """The cell's word or number on each axis that has several."""
    return [
        (axis, visible(axis.labels[index]) if axis.labels else str(index + 1))
        for axis, index in zip(trace.axes(cell.address), cell.index, strict=True)
        if axis.name not in ("batch", "one")
    ]


def cell_title(cell: Cell) -> str:
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


def visited_number(trace: Trace, cell: Cell, look: FigureStyle) -> dict[str, Any]:
    """One number of the way, for the list of those visited."""
    site = site_at(cell.address)
    value = float(trace[cell.address][cell.index])
    return {
        "name": say(f"trail.short.{site.group}.{site.name}"),
        "where": " · ".join(name for _, name in _places(trace, cell)),  # "2 · it · animal"
        "place": place(cell.address),
        "value": format_number(value, look.precision),
        "colour": look.colour(site.role),
        "go": cell_data(cell),
    }


def cell_data(cell: Cell) -> dict[str, Any]:
    """A cell as the browser sends it back."""
    return {"address": cell.address, "index": list(cell.index)}


def term_rows(node: Node, look: FigureStyle) -> list[dict[str, Any]]:
    """The largest terms with their factors, and the rest in one row.

    The term that belongs to the cell itself always stands among them, first.
    """
    terms, others, rest = node.shown(SHOWN)
    written = [_row(term, look) for term in terms]
    if others:
        name = say("trail.rest", count=others)
        written.append({"label": name, "factors": []} | _bar(rest, look))
    return written


def _row(term: Term, look: FigureStyle) -> dict[str, Any]:
    return {
        "label": term_label(term),
        "factors": [_factor(factor, look) for factor in term.factors],
        "own": term.own,
    } | _bar(term.contribution, look)


def _bar(number: float, look: FigureStyle) -> dict[str, Any]:
    """A number and its bar; NaN and ∞ are no JSON: such a term has no bar, its number is text."""
    value = number if math.isfinite(number) else None
    return {"value": value, "number": format_number(number, look.precision)}


def term_label(named: Term) -> str:
    """What a term stands for."""
    if named.kind == "part":
        return ""
    if named.kind in ("token", "word"):
        return visible(named.text)
    text = say(f"trail.label_{named.kind}", index=named.index + 1)
    return text if named.head is None else say("trail.of_head", label=text, head=named.head + 1)


def _factor(factor: Factor, look: FigureStyle) -> dict[str, Any]:
    role = COLOURS.get(factor.role, "data")
    learned = factor.parameter is not None
    name = say(f"trail.role_{factor.role}")
    if factor.parameter is not None:
        index = ", ".join(map(str, factor.parameter.index))
        name = say("trail.learned", name=name, parameter=f"{factor.parameter.address}[{index}]")
    return {
        "sign": SIGNS[factor.role],
        "name": name,
        "number": format_number(factor.value, look.precision),
        "exact": format_number(factor.value, LONG),
        "colour": look.colour("text" if learned else role),
        "learned": learned,
        "go": [cell_data(cell) for cell in factor.sources],
    }
