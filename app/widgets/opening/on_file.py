"""In the stage bar: that what is on screen comes from a file, and the way to leave it."""

from __future__ import annotations

import streamlit as st

from app import opened, service
from app.widgets.text import literal
from app.words import say


def show() -> None:
    """Draw the line where a file is on screen."""
    file = service.file()
    if file is None:
        return
    made_by = literal(file.model_name) or "–"
    text = say("opening.on_screen", name=literal(file.name), model=made_by)
    with st.container(
        key="stage_file", horizontal=True, gap="xsmall", wrap=False, width="content",
        vertical_alignment="center",
    ):  # fmt: skip
        st.markdown(
            f":blue[:material/description: **{text}**]",
            help=say("opening.on_screen_help"),
            width="content",
        )
        st.button(
            "×",
            key="widget_leave_file",
            type="tertiary",
            help=say("opening.leave_help"),
            on_click=opened.close,
        )
