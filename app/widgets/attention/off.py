"""Heads that are switched off: which are, how, and a button for the one in focus."""

from __future__ import annotations

from typing import cast

import streamlit as st

from app import experiments, service, state
from app.words import say
from core.edits import Experiment, per_head
from core.edits.heads import Way
from core.reading.attention_views import Kind, attention_at
from core.trace.trace import Trace


def off_heads(trace: Trace) -> dict[tuple[str, int], Way]:
    """The heads that were off when a run was made, by attention and head; {} for a plain run."""
    made_under = tuple(each for each in experiments.now().switches if each.text in trace.edits)
    return per_head.silenced(Experiment(made_under), trace.config)


def way() -> Way:
    """What heads that are switched off say: nothing, or their mean."""
    off = per_head.silenced(experiments.now(), service.on_screen().config)
    return next(reversed(off.values()), None) or cast(Way, state.get_state().off)


def off_button(key: str) -> None:
    """A small button that switches the head in focus off, or on again."""
    now, config = state.get_state(), service.on_screen().config
    where, head = attention_at(cast(Kind, now.kind), now.layer), now.head
    is_off = head is not None and (where, head) in per_head.silenced(experiments.now(), config)

    def take() -> None:
        if head is not None:
            switched = per_head.toggled(experiments.now(), config, where, head, way())
            experiments.put(switched)

    file = service.file() is not None  # only the model can compute another run
    why = say("errors.file_model") if file else say("switch_heads.turn_help")
    st.button(
        say("switch_heads.turn_on" if is_off else "switch_heads.turn_off"),
        key=key,
        icon=":material/power_settings_new:",
        type="primary" if is_off else "secondary",
        disabled=file or head is None,
        help=say("switch_heads.turn_none") if head is None else why,
        on_click=take,
    )
