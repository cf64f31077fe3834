"""The page: the switches on the left, what they did in the middle and on the right."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import streamlit as st

from app import state
from app.widgets.switch import bar
from app.widgets.text import told
from app.words import say
from core.errors import GlassformerError

# Every group is a module of this folder with `show()`.
GROUPS = state.SWITCHES
WIDE = ("sweep", "batch")  # they fill the page: what they show is their own effect


def show() -> None:
    """Draw the group that the state names and, beside it, its effect."""
    st.html(Path(__file__).with_name("switch.css"))
    chosen = on_screen(state.get_state().switches)
    with st.container(key="switch_page", gap="xsmall"):
        bar.show()
        _groups(chosen)
        if chosen in WIDE:
            _part(chosen)
            return
        left, middle, right = st.columns([1.35, 1.9, 1.2], gap="medium")
        with left, st.container(key="switch_group", gap="small"):
            _part(chosen)
        with middle, st.container(key="switch_panel", gap="xsmall"):
            _part("panel")
        with right, st.container(key="switch_effect", gap="xsmall"):
            _part("effect")


@cache
def groups() -> tuple[str, ...]:
    """The groups that have a module, in their order."""
    return tuple(name for name in GROUPS if find_spec(f"{__package__}.{name}") is not None)


def on_screen(name: str) -> str:
    """The group to show for the state's: itself, or the first one."""
    return name if name in groups() else groups()[0]


def _part(name: str) -> None:
    module: ModuleType = import_module(f"{__package__}.{name}")
    try:
        module.show()
    except GlassformerError as error:
        st.warning(told(error))


def _groups(chosen: str) -> None:
    labels = {name: say(f"switch.group_{name}") for name in groups()}

    def take() -> None:
        state.update(switches=state.widget_value("switch_groups"))

    st.segmented_control(
        say("switch.groups"),
        groups(),
        key=state.bind("switch_groups", chosen),
        format_func=labels.__getitem__,
        required=True,
        label_visibility="collapsed",
        width="content",
        on_change=take,
    )
