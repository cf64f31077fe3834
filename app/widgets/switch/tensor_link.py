"""What a link has of the form for tensors: used where such a form can hold it."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from app import state
from app.widgets.switch.tensor_draft import ACTS, START, WORDS
from core.trace.sites import AxisName

LONGEST = 2000  # characters of an input
LAST = 999_999  # of a place and of a draw


def check() -> None:
    """Leave out what a link has of the form and no form can be, and say so."""
    try:
        form = state.sections(state.get_state().draft).get("form", {})
        fitting = all(_fits(name, value) for name, value in form.items())
    except ValueError:
        fitting = False
    if not fitting:
        state.drop("draft")
        st.rerun()


def _fits(name: str, value: Any) -> bool:
    if name == "act":
        return value in ACTS
    if name == "draw":
        return type(value) is int and 0 <= value <= LAST
    if name in START and name != "origin":
        return isinstance(value, str) and len(value) <= LONGEST
    axis = name.removeprefix("at_")
    if name != "origin" and (axis == name or axis not in get_args(AxisName)):
        return False
    if isinstance(value, str) and name != "origin" and axis not in (*WORDS, "head"):
        return len(value) <= LONGEST
    places = value if isinstance(value, tuple) and axis in (*WORDS, "head", "origin") else None
    return places is not None and all(type(at) is int and 0 <= at <= LAST for at in places)
