"""Send the browser what it draws of the step in view, and of the next ones once it is at rest.

The strip, the picture and the column draw from what was sent: a key is answered in the browser.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.widgets.component import component
from app.widgets.walkthrough import code, events, explanation, scene
from app.widgets.walkthrough.focus import Focus
from core.walk.steps import Step, step_by_id

_ahead = component(__file__, "ahead", scripts=("../place",))


@st.fragment
def show(pictures: bool = True) -> None:
    """Send what the browser lacks; it takes no room, and asking again runs nothing else.

    pictures: whether this page draws the scene, too.
    """
    focus = Focus.current()
    _ahead(
        key="bridge_walk",
        data=ahead_data(focus, events.asked(focus), pictures) | {"answers": events.answers()},
        on_lack_change=_lacking,
    )


def ahead_data(focus: Focus, ids: Sequence[str], pictures: bool = True) -> dict[str, Any]:
    """What is sent: what all steps share, and what each of these steps has of its own."""
    found = (step_by_id(focus.every_step, each) for each in ids)
    shared = {"code": code.shared(focus), "words": explanation.shared(focus)}
    return {
        "version": focus.version,
        "current": focus.step.id,
        "shared": shared | ({"scene": scene.shared(focus)} if pictures else {}),
        "steps": {step.id: _step(_at(focus, step), pictures) for step in found if step},
    }


def _at(focus: Focus, step: Step) -> Focus:
    return focus if step == focus.step else focus.at_step(step)  # it says what was wrong in a link


def _step(focus: Focus, pictures: bool) -> dict[str, Any]:
    parts = {"words": explanation.words(focus), "code": code.own(focus)}
    return parts | ({"scene": scene.own(focus)} if pictures else {})


def _lacking() -> None:
    events.heard("bridge_walk", "lack")
