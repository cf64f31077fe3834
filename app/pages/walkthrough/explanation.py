"""The text of a step and its formulas, drawn in the browser from what was sent of the step."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit

from app.pages.walkthrough import text
from app.pages.walkthrough.focus import StepFocus
from app.ui.component import component

# Not in a shadow root: the style sheet of the formulas is the page's.
_explanation = component(__file__, "explanation", isolate_styles=False, scripts=("place.js",))


def show() -> None:
    """Make the place in which the browser writes."""
    _explanation("walk_words", {})


def words(focus: StepFocus) -> dict[str, Any]:
    """What is written of a step: its text with *stress* and **strong stress**, its formulas."""
    return {"text": text.text(focus)} | text.formula_data(focus)


def shared() -> dict[str, Any]:
    """What the writing of every step needs."""
    return {"katex": katex_file()}


@cache
def katex_file() -> str:
    """The name of what sets the formulas of `st.markdown`, among the scripts that Streamlit serves.

    "" where there is none. Markdown itself would come only after an answer of the server.
    """
    scripts = Path(streamlit.__file__).parent / "static" / "static" / "js"
    return next((path.name for path in sorted(scripts.glob("rehype-katex.*.js"))), "")
