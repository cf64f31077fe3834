"""All lectures as cards: the bundled ones, the reader's own; a new one from a file."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from glassformer.app.panels import drafts
from glassformer.app.session import store
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box, side_by_side
from glassformer.app.ui.text import format_error, on_top
from glassformer.app.words import say, say_each
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture
from glassformer.core.lectures.read import MOST_BYTES, bundled_lectures, load_lecture, read_lecture

TEXTS = "lectures.import lectures.import_help lectures.none_yet"

_cards = component(__file__, "cards")


def show() -> None:
    """Draw them; a click opens one."""
    on_top(say("lectures.top"))
    with side_by_side("lectures_about", gap="small"):
        st.caption(say("lectures.about"))
        st.button(
            say("exercises.title"), key="widget_exercises", icon=":material/edit_note:",
            help=say("exercises.about"), on_click=store.update, kwargs={"sheet": 1},
        )  # fmt: skip
    refused, store.memory().scene_refused = store.memory().scene_refused, None
    if refused is not None:
        st.error(say("lectures.not_imported", why=format_error(refused)))
    with box("fill grows", "lecture_cards", gap="xsmall"):
        data = {
            "groups": [
                {
                    "name": say("lectures.bundled"),
                    "cards": [_card(load_lecture(each)) for each in bundled_lectures()],
                },
                {
                    "name": say("lectures.own"),
                    "cards": [_own(each) for each in drafts.draft_texts()],
                },
            ],
            "texts": say_each(TEXTS),
            "most": MOST_BYTES,
        }
        _cards("lecture_cards_all", data, pick=_open, file=_import)
    if drafts.can_undo():
        icon, undo = ":material/undo:", say("lectures.undo")
        st.button(undo, key="widget_lectures_undo", icon=icon, on_click=drafts.undo_draft)


def _card(lecture: Lecture) -> dict[str, Any]:
    language = store.get_state().language
    asked = sum(scene.question is not None for scene in lecture.scenes)
    facts = [
        say("lectures.scenes", count=len(lecture.scenes)),
        say("lectures.minutes", count=f"{lecture.minutes:g}"),
        *([say("lectures.questions", count=asked)] if asked else []),
    ]
    return {
        "id": lecture.name,
        "title": text_of(lecture.title, language),
        "about": text_of(lecture.about, language),
        "facts": " · ".join(facts),
    }


def _own(name: str) -> dict[str, Any]:
    try:
        lecture = drafts.find_draft(name)
    except GlassformerError:
        lecture = None
    if lecture is None:
        return {"id": name, "title": name, "about": say("lectures.damaged"), "facts": ""}
    return _card(lecture)


def text_of(text: Mapping[str, str], language: str) -> str:
    """A text in the reader's language, or in the first one that it has."""
    return text.get(language) or next(iter(text.values()), "")


def _open(sent: Mapping[str, Any]) -> None:
    name = str(sent.get("id", ""))
    if name in drafts.draft_texts() or name in bundled_lectures():
        store.update(lecture=name)


def _import(sent: Mapping[str, Any]) -> None:
    """Take in a file; of one that cannot be used the mistake is named with its line."""
    try:
        if (size := sent.get("size")) is not None:
            given, limit = (f"{int(each) / 1000:,.0f} kB" for each in (size, MOST_BYTES))
            raise GlassformerError("lecture_large", given=given, limit=limit)
        lecture = read_lecture(str(sent.get("text", "")))
        if lecture.name in {*drafts.draft_texts(), *bundled_lectures()}:
            lecture = replace(lecture, name=drafts.free_name(lecture.name))
        drafts.put_draft(lecture)
        store.update(lecture=lecture.name)
    except GlassformerError as error:
        store.memory().scene_refused = error
