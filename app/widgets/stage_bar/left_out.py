"""What the link asks for and is not here, below the stage bar until the reader closes it."""

from __future__ import annotations

import streamlit as st

from app import state
from app.widgets.chart import current_look
from app.widgets.text import literal
from app.words import say

LONGEST = 24  # characters of a value that are repeated; packed ones say nothing to a reader


def show() -> None:
    """Draw the message over the page: it is read in full whatever else the bar has to say."""
    gone = state.dropped()
    if not gone:
        return
    look = current_look()
    colours = f"background: {look.colour('panel')}; border-color: {look.colour('changed')}"
    st.html(f"<style>.st-key-left_out {{ {colours} }}</style>")
    with st.container(
        key="left_out", horizontal=True, wrap=False, gap="small", vertical_alignment="center"
    ):
        st.markdown(f":red[:material/error:] {said(gone)}", width="stretch")
        st.button(
            "×", key="widget_left_out", type="tertiary", help=say("link.read"), on_click=state.read
        )


def said(gone: tuple[str, ...]) -> str:
    """The message, as markdown: every field by its name on screen."""
    names = say("edits.comma").join(map(_named, dict.fromkeys(gone)))
    return say("link.left_out", names=names)


def _named(part: str) -> str:
    field, _, value = part.partition("=")
    name = say(f"link.{field}")
    if len(value) > LONGEST or not value:
        return name
    return say("link.with_value", name=name, value=literal(value))
