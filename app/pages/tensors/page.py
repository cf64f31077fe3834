"""The page: the tree on the left; the picked tensor, its numbers and its files on the right."""

import streamlit as st

from glassformer.app.pages.tensors import controls, facts, picture, telling
from glassformer.app.pages.tensors.nearby import tensor_answers
from glassformer.app.panels import answers, provenance
from glassformer.app.panels.address_words import on_screen_lines, snippet
from glassformer.app.runs import on_screen
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.style import put_sheet
from glassformer.core.analysis.tensor_slice import cut_sheet
from glassformer.core.trace.trace import Trace


def show() -> None:
    """Draw the page for the run on screen."""
    put_sheet(__file__, "tensors.css")
    trace = on_screen.trace_on_screen()
    tree, tensor = st.columns([28, 72], gap="medium")
    opening = controls.nothing_picked()
    with tree:
        controls.show_tree(
            trace, current_look(), "" if opening else controls.address_on_screen(trace)
        )
    with tensor:
        if opening:
            telling.show(trace, current_look())
        else:
            _tensor(trace)


@st.fragment
@wait_for_turn
def _tensor(trace: Trace) -> None:
    """Everything about the picked tensor; other axes or another index leave the tree alone."""
    provenance.redraw()
    look, address = current_look(), controls.address_on_screen(trace)
    facts.show_title(trace, address, look)
    chosen = controls.plan_of_state(trace, address)
    sheet = controls.show(trace, address, chosen)
    left, right = st.columns(controls.WIDTHS, gap="medium")
    with left, st.container(gap="xsmall"):
        whole = controls.measure_of(trace, address)
        picture.show(trace, address, chosen, sheet, whole, store.get_state().form)
        with st.container(key="tensors_code"):
            st.code(snippet(trace, address, chosen, on_screen_lines(trace)), language="python")
    with right:
        facts.show(trace, address, sheet, whole, look)
        facts.show_downloads(trace, address)
    if store.get_state().form == "picture":
        answers.show(lambda: tensor_answers(draw_there))


def draw_there(trace: Trace, address: str, there: State) -> None:
    """Draw the picture of a tensor as a state has it, alone."""
    chosen = controls.plan_of_state(trace, address, there)
    sheet = controls.fit_sheet(cut_sheet(trace, address, chosen), there)
    whole = controls.measure_of(trace, address)
    picture.draw_picture(trace, address, chosen, sheet, whole, current_look())


if __name__ == "__main__":
    show()
