"""A lecture to be read alone: its scenes one below the other, screens live, questions at once."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from glassformer.app import hall as pool
from glassformer.app.hall import answers
from glassformer.app.pages.lectures import alone
from glassformer.app.pages.lectures.cards import text_of
from glassformer.app.runs.scenes import trace_of
from glassformer.app.session import store
from glassformer.app.session.state import Setup, State
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture, Scene
from glassformer.core.lectures.truth import find_reason

TEXTS = (
    "open", "again", "waits", "answer", "number", "right", "wrong", "said", "run", "given", "why",
    "look", "step", "before", "kept", "learned", "none", "work",
)  # fmt: skip
RUN = {"run", *(each.name for each in fields(Setup))}  # of a link: which run it is of

POOL = Path(pool.__file__).with_name("pool.js")

_article = component(__file__, "article", scripts=(POOL, "article_frames.js"))


def show(lecture: Lecture, language: str) -> None:
    """Draw it; language: whose sentences are run."""
    now = store.get_state()
    with box("fill grows", "lecture_article", gap=None):
        told = store.once(
            lambda: article_data(lecture, language), article_data, lecture, language, now.language
        )
        reader = {"language": now.language, "theme": now.theme}
        _article("lecture_article_all", told | {"reader": reader})


def article_data(lecture: Lecture, language: str) -> dict[str, Any]:
    """All of it as plain JSON, what the runs say worked out now."""
    reader = store.get_state().language
    return {
        "name": lecture.name,
        "about": text_of(lecture.about, reader),
        "parts": [part_data(lecture, scenes, language) for scenes in scenes_with_steps(lecture)],
        "texts": {name: say(f"lectures.article_{name}") for name in TEXTS},
    }


def scenes_with_steps(lecture: Lecture) -> list[list[Scene]]:
    """Each scene with the steps that follow it."""
    found: list[list[Scene]] = []
    for scene in lecture.scenes:
        if scene.step and found:
            found[-1].append(scene)
        else:
            found.append([scene])
    return found


def part_data(lecture: Lecture, scenes: Sequence[Scene], language: str) -> dict[str, Any]:
    """A scene with its steps: texts with their numbers, links, questions with answers and why."""
    reader, first = store.get_state().language, scenes[0]
    said = [alone.filled_texts(lecture, scene, language) for scene in scenes]
    texts = [text_of(each["text"], reader) for each in said]
    return {
        "name": first.name,
        "title": text_of(said[0]["title"], reader),
        "texts": ["" if each in texts[:at] else each for at, each in enumerate(texts)],
        "links": [scene.link(language) for scene in scenes],
        "stages": [scene.focus for scene in scenes],
        "glossed": [list(each) for each in said[0].get("glossed") or ()],
        "asked": first.asked,
        "questions": [
            question_data(lecture, scene, language, each.get("words") or [])
            for scene, each in zip(scenes, said, strict=True)
            if scene.question is not None
        ],
    }


def question_data(
    lecture: Lecture, scene: Scene, language: str, words: Sequence[str]
) -> dict[str, Any]:
    """A scene's question; words: those that one of words chooses from."""
    reader, question = store.get_state().language, scene.question
    assert question is not None
    return {
        "name": scene.name,
        "asked": scene.asked,
        "kind": question.kind,
        "prompt": text_of(question.prompt, reader),
        "options": [text_of(each, reader) for each in question.options],
        "unit": text_of(question.unit, reader),
        "words": words,
        **_answer(lecture, scene, language),
    }


def _answer(lecture: Lecture, scene: Scene, language: str) -> dict[str, Any]:
    """The truth of a question, and what decided it; `error` where the run has none."""
    reader = store.get_state().language
    if scene.asked == "before":
        return {}
    found = answers.answer_of_scene(lecture, scene, language)
    if "error" in found:
        return {"error": text_of(found["error"]["text"], reader)}
    told = {"right": found["value"], "answer": text_of(found["text"], reader), "given": True}
    question = scene.question
    assert question is not None
    if question.right is not None:
        return told
    source = lecture.source(scene, question.truth)
    try:
        reason = find_reason(question.truth, trace_of(source, language), language)
    except GlassformerError:  # the answer was there a moment ago
        return told
    look = look_link(source, language, reason.address, reason.cell)
    return told | {"given": False, "why": reason.rows, "address": reason.address, "look": look}


def look_link(
    scene: Scene, language: str, address: str, cell: Mapping[str, int]
) -> tuple[str, dict[str, str]]:
    """The Tensors page with a tensor of a scene's run; with one cell of it, its origin is open."""
    query = {name: each for name, each in scene.link(language)[1].items() if name in RUN}
    state = State(address=address)
    if cell:
        axes = trace_of(scene, language).axes(address)
        state = State(address=address, trail=(address, tuple(cell.get(x.name, 0) for x in axes)))
    return "tensors", {**query, **state.to_query()}
