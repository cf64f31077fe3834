"""The page: one question about the vectors on top, its answer below."""

from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.state import VECTORS
from glassformer.app.ui.pick import draw_choice, set_field
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import on_top
from glassformer.app.words import say

STACKS = ("encoder", "decoder")
IN_ONE_STACK = ("lens", "attribution")  # the generator reads one stack alone


def show(answer: Callable[[str], None] | None = None) -> None:
    """Draw the question that the state names: a module of this folder with `show()`.

    answer: draws another answer to it, under the same pickers.
    """
    put_sheet(__file__, "vectors.css")
    chosen = store.get_state().vectors
    with st.container(key="vectors_page", gap="xsmall"):
        with st.container(key="vectors_top", horizontal=True, gap="medium"):
            draw_choice("vectors_vectors", "vectors.vectors", VECTORS, chosen, set_field("vectors"))
            if chosen not in IN_ONE_STACK and on_screen.trace_on_screen().config.has_both:
                stack = store.get_state().stack
                draw_choice("vectors_stack", "vectors.stack", STACKS, stack, set_field("stack"))
            on_top(escape(_top(chosen)), width="content")
        (answer or partial(show_part, "glassformer.app.pages.vectors"))(chosen)


def _top(chosen: str) -> str:
    """What one sees, in a sentence."""
    config = on_screen.trace_on_screen().config
    if chosen == "positions" and not config.adds_positions:
        return say(f"vectors.top_positions_{config.positions}")
    if chosen == "lens" and not config.has_both:
        return say("vectors.top_lens_alone")
    return say(f"vectors.top_{chosen}")


if __name__ == "__main__":
    show()
