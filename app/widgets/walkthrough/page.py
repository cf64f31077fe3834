"""The page: the strip of steps on top, the step in the middle, what it means on the right."""

from __future__ import annotations

import streamlit as st

from app.widgets.style import put_sheet
from app.widgets.walkthrough import ahead, explain, scene, strip
from app.widgets.walkthrough.focus import Focus


def show() -> None:
    """Draw the places of the step; the browser fills them with the step that the reader is at."""
    put_sheet(__file__, "walkthrough.css")
    with st.container(key="walk_strip", gap=None):
        strip.show(Focus.current())
        ahead.show()
    middle, right = st.columns([7, 3], gap="medium")
    with middle, st.container(key="walk_middle"):
        scene.show()
    with right:
        explain.show()
