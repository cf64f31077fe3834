"""The Training page: replaying how the model learned, or training one here."""

from __future__ import annotations

import streamlit as st

from app import service, state
from app.widgets.opening import instead
from app.widgets.pick import into, segments
from app.widgets.style import put_sheet
from app.widgets.training import replay
from app.widgets.workshop import page as workshop
from app.words import say

HALVES = ("replay", "workshop")


def show() -> None:
    """Draw the half of the page that the state names."""
    put_sheet(__file__, "training.css")
    now = state.get_state()
    with st.container(key="training_page", gap="xsmall"):
        _draw(now)


def _draw(now: state.State) -> None:
    labels = {half: say(f"training.half_{half}") for half in HALVES}

    with st.container(
        key="training_top", horizontal=True, gap="medium", vertical_alignment="center"
    ):
        half = say("training.half")
        segments("training_half", half, labels, now.training, into("training"))
        if now.training == "replay":
            replay.show_headline()
    if now.training == "replay" and service.file() is not None:
        instead.show("training")
    elif now.training == "replay":
        replay.show()
    else:
        workshop.show()
