"""Send the browser what it draws of the step in view, and of the next ones once it is at rest.

The strip, the picture and the column draw from what was sent: a key is answered in the browser.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from glassformer.app.pages.walkthrough import code, text
from glassformer.app.pages.walkthrough.focus import (
    StepFocus,
    heard_events,
    remember_event,
    steps_to_send,
)
from glassformer.app.pages.walkthrough.scene import scene
from glassformer.app.runs.turns import wait_for_turn
from glassformer.app.ui.component import component
from glassformer.core.explain.steps.steps import Step, step_by_id

_ahead = component(__file__, "ahead", scripts=("place.js",))


@st.fragment
@wait_for_turn
def show(pictures: bool = True) -> None:
    """Send what the browser lacks; it takes no room, and asking again runs nothing else.

    pictures: whether this page draws the scene, too.
    """
    focus = StepFocus.current()
    data = ahead_data(focus, steps_to_send(focus), pictures) | {"answers": heard_events()}
    _ahead("bridge_walk", data, lack=remember_event)


def ahead_data(focus: StepFocus, ids: Sequence[str], pictures: bool = True) -> dict[str, Any]:
    """What is sent: what all steps share, and what each of these steps has of its own."""
    found = (step_by_id(focus.every_step, each) for each in ids)
    shared = {"code": code.code_context(), "words": text.text_context()}
    return {
        "version": focus.version,
        "current": focus.step.id,
        "shared": shared | ({"scene": scene.scene_context(focus)} if pictures else {}),
        "steps": {step.id: _step(focus, step, pictures) for step in found if step},
    }


def _step(focus: StepFocus, step: Step, pictures: bool) -> dict[str, Any]:
    there = focus if step == focus.step else focus.at_step(step)  # the first tells of a wrong link
    parts = {"words": text.text_of_step(there), "code": code.step_code(there)}
    return parts | ({"scene": scene.step_scene(there)} if pictures else {})
