"""The way from any tensor to the step of the Walkthrough that makes it."""

from __future__ import annotations

import streamlit as st

from app import state
from app.words import say
from core.trace.trace import Trace
from core.walk.steps import step_of, walk

PAGE = "app/views/walkthrough.py"


def walk_button(trace: Trace, address: str, name: str, /, **selection: object) -> None:
    """Draw the button that opens the Walkthrough at a tensor's step; nothing where it has none.

    name: the button's key, unique on the page. selection: what to choose there, as fields of the
    state.
    """
    step = step_of(walk(trace), address)
    if step is not None and st.button(
        say("frame.to_walkthrough"),
        key=name,
        help=say("frame.to_walkthrough_help"),
        type="tertiary",
        icon=":material/footprint:",
    ):
        state.update(walk=step.id, address=address, **selection)
        st.switch_page(PAGE)
