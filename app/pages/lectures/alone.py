"""A lecture as the presenter's page shows it without a room: texts with their numbers, answers."""

from collections.abc import Mapping
from typing import Any

from glassformer.app.hall import answers
from glassformer.app.hall.screen import staged_scene
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import PLACE, Lecture, Scene

TEXTS = ("title", "text", "notes")


def lecture_data(found: Lecture, language: str, theme: str) -> dict[str, Any]:
    """All of it as plain JSON, what the runs say worked out now. theme: "" for the browser's."""
    return {
        "title": dict(found.title),
        "language": language,
        "theme": theme,
        "scenes": [_scene(found, at, language) for at in range(len(found.scenes))],
    }


def _scene(found: Lecture, at: int, language: str) -> dict[str, Any]:
    scene = found.scenes[at]
    said = filled_texts(found, scene, language)
    told: dict[str, Any] = {
        **{name: said[name] for name in TEXTS},
        "name": scene.name,
        "minutes": scene.minutes,
        **staged_scene(found, at),
        "glossed": said.get("glossed", ()),
        "short": scene.short,
        "links": {each: scene.link(each) for each in found.languages},
    }
    if (question := scene.question) is not None:
        told["question"] = {
            "kind": question.kind,
            "asked": scene.asked,
            "prompt": question.prompt,
            "options": question.options or None,
            "unit": question.unit,
            "words": said.get("words"),
            "sentence": said.get("sentence", ""),
        }
        told["answer"] = _answer(found, scene, language)
    return told


def filled_texts(found: Lecture, scene: Scene, language: str) -> Mapping[str, Any]:
    """The texts with their numbers; of a run that fails they stay away."""
    try:
        return answers.prepare_answers(found, scene, language)
    except GlassformerError:
        return {
            name: {each: PLACE.sub("…", text) for each, text in getattr(scene, name).items()}
            for name in TEXTS
        }


def _answer(found: Lecture, scene: Scene, language: str) -> dict[str, Any]:
    assert scene.question is not None
    answer = answers.answer_of_scene(found, scene, language)
    bars = [
        {"option": place, "count": 0, "truth": place == answer.get("value")}
        for place, _ in enumerate(scene.question.options)
    ]
    return {"voted": 0, "bars": bars, "answer": answer}
