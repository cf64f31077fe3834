"""The page: the strip of steps on top, the step in the middle, what it means on the right."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.widgets.walkthrough import explain, scene, strip
from app.widgets.walkthrough.focus import Focus


def show() -> None:
    """Draw the step in view."""
    st.html(Path(__file__).with_name("walkthrough.css"))
    focus = Focus.current()
    strip.show(focus)
    middle, right = st.columns([7, 3], gap="medium")
    with middle, st.container(key="walk_middle"):
        scene.show(focus)
    with right:
        explain.show(focus)
