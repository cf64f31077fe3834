"""A model that writes no word after word: what it would fill into each blank of a text."""

from html import escape

import streamlit as st

from glassformer.app.pages.decoding.figures.next_words import next_words
from glassformer.app.plots.labels import format_percent, visible
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.pick import menu
from glassformer.app.ui.text import literal, on_top
from glassformer.app.words import say
from glassformer.core.analysis.choices import blanks
from glassformer.core.trace.trace import Trace

WORDS = 12  # candidates of a position


def show(trace: Trace) -> None:
    """Say that nothing is decoded here; draw the candidates of a blank, or of any other word."""
    on_top(escape(say("decoding.top_fill_in")))
    st.markdown(say("decoding.fill_in"))
    if not trace.config.has_generator:
        st.info(say("decoding.no_generator"))
        return
    empty = blanks(trace)
    if not empty:
        st.info(say("decoding.no_blank"))
    place = _place(trace, empty)
    order = [*empty, *(at for at in range(len(trace.source_tokens)) if at not in empty)]
    labels = {at: f"{at + 1} {visible(trace.source_tokens[at])}" for at in order}

    def take(at: int) -> None:
        store.update(token=("source", at))

    menu("blanks_place", say("decoding.place"), labels, place, take, bare=False, width=240)
    _candidates(trace, place)


def _place(trace: Trace, empty: tuple[int, ...]) -> int:
    """The position in focus: the pinned word, else the first blank, else a word."""
    token = store.get_state().token
    if token is not None:
        return min(token[1], len(trace.source_tokens) - 1)
    return empty[0] if empty else min(1, len(trace.source_tokens) - 1)


def _candidates(trace: Trace, place: int) -> None:
    look, found = current_look(), trace.candidates(place, WORDS)
    words, shares = [each.token for each in found], [each.probability for each in found]
    word = visible(trace.source_tokens[place])
    left, _ = st.columns([3, 2])
    with left:
        st.markdown(f"**{say('decoding.candidates', place=place + 1, word=literal(word))}**")
        rest = say("timeline.rest", count=f"{len(trace.vocabulary) - len(found):,}")
        others = max(0.0, 1.0 - sum(shares))
        figure = next_words(words, shares, 0, look, height=look.px(420), rest=(rest, others))
        alt = say("decoding.candidates_alt", word=words[0], percent=format_percent(shares[0]))
        with box("fill", "blanks_candidates"):
            show_chart(figure, "blanks", alt, fill=True)
