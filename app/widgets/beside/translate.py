"""The Translate page for two runs: both sentences, both translations, and every word's odds."""

from __future__ import annotations

from html import escape

import streamlit as st

from app import service, state
from app.figures.colours import head_colour
from app.figures.theme import Look
from app.service import Pair
from app.widgets.beside import pickers
from app.widgets.beside.triple import anchor
from app.widgets.beside.word_table import word_table
from app.widgets.beside.wording import titles
from app.widgets.chart import current_look
from app.widgets.style import put_sheet
from app.widgets.translate.focus import attention_in_focus
from app.widgets.translate.words_panel import line_texts
from app.widgets.word_lines import NO_STEP, Pin, output_chips, source_chips, word_lines
from app.words import say
from core.reading.alignment import Place, paired
from core.reading.attention_views import head_map
from core.reading.choices import chosen_otherwise
from core.trace.trace import Trace


def show(pair: Pair) -> None:
    """Draw a panel of lines for each run, and the words' probabilities beside them."""
    put_sheet(__file__, "translate.css")
    now = state.get_state()
    layer, head = attention_in_focus(now, service.on_screen())
    with pickers.row("translate"):
        count = pair.first.config.decoder_layers
        pickers.layers(count, layer, lambda at: _take(at, head), "beside_translate")
        pickers.heads(pair.first, head, lambda at: _take(layer, at), "beside_translate")
    columns = st.columns([1, 1, 1.05], gap="medium")
    runs = pair.first, pair.second
    for run, (place, name) in enumerate(zip(columns[:2], titles(pair), strict=True)):
        with place, st.container(gap="xsmall"):
            _lines(pair, run, name, layer, head)
    with columns[2], st.container(gap="xsmall"):
        st.markdown(f"**{say('beside.words_title')}**")
        with st.container(key="beside_words"):
            st.html(word_table(runs, titles(pair), current_look()))
        with st.container(key="beside_words_notes"):
            parts = [say("beside.words_note")]
            if any(map(chosen_otherwise, runs)):
                parts.append(say("beside.chosen_otherwise"))
            st.caption(" ".join(parts))


def _take(layer: int, head: int | None) -> None:
    state.update(kind="cross", layer=layer, head=head)


def _lines(pair: Pair, run: int, name: str, layer: int, head: int | None) -> None:
    trace = (pair.first, pair.second)[run]
    look = current_look()
    st.html(
        f'<div class="beside-output"><span>{escape(name)}</span>'
        f'<b lang="{trace.direction.rpartition("-")[2]}">{escape(trace.full_text)}</b></div>'
    )
    with st.container(key=f"beside_lines_place_{run}", gap=None):
        word_lines(
            source_chips(trace),
            output_chips(trace),
            head_map(trace, "cross", layer, head, "weights").weights,
            _pin_in(pair, run),
            NO_STEP,
            lambda pin: _pinned(pair, run, pin),
            colours=_colours(look, head),
            texts=line_texts(),
            key=f"beside_lines_{run}",
        )


def _colours(look: Look, head: int | None) -> dict[str, str]:
    line = look.colour("weights") if head is None else head_colour(head, look.dark)
    roles = {"probability": "data", "unsure": "key", "grey": "faint"}
    return {"line": line} | {name: look.colour(role) for name, role in roles.items()}


def partners(pair: Pair, side: str) -> tuple[Place, ...]:
    """Which word of one run stands beside which of the other."""
    words = [_words(trace, side) for trace in (pair.first, pair.second)]
    return paired(words[0], words[1], by_place=pair.kind == "experiment")


def _words(trace: Trace, side: str) -> tuple[str, ...]:
    return trace.source_tokens if side == "source" else trace.output_tokens


def _pin_in(pair: Pair, run: int) -> Pin | None:
    """The pinned word of the run on screen, or its partner in the other run."""
    token = state.get_state().token
    if token is None:
        return None
    side, place = token
    own = anchor(pair)
    for each in partners(pair, side):
        partner = each[run]
        if each[own] == place and partner is not None:
            return Pin(side, partner)
    return None


def _pinned(pair: Pair, run: int, pin: Pin | None) -> None:
    """Keep the clicked word as a place of the run on screen; one without a partner is released."""
    if pin is None:
        state.update(token=None)
        return
    own = anchor(pair)
    found = [each[own] for each in partners(pair, pin.side) if each[run] == pin.place]
    state.update(token=None if not found or found[0] is None else (pin.side, found[0]))
