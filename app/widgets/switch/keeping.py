"""Experiments that the reader named and kept, in a pop-over: keep, go back to one, forget it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import experiments, state
from app.widgets.phrases import line
from app.widgets.text import literal
from app.words import say
from core.edits import Experiment

NAME = "experiment_name"  # what is typed, until it is kept
ROOM = 330  # pixels; more of them scroll


def show() -> None:
    """Draw the button and what it opens."""
    kept = experiments.kept()
    label = say("experiment.kept", count=len(kept)) if kept else say("experiment.keep_first")
    with st.popover(
        label, key="switch_kept", icon=":material/bookmark:", help=say("experiment.kept_help")
    ):
        _name()
        with st.container(height=ROOM if len(kept) > 4 else "content", border=False, gap="xsmall"):
            for place, (name, experiment) in enumerate(reversed(kept.items())):
                _row(place, name, experiment)


def name_of(experiment: Experiment) -> str:
    """The name under which these switches are kept; "" where they are not."""
    for name, each in experiments.kept().items():
        if each.switches == experiment.switches:
            return name
    return ""


def keep_typed() -> None:
    """Keep the present experiment under what was typed, or under its own line."""
    now = experiments.now()
    if now:
        experiments.keep(str(state.kept(NAME, "")).strip() or line(now))
        state.keep(NAME, "")


def _name() -> None:
    def take() -> None:
        state.keep(NAME, state.widget_value("experiment_name") or "")

    with st.container(horizontal=True, gap="xsmall", wrap=False, vertical_alignment="bottom"):
        st.text_input(
            say("experiment.name"),
            key=state.bind("experiment_name", state.kept(NAME, "")),
            max_chars=experiments.LONGEST_NAME,
            placeholder=say("experiment.name_hint"),
            disabled=not experiments.now(),
            on_change=take,
        )
        st.button(
            say("experiment.keep"),
            key="widget_keep",
            disabled=not experiments.now(),
            on_click=keep_typed,
        )


def _row(place: int, name: str, experiment: Experiment) -> None:
    with st.container(horizontal=True, gap="xsmall", wrap=False, vertical_alignment="center"):
        st.button(
            f"**{literal(name)}**  \n:small[{literal(_short(line(experiment)))}]",
            key=f"widget_load_{place}",
            help=say("experiment.load_help"),
            width="stretch",
            on_click=partial(experiments.put, experiment),
        )
        st.button(
            "×",
            key=f"widget_forget_{place}",
            type="tertiary",
            help=say("experiment.forget_help"),
            on_click=partial(experiments.forget, name),
        )


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
