"""The Walkthrough for two runs: the strip of steps stays, the step's result is the triple."""

import streamlit as st

from glassformer.app.pages.walkthrough import ahead, code, strip
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.panels.address_words import place
from glassformer.app.panels.compare import triple
from glassformer.app.panels.compare.figures.triple_layout import TripleLayout
from glassformer.app.panels.compare.triple import Matrix, anchor_run
from glassformer.app.panels.compare.wording import titles
from glassformer.app.session.memory import Pair
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.trace.sites import site_at

LAYOUT = TripleLayout(width=960, height=480)
KEY = "beside_walk"


def show(pair: Pair) -> None:
    """Draw the strip, what the step made in both runs, and what it does."""
    put_sheet(__file__, "walkthrough.css")
    focus = StepFocus.current()
    with st.container(key="walk_strip", gap=None):
        strip.show(focus)
        ahead.show(pictures=False)
    middle, right = st.columns([7, 3], gap="medium")
    with middle, st.container(key="beside_walk_middle", gap="xsmall"):
        address = focus.output.address
        words = f"{say(site_at(address).text_key)} · {place(address)}"
        triple.show(pair, Matrix(address, pins=dict(focus.at(focus.output))), KEY, words, LAYOUT)
        st.caption(say("beside.numbers_of", title=literal(titles(pair)[anchor_run(pair)])))
    with right:
        code.show_explain()
