"""The page: one question about the decoding on top, its answer below."""

from __future__ import annotations

import streamlit as st

from app import state
from app.widgets.parts import show_part
from app.widgets.pick import into, segments
from app.widgets.style import put_sheet
from app.words import say


def show() -> None:
    """Draw the question that the state names: a module of this folder with `show()`."""
    put_sheet(__file__, "decoding.css")
    chosen = state.get_state().decoding
    labels = {name: say(f"decoding.question_{name}") for name in state.DECODING}
    with st.container(key="decoding_page", gap="xsmall"):
        segments("decoding_questions", say("decoding.questions"), labels, chosen, into("decoding"))
        show_part(__package__, chosen)
