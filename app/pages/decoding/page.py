"""The page: one question about the decoding on top, its answer below."""

import streamlit as st

from glassformer.app.pages.decoding import blanks
from glassformer.app.panels.panel import show_picker
from glassformer.app.runs import on_screen
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import on_top
from glassformer.app.words import say


def show() -> None:
    """Draw the question that the state names, and below it the panel that answers it."""
    put_sheet(__file__, "decoding.css")
    with st.container(key="decoding_page", gap="xsmall"):
        if on_screen.trace_on_screen().task == "fill_in":
            blanks.show(on_screen.trace_on_screen())
            return
        with st.container(key="decoding_top", horizontal=True, gap="medium"):
            panel = show_picker("decoding", "decoding_questions", say("decoding.question"))
            on_top(panel.say_top(), width="content")
        panel.show()


if __name__ == "__main__":
    show()
