"""The page: the switches on the left, what they did in the middle and on the right."""

from __future__ import annotations

import streamlit as st

from app import service, state
from app.widgets.opening import instead
from app.widgets.parts import show_part
from app.widgets.pick import segments
from app.widgets.style import put_sheet
from app.widgets.switch import bar
from app.words import say

ATTENTION = ("masks", "heads")  # with these, attention comes into view
WIDE = ("sweep", "batch")  # they fill the page: what they show is their own effect


def show() -> None:
    """Draw the group that the state names, a module of this folder, and beside it its effect.

    A run of a file cannot be switched: only its model can compute another one.
    """
    if service.file() is not None:
        instead.show("switch")
        return
    put_sheet(__file__, "switch.css")
    chosen = state.get_state().switches
    labels = {name: say(f"switch.group_{name}") for name in state.SWITCHES}
    with st.container(key="switch_page", gap="xsmall"):
        bar.show()
        segments("switch_groups", say("switch.groups"), labels, chosen, go_to)
        if chosen in WIDE:
            show_part(__package__, chosen)
            return
        left, middle, right = st.columns([1.35, 1.9, 1.2], gap="medium")
        with left, st.container(key="switch_group", gap="small"):
            show_part(__package__, chosen)
        with middle, st.container(key="switch_panel", gap="xsmall"):
            show_part(__package__, "panel")
        with right, st.container(key="switch_effect", gap="xsmall"):
            show_part(__package__, "effect")


def go_to(group: str) -> None:
    """Show another group; the panel leaves a tensor that an example brought into view."""
    state.update(switches=group, **({"address": ""} if group in ATTENTION else {}))
