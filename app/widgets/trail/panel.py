"""The drawer at the foot of every page: one number, what it was made of, and the way so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from app import service, state
from app.admission import admitted
from app.figures.labels import format_number
from app.figures.theme import Look
from app.widgets.chart import current_look
from app.widgets.phrases import line
from app.widgets.style import put_sheet
from app.widgets.text import literal, told
from app.widgets.trail import opening, written
from app.widgets.trail.trail_view import trail_view
from app.widgets.walk_link import walk_button
from app.widgets.walkthrough.focus import selected
from app.words import say
from core.edits import Experiment
from core.errors import GlassformerError
from core.trace.trace import Trace
from core.trail.node import Node
from core.trail.run import Weights
from core.trail.unfold import following, path, unfold
from core.walk.wires import Wire

TICKS = {"agrees": "✓", "edited": "✎", "differs": "≠", "given": "•"}


def show() -> None:
    """Draw the drawer where a number is unfolded; call it after the page."""
    if state.get_state().trail is not None:
        page = current_look().colour("page")
        put_sheet(__file__, "trail.css", f".st-key-trail {{ background: {page}; }}")
        _drawer()


@st.fragment
@admitted
def _drawer() -> None:
    """One step on the trail leaves the page alone."""
    cells = opening.visited()
    if not cells:
        st.rerun()  # closed: without the drawer's room at the foot of the page
    trace, look = service.on_screen(), current_look()
    with st.container(key="trail", gap="xsmall"):
        try:
            model = service.model_on_screen().transformer
            node = unfold(trace, model, cells[-1].address, cells[-1].index)
        except GlassformerError as error:
            st.warning(told(error))
            _button("close", opening.close)
            return
        _head(trace, model, node)
        way, number, terms = st.columns([22, 33, 45], gap="medium")
        with way:
            there = [cell for cell in cells if written.is_in(trace, cell)]
            crumbs = [written.crumb(trace, cell, look) for cell in there]
            trail_view("trail_way", {"way": crumbs, "title": say("trail.way")}, look)
        with number, st.container(key="trail_number", gap="xsmall"):
            _number(node, look)
        with terms:
            data = {"rows": written.rows(node, look), "title": _terms_title(node)}
            trail_view("trail_terms", data, look)


def _head(trace: Trace, model: Weights, node: Node) -> None:
    """The title, and the buttons that go on, to the words, to the Walkthrough, and out."""
    cells, onward = opening.visited(), following(node)

    def back() -> None:
        opening.go(cells[-2])

    def largest() -> None:
        if onward is not None:
            opening.go(onward)

    def to_the_words() -> None:
        opening.go(*(each.cell for each in path(trace, model, node.cell)))

    with st.container(key="trail_head", horizontal=True, gap="small", vertical_alignment="center"):
        words = literal(written.where(trace, node.cell))
        st.markdown(f"**{literal(written.title(node.cell))}** · {words}", width="stretch")
        _button("back", back, disabled=len(cells) < 2)
        _button("largest", largest, disabled=onward is None)
        _button("words", to_the_words, disabled=onward is None)
        walk_button(trace, node.cell.address, "trail_walk", **selection(trace, node))
        _button("close", opening.close)


def _button(name: str, act: Callable[[], None], disabled: bool = False) -> None:
    st.button(
        say(f"trail.{name}"),
        key=f"trail_{name}",
        help=say(f"trail.{name}_help"),
        on_click=act,
        disabled=disabled,
        type="tertiary",
    )


def selection(trace: Trace, node: Node) -> dict[str, object]:
    """The cell's place as the one selection of all pages has it."""
    axes = zip(trace.axes(node.cell.address), node.cell.index, strict=True)
    at: dict[str, int] = {axis.name: index for axis, index in axes}
    return selected(trace, Wire(node.cell.address), at)


def _number(node: Node, look: Look) -> None:
    """The formula, the number recorded and recomputed, and what stands on the way."""
    st.markdown(say(f"trail.operation_{node.operation}"))
    st.latex(node.formula)
    recorded, exact = (format_number(each, written.LONG) for each in (node.recorded, node.exact))
    switches = _switches(node)
    # A run under switches may differ only where one of them reached in.
    verdict = "differs" if node.edited and not switches else node.verdict
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
        f"${fact.symbol} = {format_number(fact.value, look.precision)}$ :small[{name}]"
        for fact in node.facts
        for name in [say(f"trail.fact_{fact.key}")]
    ]
    if facts:
        st.markdown(" &emsp; ".join(facts))
    for note in node.notes:
        st.caption(say(f"trail.note_{note}"))


def _switches(node: Node) -> str:
    """What is switched at a number that is not what was computed; "" where nothing is."""
    if not node.edited:
        return ""
    applied = service.experiment()
    plain = service.get_setting(*service.made_by())
    asked = replace(plain, config=applied.config(plain.config))
    return line(Experiment(applied.changing(node.cell.address, asked)))


def _terms_title(node: Node) -> str:
    if not node.groups:
        return say("trail.no_terms")
    return say(f"trail.outer_{node.outer}")
