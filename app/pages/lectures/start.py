"""Presenting: a room for the audience with the presenter's page, or that page alone."""

from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from glassformer.app.hall import join, keys, rooms
from glassformer.app.pages.lectures import alone
from glassformer.app.runs import scenes
from glassformer.app.session import store
from glassformer.app.ui.component import component
from glassformer.app.ui.text import format_error
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture

PAGES = ("", *(path.parent.name for path in Path(__file__).parents[1].glob("*/page.py")))

_launch = component(__file__, "launch")


def language_of(lecture: Lecture) -> str:
    """The reader's language, or the first that the lecture has."""
    own = store.get_state().language
    return own if own in lecture.languages else lecture.languages[0]


def show(lecture: Lecture) -> None:
    """Draw the buttons."""
    label = "lectures.try" if keys.is_open() else "lectures.present_here"
    memory = store.memory()
    held = memory.launched if memory.launched and memory.launched[0] == lecture.name else None
    data = {
        "label": say(label),
        "about": say("lectures.try_help"),
        "href": join.page_path(f"present#{lecture.name}"),
        "name": lecture.name,
        "round": held[1] if held else 0,
        "lecture": held[2] if held else None,
    }
    _launch("lecture_launch", data, width="content", asked=lambda _: _try(lecture))
    if not keys.is_open():
        st.caption(say("lectures.hall_off"), width="content")
    elif st.button(
        say("lectures.present"), key="widget_lecture_present", type="primary",
        icon=":material/co_present:", help=say("lectures.present_help"),
    ):  # fmt: skip
        st.dialog(say("lectures.present_title"))(partial(_dialog, lecture))()


def _try(lecture: Lecture) -> None:
    """Hand the browser all that the presenter's page needs; the runs are computed meanwhile."""
    language, now = language_of(lecture), store.get_state()
    scenes.warm_scenes(lecture, language)
    memory = store.memory()
    before = memory.launched[1] if memory.launched else 0
    memory.launched = (lecture.name, before + 1, alone.lecture_data(lecture, language, now.theme))


def _dialog(lecture: Lecture) -> None:
    memory = store.memory()
    held = memory.lecture_room
    if held is not None and (held[0] != lecture.name or rooms.find_room(held[1]) is None):
        held = memory.lecture_room = None
    if held is None:
        held = _opened(lecture)
    if held is not None:
        _links(*held[1:])


def _opened(lecture: Lecture) -> tuple[str, str, str] | None:
    """Ask for what is needed, and open the room."""
    given = ""
    if keys.is_asked():
        with st.form("presenter", border=False):
            given = st.text_input(
                say("lectures.key"), key="widget_presenter_key", help=say("lectures.key_help"),
                type="password", autocomplete="off",
            )  # fmt: skip
            asked = st.form_submit_button(say("lectures.open_room"), type="primary")
        if not asked:
            return None
    try:
        room = rooms.open_room(lecture, language_of(lecture), given)
    except GlassformerError as error:
        st.error(format_error(error))
        return None
    found = store.memory().lecture_room = (lecture.name, room.code, room.key)
    return found


def _links(code: str, key: str) -> None:
    here = join.page_path(f"hall/{code}")
    st.link_button(say("lectures.to_present"), f"{here}/present#{key}", type="primary",
                   icon=":material/open_in_new:", width="stretch")  # fmt: skip
    st.link_button(say("lectures.to_notes"), f"{here}/notes#{key}", width="stretch",
                   icon=":material/speaker_notes:", help=say("lectures.to_notes_help"))  # fmt: skip
    left, right = st.columns(2, vertical_alignment="center")
    with left:
        st.html(
            f'<img class="lecture-qr" src="{here}/qr.svg" alt="{escape(say("hall.present_qr"))}">'
        )
    with right:
        st.caption(say("lectures.code"))
        st.html(f'<div class="lecture-code">{code}</div>')
    st.caption(say("lectures.room_help"))
    st.button(say("lectures.new_room"), key="widget_new_room", type="tertiary", on_click=_forget)


def _forget() -> Any:
    store.memory().lecture_room = None
