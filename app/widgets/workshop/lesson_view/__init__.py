"""How a run is doing: progress, curve, and the sentence at each saved step."""

from app.widgets.workshop.lesson_view.lesson_view import Lesson, Row, lesson_view

__all__ = ["Lesson", "Row", "lesson_view"]
