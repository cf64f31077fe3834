"""Which word made this word, for the step in focus."""

import streamlit as st

from glassformer.app.pages.decoding.run import Decoding, take_back
from glassformer.app.pages.decoding.strip import draw_strip
from glassformer.app.panels import which_word
from glassformer.app.panels.which_word import Question
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look


def show() -> None:
    """Draw the strip of the steps, and what made the word of the one in focus."""
    decoding = Decoding.current()
    place = decoding.place(store.get_state())
    with st.container(key="which_word_strip"):
        draw_strip(decoding.run, place, take_back, "which_word_steps", bars=False)
    run = decoding.run.trace
    which_word.show(Question(run, decoding.model, decoding.edits, place, current_look()))
