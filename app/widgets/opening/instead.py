"""What stands in the place of something that computes, while a run of a file is on screen."""

from __future__ import annotations

import streamlit as st

from app import opened, service
from app.widgets.text import literal
from app.words import say


def show(key: str) -> None:
    """Draw the sentence, and the way to a run of the model where that is here. key: unique."""
    file = service.file()
    if file is None:
        return
    with st.container(key=f"{key}_instead", gap="small"):
        if file.model is None:
            made_by = literal(file.model_name) or "–"
            st.info(say("opening.model_away", model=made_by))
            return
        st.info(say("opening.model_here"))
        st.button(
            say("opening.compute"),
            key=f"widget_{key}_compute",
            icon=":material/play_arrow:",
            on_click=opened.leave,
        )
