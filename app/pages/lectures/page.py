"""The Lectures page: all of them as cards, or one of them with its scenes."""

from pathlib import Path

import streamlit as st

from glassformer.app.pages.lectures import cards, exercises, one
from glassformer.app.panels import drafts
from glassformer.app.session import store
from glassformer.app.ui.style import put_sheet
from glassformer.app.ui.text import format_error
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import bundled_lectures, load_lecture

PAGES = Path(__file__).parents[1]


def show() -> None:
    """Draw the cards, or the lecture that the link names."""
    put_sheet(__file__, "lectures.css")
    _turn()
    drafts.listen_drafts()
    if store.memory().drafts_written.full:
        st.error(say("lectures.full"))
    if store.get_state().sheet:
        exercises.show()
        return
    name = store.get_state().lecture
    if not name:
        cards.show()
        return
    try:
        lecture = find_lecture(name)
    except GlassformerError as error:
        one.show_damaged(name, error)
        return
    if lecture is not None:
        one.show(lecture, own=name in drafts.draft_texts())
    elif store.memory().drafts is None:
        st.caption(say("lectures.looking"))
    else:
        store.drop("lecture")
        st.rerun()


def find_lecture(name: str) -> Lecture | None:
    """A lecture of one's own, or a bundled one. Errors: lecture_… of one that cannot be read."""
    own = drafts.find_draft(name)
    return own if own is not None or name not in bundled_lectures() else load_lecture(name)


def _turn() -> None:
    """To the screen of a scene, where one was asked for."""
    asked, store.memory().scene_opened = store.memory().scene_opened, None
    if asked is None:
        return
    page, query = asked
    script = PAGES / (page or "translate") / "page.py"
    if not script.exists():
        error = GlassformerError("lectures_page", given=page)
        st.error(format_error(error))
        return
    store.follow_link(query)
    st.switch_page(str(script.relative_to(PAGES.parents[1])))


if __name__ == "__main__":
    show()
