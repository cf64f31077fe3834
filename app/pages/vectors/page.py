"""The page: one question about the vectors on top, its answer below."""

from collections.abc import Callable

import streamlit as st

from glassformer.app.panels.panel import Panel, show_picker
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import on_top
from glassformer.app.words import say

STACKS = ("encoder", "decoder")


def show(draw: Callable[[Panel], None] = Panel.show) -> None:
    """Draw the question that the state names, and below it the panel that answers it."""
    put_sheet(__file__, "vectors.css")
    with st.container(key="vectors_page", gap="xsmall"):
        with st.container(key="vectors_top", horizontal=True, gap="medium"):
            panel = show_picker("vectors", "vectors_vectors", say("vectors.vectors"))
            if panel.of_a_stack and on_screen.trace_on_screen().config.has_both:
                stack = store.get_state().stack
                draw_choice("vectors_stack", "vectors.stack", STACKS, stack, set_field("stack"))
            on_top(panel.say_top(), width="content")
        draw(panel)


if __name__ == "__main__":
    show()
