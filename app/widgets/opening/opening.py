"""“Open…”: one place for a run, an experiment and a model, by button or dropped anywhere."""

from __future__ import annotations

import streamlit as st

from app import opening, state, uploads
from app.widgets.component import component
from app.widgets.style import put_sheet
from app.widgets.text import told
from app.words import say
from core.errors import GlassformerError
from core.opening.kinds import MEGABYTE

FAILED = "opening_failed"
DONE = "opening_done"
ASKED = "opening_asked"  # by a file dropped on the page, or by one that is too large
ROUND = "opening_round"  # a new uploader after every file, so that one can come twice

_file_drop = component(__file__, "file_drop")


def show_button() -> None:
    """Draw the button; it opens the dialog. A file dropped anywhere opens it, too."""
    pressed = st.button(
        say("opening.open"),
        key="widget_open_file",
        icon=":material/folder_open:",
        type="tertiary",
        help=say("opening.open_help"),
        on_click=_forget,
    )
    _file_drop(
        key="bridge_file_drop",
        data={"most": opening.MOST, "hint": say("opening.drop")},
        on_drop_change=_ask,
        on_large_change=_refuse_large,
    )
    if pressed or state.kept(ASKED, False):
        st.dialog(say("opening.title"))(_dialog)()


def _dialog() -> None:
    state.keep(ASKED, False)
    if state.kept(DONE, False):
        state.keep(DONE, False)
        st.rerun()  # closes the dialog and draws what was opened
    put_sheet(__file__, "opening.css")
    st.markdown(say("opening.about"))
    with st.container(key="open_file"):
        _uploader()
    failed: GlassformerError | None = state.kept(FAILED)
    if failed is not None:
        st.error(told(failed))
    st.caption(say("opening.kept"))


def _uploader() -> None:
    widget = f"open_file_{state.kept(ROUND, 0)}"

    def take() -> None:
        given = state.widget_value(widget)
        if given is None:
            return
        state.keep(ROUND, state.kept(ROUND, 0) + 1)
        take_file(*uploads.dropped(given))

    most = opening.MOST // MEGABYTE
    label = say("opening.file")
    st.file_uploader(label, max_upload_size=most, key=f"widget_{widget}", on_change=take)
    words = {"instructions": say("opening.drop_here"), "button": say("opening.choose")}
    st.html(
        "<style>"
        f'.st-key-open_file section::before {{ content: "{words["instructions"]}" }}'
        f'.st-key-open_file section button p::after {{ content: "{words["button"]}" }}'
        "</style>"
    )


def take_file(name: str, data: bytes) -> None:
    """Open an uploaded file; one that cannot be used changes nothing and is told."""
    try:
        opening.open_file(name, data)
    except GlassformerError as error:
        state.keep(FAILED, error)
        state.keep(ASKED, True)
    else:
        _forget()
        state.keep(DONE, True)


def _forget() -> None:
    state.keep(FAILED, None)
    state.keep(DONE, False)


def _ask() -> None:
    _forget()
    state.keep(ASKED, True)


def _refuse_large() -> None:
    """The browser keeps a file that is too large to itself: only its size is sent."""
    size = state.trigger("bridge_file_drop", "large")
    try:
        opening.refuse_size(int(size["bytes"]) if size else 0)
    except GlassformerError as error:
        state.keep(FAILED, error)
        state.keep(ASKED, True)
