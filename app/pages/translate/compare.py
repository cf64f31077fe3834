"""The Translate page for two runs: both sentences, both translations, and every word's odds."""

from html import escape

import streamlit as st

from glassformer.app.panels.compare import largest, pickers
from glassformer.app.panels.compare.triple import anchor_run
from glassformer.app.panels.compare.wording import titles, word_table
from glassformer.app.panels.words.words_panel import (
    attention_in_focus,
    cross_pickers,
    draw_word_lines,
)
from glassformer.app.runs import on_screen
from glassformer.app.session import store
from glassformer.app.session.memory import Pair
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.components.word_lines import NO_STEP, Pin
from glassformer.app.ui.layout import box
from glassformer.app.ui.style import put_sheet
from glassformer.app.words import say
from glassformer.core.analysis.choices import chosen_otherwise
from glassformer.core.analysis.comparison import pair_words


def show(pair: Pair) -> None:
    """Draw a panel of lines for each run, and the words' probabilities beside them."""
    put_sheet(__file__, "compare.css")
    now = store.get_state()
    largest.show(pair, "beside")
    layer, head = attention_in_focus(now, on_screen.trace_on_screen())
    with pickers.picker_row("translate"):
        cross_pickers("beside_translate", pair.first, layer, head)
    columns = st.columns([1, 1, 1.05], gap="medium")
    runs = pair.first, pair.second
    for run, (place, name) in enumerate(zip(columns[:2], titles(pair), strict=True)):
        with place, st.container(gap="xsmall"):
            _lines(pair, run, name, layer, head)
    with columns[2], st.container(gap="xsmall"):
        st.markdown(f"**{say('beside.words_title')}**")
        with box("fill scroll", "beside_words"):
            st.html(word_table(runs, titles(pair), current_look()))
        with box("note", "beside_words_notes"):
            parts = [say("beside.words_note")]
            if any(map(chosen_otherwise, runs)):
                parts.append(say("beside.chosen_otherwise"))
            st.caption(" ".join(parts))


def _lines(pair: Pair, run: int, name: str, layer: int, head: int | None) -> None:
    trace = (pair.first, pair.second)[run]
    st.html(
        f'<div class="beside-output"><span>{escape(name)}</span>'
        f'<b lang="{trace.language}">{escape(trace.full_text)}</b></div>'
    )
    with box("fill tall", f"beside_lines_place_{run}", gap=None):
        draw_word_lines(
            trace, layer, head, _pin_in(pair, run), NO_STEP,
            lambda pin: _pinned(pair, run, pin), key=f"beside_lines_{run}",
        )  # fmt: skip


def partner_word(pair: Pair, side: str, place: int, run: int, other: int) -> int | None:
    """Which word of the other run stands beside a word of a run; None where none does."""
    first, second = (
        trace.source_tokens if side == "source" else trace.output_tokens
        for trace in (pair.first, pair.second)
    )
    found = pair_words(first, second, by_place=pair.kind == "experiment")
    return next((each[other] for each in found if each[run] == place), None)


def _pin_in(pair: Pair, run: int) -> Pin | None:
    """The pinned word of the run on screen, or its partner in the other run."""
    side, place = store.get_state().token or ("", 0)
    at = partner_word(pair, side, place, anchor_run(pair), run) if side else None
    return None if at is None else Pin(side, at)


def _pinned(pair: Pair, run: int, pin: Pin | None) -> None:
    """Keep the clicked word as a place of the run on screen; one without a partner is released."""
    at = partner_word(pair, pin.side, pin.place, run, anchor_run(pair)) if pin else None
    store.update(token=(pin.side, at) if pin and at is not None else None)
