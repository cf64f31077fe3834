"""The Walkthrough for two runs: the strip of steps stays, the step's result is the triple."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.figures.triple_layout import TripleLayout
from app.service import Pair
from app.widgets.beside import triple
from app.widgets.beside.triple import Asked, anchor
from app.widgets.beside.wording import place_words, titles
from app.widgets.style import put_sheet
from app.widgets.text import literal
from app.widgets.walkthrough import ahead, explain, strip
from app.widgets.walkthrough.focus import Focus
from app.words import say
from core.trace.sites import site_at

LAYOUT = TripleLayout(width=960, height=480)
KEY = "beside_walk"


def show(pair: Pair) -> None:
    """Draw the strip, what the step made in both runs, and what it does."""
    st.html(Path(__file__).parents[1] / "walkthrough" / "walkthrough.css")
    put_sheet(__file__, "walkthrough.css")
    focus = Focus.current()
    with st.container(key="walk_strip", gap=None):
        strip.show(focus)
        ahead.show(pictures=False)
    middle, right = st.columns([7, 3], gap="medium")
    with middle, st.container(key="beside_walk_middle", gap="xsmall"):
        address = focus.output.address
        words = f"{say(site_at(address).text_key)} · {place_words(address)}"
        triple.show(pair, Asked(address, pins=dict(focus.at(focus.output))), KEY, words, LAYOUT)
        st.caption(say("beside.numbers_of", title=literal(titles(pair)[anchor(pair)])))
    with right:
        explain.show()
