"""“Open…”: one place for a run, an experiment and a model, by button or dropped anywhere."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import streamlit as st

from glassformer.app.panels.opening.own_models import show_own_models
from glassformer.app.runs import opened_files, uploads
from glassformer.app.session import store
from glassformer.app.ui.component import component
from glassformer.app.ui.text import format_error
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.opening.kinds import MEGABYTE, refuse_large

_file_drop = component(__file__, "file_drop")


def is_asked() -> bool:
    """Whether the dialog is opened in this run."""
    return bool(store.memory().opening_asked or store.widget_value("open_file"))


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
    limits = {"most": opened_files.MOST, "hint": say("opening.drop")}
    _file_drop("bridge_file_drop", limits, drop=lambda _: ask(), large=_refuse_large)
    if pressed or store.memory().opening_asked:
        st.dialog(say("opening.title"))(_dialog)()


def _dialog() -> None:
    memory = store.memory()
    memory.opening_asked = False
    if memory.opening_done:
        memory.opening_done = False
        memory.opening_asked, memory.opening_stays = memory.opening_stays, False
        st.rerun()  # closes the dialog and draws what was opened
    st.markdown(say("opening.about"))
    with st.container(key="open_file"):
        _uploader()
    failed = memory.opening_failed
    if failed is not None:
        st.error(format_error(failed))
    st.caption(say("opening.kept"))
    show_own_models(_change)
    st.markdown(say("opening.others"))


def _uploader() -> None:
    widget = f"open_file_{store.memory().opening_round}"

    def take() -> None:
        given = store.widget_value(widget)
        if given is None:
            return
        store.memory().opening_round += 1
        take_file(*uploads.take_upload(given))

    most = opened_files.MOST // MEGABYTE
    label = say("opening.file")
    st.file_uploader(label, max_upload_size=most, key=f"widget_{widget}", on_change=take)
    here, choose = say("opening.drop_here"), say("opening.choose")
    st.html(
        "<style>"
        f'.st-key-open_file section::before {{ content: "{here}" }}'
        f'.st-key-open_file section button p::after {{ content: "{choose}" }}'
        "</style>"
    )


def take_file(name: str, data: bytes) -> None:
    """Open an uploaded file; one that cannot be used changes nothing and is told."""
    with _telling():
        opened_files.open_file(name, data)
        _forget()
        store.memory().opening_done = True


def _change(act: Callable[[], object]) -> None:
    """Do what is asked of one's own models: the page shows it behind the dialog, which stays."""
    store.memory().opening_failed = None
    with _telling():
        act()
        store.memory().opening_done = store.memory().opening_stays = True


def _forget() -> None:
    store.memory().opening_failed = None
    store.memory().opening_done = False


def ask() -> None:
    """Open the dialog in the next run; for callbacks."""
    _forget()
    store.memory().opening_asked = True


def _refuse_large(sent: Mapping[str, Any]) -> None:
    """The browser keeps a file that is too large to itself: only its size is sent."""
    with _telling():
        refuse_large(int(sent["bytes"]), opened_files.MOST)


@contextmanager
def _telling() -> Iterator[None]:
    """What goes wrong is told in the dialog."""
    try:
        yield
    except GlassformerError as error:
        store.memory().opening_failed = error
        store.memory().opening_asked = True
