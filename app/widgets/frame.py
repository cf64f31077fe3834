"""What surrounds every page: style, switches on top, stage bar, messages, settings."""

from __future__ import annotations

import streamlit as st

from app import experiments, service, state
from app.widgets import escape, settings
from app.widgets.attention.measured import first_head
from app.widgets.corner import show_switches
from app.widgets.stage_bar import focus, left_out, sentence
from app.widgets.stage_bar.notices import notices
from app.widgets.style import apply_style

WITH_A_HEAD = ("attention", "training")  # pages that open on a head that shows something


def show() -> None:
    """Draw the frame and bring the trace of the state; stops where there is nothing to show.

    After it, `service.on_screen()` is the trace to draw and `state.get_state()` fits it.
    """
    apply_style(state.get_state().size)
    show_switches()
    outcome = service.current()
    if outcome.trace is not None:
        if state.page() in WITH_A_HEAD:
            state.open_on(*first_head(outcome.trace))
        state.settle(outcome.trace)
    experiments.remember()
    escape.listen()
    with st.container(key="stage_bar", gap=None):
        sentence.show()
        focus.show(outcome.trace, notices(outcome))
        left_out.show()
    settings.show(outcome.trace)
    if outcome.trace is None:
        st.stop()
