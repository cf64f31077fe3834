"""The component: a bar, some facts, the growing curve, and a row a saved step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.pages.training.figures.workshop import CurveDrawing
from app.ui.component import component

_view = component(__file__, "lesson_view")


@dataclass(frozen=True)
class Row:
    """One saved step: its number, the translation, how many held-out sentences are right."""

    step: str
    text: str
    right: str


@dataclass(frozen=True)
class Lesson:
    """Everything that is seen, as it is written."""

    tone: str  # "wait", "run", "rest", "good" or "bad": the colour of the bar
    headline: str
    share: float  # of the steps done, 0–1
    facts: Sequence[tuple[str, str]]  # (what, value)
    drawing: CurveDrawing
    rows: Sequence[Row]  # the newest first
    language: str  # of the translations


def lesson_view(lesson: Lesson, texts: Mapping[str, str]) -> None:
    """Draw it in place: nothing is made anew when a number changes.

    texts: "loss", "held_out", "step", "translation", "right", "nothing".
    """
    data = vars(lesson) | {"drawing": lesson.drawing.to_dict(), "texts": dict(texts)}
    _view("lesson_view", data, height="stretch")
