"""The line that says which words are given by hand, where another question put them there."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import state
from app.figures.labels import visible
from app.widgets.decoding.tried import Tried
from app.widgets.text import literal
from app.words import say


def show(tried: Tried, forced: Mapping[int, int], key: str) -> None:
    """Draw it, with a way out; nothing where nothing is given."""
    if not forced:
        return
    size = len(tried.trace.vocabulary)
    words = ", ".join(
        say(
            "beam.forced_word",
            step=place + 1,
            word=literal(visible(tried.token(id) if id < size else f"#{id}")),
        )
        for place, id in sorted(forced.items())
    )
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(say("beam.forced", words=words), width="content")
        st.button(say("beam.release"), key=f"{key}_release", type="tertiary", on_click=_release)


def _release() -> None:
    state.update(forced=())
