"""The component: a bar, some facts, the growing curve, and a row a saved step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.figures.workshop_curve import CurveDrawing
from app.widgets.component import component

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


def lesson_view(lesson: Lesson, texts: Mapping[str, str], colours: Mapping[str, str]) -> None:
    """Draw it in place: nothing is made anew when a number changes.

    texts: "loss", "held_out", "step", "translation", "right", "nothing". colours: "line", "mark",
    "faint", "grid", "good", "bad".
    """
    _view(
        key="lesson_view",
        data={
            "tone": lesson.tone,
            "headline": lesson.headline,
            "share": lesson.share,
            "facts": [list(fact) for fact in lesson.facts],
            "drawing": lesson.drawing.to_dict(),
            "rows": [{"step": r.step, "text": r.text, "right": r.right} for r in lesson.rows],
            "language": lesson.language,
            "texts": dict(texts),
            "colours": dict(colours),
        },
    )
