"""Right: what the step does and why, its formula in this sentence's numbers, its code."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.widgets.walkthrough import code, explanation


def show() -> None:
    """Draw the column; its parts stand at the same height in every step."""
    st.html(Path(__file__).with_name("explain.css"))
    with st.container(key="walk_explain", gap=None):
        explanation.show()
        with st.container(key="walk_code_place"):
            code.show()
