"""The page: the strip of steps on top, the step in the middle, what it means on the right."""

import streamlit as st

from glassformer.app.pages.walkthrough import ahead, code, strip
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.pages.walkthrough.scene import scene
from glassformer.app.ui.layout import box
from glassformer.app.ui.style import put_sheet


def show() -> None:
    """Draw the places of the step; the browser fills them with the step that the reader is at."""
    put_sheet(__file__, "walkthrough.css")
    with st.container(key="walk_strip", gap=None):
        strip.show(StepFocus.current())
        ahead.show()
    middle, right = st.columns([7, 3], gap="medium")
    with middle, box("fill grows", "walk_middle"):
        scene.show()
    with right:
        code.show_explain()


if __name__ == "__main__":
    show()
