"""The reader's own lectures: the browser keeps them, the session has them at hand, no disk."""

import re
from dataclasses import replace

from glassformer.app.panels.browser_texts import change_texts, listen_to_browser
from glassformer.app.session import store
from glassformer.app.session.limits import MOST_DRAFTS
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.read import (
    MOST_BYTES,
    MOST_SCENES,
    NAME,
    bundled_lectures,
    read_lecture,
)
from glassformer.core.lectures.write import write_lecture

MOST_STEPS = 50  # that can be undone
NAMELESS = "lecture"


def listen_drafts() -> None:
    """Hear what the browser has kept, and hand it what has changed."""
    listen_to_browser("lecture", store.memory().drafts_written, _take, awaited=True)


def draft_texts() -> dict[str, str]:
    """All of them as TOML, by name; {} until the browser has told."""
    return store.memory().drafts or {}


def find_draft(name: str) -> Lecture | None:
    """One of them. Errors: lecture_… where its text is no lecture any more."""
    text = draft_texts().get(name)
    return None if text is None else read_lecture(text)


def put_draft(lecture: Lecture) -> Lecture:
    """Keep a lecture under its name, in place of one of that name.

    Errors: drafts_many, and those of `read_lecture`: nothing is kept that could not be read again.
    """
    text = write_lecture(lecture)
    checked = read_lecture(text)
    now = draft_texts()
    if lecture.name not in now and len(now) >= MOST_DRAFTS:
        raise GlassformerError("drafts_many", limit=MOST_DRAFTS)
    _change(now | {lecture.name: text})
    return checked


def remove_draft(name: str) -> None:
    """Take a lecture away; `undo_draft` brings it back."""
    _change({each: text for each, text in draft_texts().items() if each != name})


def can_undo() -> bool:
    """Whether something was changed in this session."""
    return bool(store.memory().drafts_past)


def undo_draft() -> None:
    """Take back the last change of any of them."""
    if can_undo():
        _write(store.memory().drafts_past.pop())


def free_name(wanted: str) -> str:
    """A name for a new lecture that no other has, made of a title or of another's name."""
    letters = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-")[:50].strip("-")
    return unused_name(letters or NAMELESS, {*draft_texts(), *bundled_lectures()})


def unused_name(name: str, taken: set[str]) -> str:
    """A name, with a number behind it where it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


def add_scene(lecture: Lecture, scene: Scene) -> Lecture:
    """Keep a lecture with one scene more, at its end. Errors: as `put_draft`, and drafts_scenes."""
    if len(lecture.scenes) >= MOST_SCENES:
        raise GlassformerError("drafts_scenes", limit=MOST_SCENES)
    named = replace(scene, name=unused_name(scene.name, {each.name for each in lecture.scenes}))
    return put_draft(lecture.having(*lecture.scenes, named))


def _take(told: dict[str, str]) -> None:
    good = {n: text for n, text in told.items() if NAME.fullmatch(n) and len(text) <= MOST_BYTES}
    store.memory().drafts = dict(sorted(good.items())[:MOST_DRAFTS])


def _change(after: dict[str, str]) -> None:
    memory = store.memory()
    memory.drafts_past = [*memory.drafts_past[-MOST_STEPS + 1 :], draft_texts()]
    _write(after)


def _write(after: dict[str, str]) -> None:
    change_texts(store.memory().drafts_written, draft_texts(), after)
    store.memory().drafts = after
