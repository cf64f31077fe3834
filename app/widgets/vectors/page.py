"""The page: one question about the vectors on top, its answer below."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from app import state
from app.widgets.parts import show_part
from app.widgets.pick import into, segments
from app.widgets.style import put_sheet
from app.words import say

STACKS = ("encoder", "decoder")
IN_ONE_STACK = ("lens",)  # the generator reads the decoder alone


def show(answer: Callable[[str], None] | None = None) -> None:
    """Draw the question that the state names: a module of this folder with `show()`.

    answer: draws another answer to it, under the same pickers.
    """
    put_sheet(__file__, "vectors.css")
    chosen = state.get_state().vectors
    with st.container(key="vectors_page", gap="xsmall"):
        with st.container(key="vectors_top", horizontal=True, gap="medium"):
            _choice("vectors", state.VECTORS, chosen)
            if chosen not in IN_ONE_STACK:
                _choice("stack", STACKS, state.get_state().stack)
        (answer or _answer)(chosen)


def _answer(question: str) -> None:
    show_part(__package__, question)


def _choice(name: str, options: tuple[str, ...], value: str) -> None:
    labels = {option: say(f"vectors.{name}_{option}") for option in options}
    segments(f"vectors_{name}", say(f"vectors.{name}"), labels, value, into(name))
