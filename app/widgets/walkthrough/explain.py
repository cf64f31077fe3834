"""Right: what the step does and why, its formula in this sentence's numbers, its code."""

from __future__ import annotations

import streamlit as st

from app.widgets.style import put_sheet
from app.widgets.walkthrough import code, explanation


def show() -> None:
    """Draw the column; its parts stand at the same height in every step."""
    put_sheet(__file__, "explain.css")
    with st.container(key="walk_explain", gap=None):
        explanation.show()
        with st.container(key="walk_code_place"):
            code.show()
