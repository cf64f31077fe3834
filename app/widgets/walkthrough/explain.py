"""Right: what the step does and why, its formula in this sentence's numbers, its code."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.widgets.parts import show_part
from app.widgets.walkthrough import code, text
from app.widgets.walkthrough.focus import Focus


def show(focus: Focus) -> None:
    """Draw the column; its parts stand at the same height in every step."""
    st.html(Path(__file__).with_name("explain.css"))
    with st.container(key="walk_explain", gap=None):
        with st.container(key="walk_text"):
            st.markdown(text.text(focus))
        show_part(__package__, "formula", focus)
        with st.container(key="walk_code_place"):
            code.show(focus)
