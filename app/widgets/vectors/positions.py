"""How positions are written into the words' vectors: six questions, one picture each (§3.5)."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import state
from app.widgets.pick import segments
from app.widgets.style import put_sheet
from app.widgets.vectors import (
    positions_dots,
    positions_map,
    positions_rotation,
    positions_same,
    positions_variants,
    positions_waves,
)
from app.widgets.vectors.positions_focus import FIRST_SPAN, Focus, spans
from app.words import say

OTHERS = ("notes", "halves")
VIEWS = {
    "map": positions_map,
    "waves": positions_waves,
    "dots": positions_dots,
    "rotation": positions_rotation,
    "same": positions_same,
    "variants": positions_variants,
}


def show() -> None:
    """Draw the question in view."""
    put_sheet(__file__, "positions.css")
    focus = Focus.current()
    with st.container(key="positions_page", gap="small"):
        _show_controls(focus)
        left, right = st.columns([2.15, 1], gap="medium")
        with left, st.container(key="positions_left", gap="xsmall"):
            VIEWS[focus.now.positions].picture(focus)
        with right, st.container(key="positions_right", gap="small"):
            VIEWS[focus.now.positions].says(focus)
            if focus.own == "none":
                st.caption(say("positions.none"))


def _show_controls(focus: Focus) -> None:
    view = focus.now.positions
    with st.container(
        key="positions_controls", horizontal=True, horizontal_alignment="distribute", gap="small"
    ):
        _choice(focus, "positions", "positions", tuple(VIEWS), view)
        if view in FIRST_SPAN:
            _choice(focus, "span", "span", spans(view), focus.span)
        if view == "variants":
            _choice(focus, "formula", "other", OTHERS, positions_variants.other(focus))
        else:
            _choice(focus, "formula", "formula", focus.formulas, focus.formula)


def _choice(focus: Focus, field: str, name: str, options: Sequence[str], value: str) -> None:
    """A picker whose value is the field of the state; the model's own formula needs no link."""
    labels = {option: say(f"positions.{field}_{option}") for option in options}

    def take(chosen: str) -> None:
        state.update(**{field: "" if field == "formula" and chosen == focus.own else chosen})

    segments(f"positions_{name}", say(f"positions.{name}_help"), labels, value, take)
