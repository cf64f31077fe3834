"""What surrounds every page: style, switches on top, stage bar, messages, settings."""

from __future__ import annotations

import streamlit as st

from app import service, state
from app.widgets import escape, settings
from app.widgets.corner import show_switches
from app.widgets.stage_bar import focus, sentence
from app.widgets.style import apply_style
from app.widgets.text import literal, told
from app.words import say


def show() -> None:
    """Draw the frame and bring the trace of the state; stops where there is nothing to show.

    After it, `service.on_screen()` is the trace to draw and `state.get_state()` fits it.
    """
    apply_style(state.get_state().size)
    show_switches()
    outcome = service.current()
    if outcome.trace is not None:
        state.settle(outcome.trace)
    escape.listen()
    with st.container(key="stage_bar", gap=None):
        sentence.show()
        focus.show(outcome.trace, message(outcome))
    settings.show(outcome.trace)
    if outcome.trace is None:
        st.stop()


def message(outcome: service.Outcome) -> str:
    """What the reader must know about what is on screen, as markdown; "" if nothing."""
    parts = []
    if outcome.error is not None:
        parts.append(told(outcome.error))
        if outcome.trace is not None:
            parts.append(say("frame.stale", text=literal(outcome.trace.source_text)))
    if names := state.dropped():
        parts.append(say("frame.dropped", names=literal(", ".join(names))))
    return ("" if state.get_state().language == "zh" else " ").join(parts)
