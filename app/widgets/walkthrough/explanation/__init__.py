"""What a step does and why, its formula, and the formula in this sentence's numbers."""

from app.widgets.walkthrough.explanation.explanation import shared, show, words

__all__ = ["shared", "show", "words"]
