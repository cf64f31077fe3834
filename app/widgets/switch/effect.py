"""What a switch did: to the translation word by word, or to the vectors from layer to layer."""

from __future__ import annotations

import streamlit as st

from app import experiments, service, state
from app.service import Pair
from app.widgets.pick import into, segments
from app.widgets.style import put_sheet
from app.widgets.switch import effect_ripple, effect_words
from app.widgets.text import literal
from app.words import say
from core.errors import GlassformerError

VIEWS = {"words": effect_words, "ripple": effect_ripple}


def show() -> None:
    """Draw what the pair of runs on screen has to tell, or what to do where there is none."""
    put_sheet(__file__, "effect.css")
    pair = service.pair()
    if pair is None:
        _nothing()
        return
    _head(pair)
    try:
        forced = service.forced()
    except GlassformerError as error:
        if error.key != "decoding_range":
            raise
        st.info(say("effect.too_long"))
        return
    assert forced is not None  # there is a pair
    with st.container(key="effect_view", gap=None):
        VIEWS[state.get_state().result].show(pair, forced)


def _head(pair: Pair) -> None:
    labels = {name: say(f"effect.{name}") for name in VIEWS}
    now = state.get_state().result

    with st.container(
        key="effect_head", horizontal=True, vertical_alignment="center",
        horizontal_alignment="distribute", gap="small",
    ):  # fmt: skip
        st.markdown(f"**{say(f'effect.title_{pair.kind}')}**", width="content")
        segments("switch_result", say("effect.show"), labels, now, into("result"))
    st.caption(say(f"effect.about_{now}_{pair.kind}"))


def _nothing() -> None:
    trace, asked = service.on_screen(), experiments.now()
    with st.container(key="effect_nothing", gap="small"):
        if asked:
            st.markdown(f"**{say('effect.not_run')}**")
            st.markdown(say("effect.not_run_do"))
            return
        st.markdown(f"**{say('effect.nothing')}**")
        st.markdown(f"{say('effect.nothing_now')} **{literal(trace.output_text)}**")
        st.markdown(say("effect.nothing_do"))
