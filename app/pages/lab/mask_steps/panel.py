"""What the decoder sees of the target at each step, and what the model on screen writes."""

from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.figures.masks import steps_table
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.plots.labels import visible
from glassformer.app.runs.models import get_model
from glassformer.app.runs.traces import get_run
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.experiment import NOTHING
from glassformer.core.lab.inputs import read_whole_number
from glassformer.core.lab.mask_steps import TargetSteps, target_steps
from glassformer.core.trace.trace import Trace

LONGEST = 10  # tokens of a target
STORY = (
    Field("source", "", "我有一只猫", "words", "data", wide=16),
    Field("target", "", "I have a cat", "words", "value", wide=16),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    texts = kit.draw_bench_head("mask_steps")
    whose.tell_stand_in()
    whose.made_by()  # a file's run may have no model here: then nothing can be drawn
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        trace, found = kit.compute_from_inputs("mask_steps", STORY, _steps).result
    count = len(trace.target_tokens)
    at = Field("step", texts["step"], 3, "slider", "value", low=1, high=count, step=1)
    with right:
        chosen = kit.compute_from_inputs(
            "mask_steps_at", [at], lambda step: read_whole_number("step", step, 1, LONGEST)
        )
    now = min(chosen.result, count) - 1
    with box("across", "lab_mask_rows"):
        st.html(steps_table(found, trace, now, texts))
    words = trace.target_tokens[: now + 1]
    sees = literal(" ".join(map(visible, words)))
    said = {"step": now + 1, "sees": sees, "hidden": count - now - 1}
    writes = literal(visible(trace.output_tokens[now]))
    st.markdown(say("lab_mask_steps.now", **said, writes=writes))
    most = current_look().number(float(found.apart.max()))
    st.markdown(f":small[{say('lab_mask_steps.same', apart=most, count=count)}]")


def _steps(source: Any, target: Any) -> tuple[Trace, TargetSteps]:
    """The target forced on the model on screen, without what is switched."""
    trace = get_run(NOTHING, str(source), "auto", *whose.made_by(), target=str(target))
    if len(trace.target_tokens) > LONGEST:
        size = len(trace.target_tokens)
        raise GlassformerError("lab_large", name="target", given=size, limit=LONGEST)
    model = get_model(*whose.made_by()).transformer
    return trace, target_steps(model, trace["source/ids"], trace["target/ids"])
