"""The benches on masks: how one is applied, built, and what the decoder sees at each step."""

from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit, whose
from glassformer.app.pages.lab.figures.masks import (
    boards_html,
    fits_table,
    lines_tables,
    steps_table,
)
from glassformer.app.pages.lab.figures.softmax import ways_tables
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
from glassformer.core.lab.mask_building import MOST_HEADS, RECIPES, WIDEST, Built, build_mask
from glassformer.core.lab.mask_steps import TargetSteps, target_steps
from glassformer.core.lab.masks import PRECISIONS, masks
from glassformer.core.model.masks import causal_mask
from glassformer.core.trace.trace import Trace

MASKED = (
    (2.0, 1.0, 0.5, 3.0), (1.0, 2.0, 0.0, 1.5), (0.5, -1.0, 2.0, 2.5), (1.5, 0.5, -0.5, 1.0),
)  # fmt: skip
SIDE = len(MASKED)
# What a press of a button draws: 1 where the query (row) may look at the key (column).
DRAWN = {
    "causal": causal_mask(SIDE)[0, 0].int().tolist(),
    "padding": [[1, 1, 1, 0]] * SIDE,
    "empty": [[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]],
    "all": [[1] * SIDE] * SIDE,
}
MASKS = (
    Field("scores", "S", MASKED, "table", "weights", grow=("rows", "columns"), least=2, most=SIDE),
    Field("mask", "M", DRAWN["causal"], "flags", "weights"),
    Field("meaning", "", "visible", "choice", "weights", options=("visible", "hidden")),
    Field("precision", "", "float32", "choice", "weights", options=tuple(PRECISIONS)),
)
BUILDING = (
    Field("recipe", "", "triu", "choice", "weights", options=RECIPES),
    Field("size", "S", 5, low=2, high=WIDEST, step=1),
    Field("hidden", "", 1, "slider", "weights", low=-1, high=2, step=1),
    Field("lengths", "", (5, 3), "row", "data", grow=("columns",), most=3),
    Field("heads", "H", 3, role="query", low=1, high=MOST_HEADS, step=1),
)
LONGEST = 10  # tokens of a target
STORY = (
    Field("source", "", "我有一只猫", "words", "data", wide=16),
    Field("target", "", "I have a cat", "words", "value", wide=16),
)


def show_masks() -> None:
    """Six ways to apply one mask."""
    texts = kit.draw_bench_head("masks")
    start = {"scores": MASKED, "meaning": "visible"}
    kit.draw_presets("masks", {name: start | {"mask": mask} for name, mask in DRAWN.items()})
    ties = [[("scores", side), ("mask", side)] for side in ("rows", "columns")]
    found = kit.compute_from_inputs("masks", MASKS, masks, ties).result
    between = {"after": say("language.gap"), "comma": say("language.comma")}
    st.html(ways_tables(found, texts | between, current_look()))


def show_mask_building() -> None:
    """A mask line by line, and its copies over sentences and heads."""
    look, texts = current_look(), kit.draw_bench_head("mask_building")
    found = kit.compute_from_inputs("mask_building", BUILDING, build_mask, note=_empty_rows).result
    st.html(lines_tables(found, texts, look))
    sentences, heads, size, _ = found.spread.shape
    counts = {"stored": found.with_padding.numel(), "spread": found.spread.numel()}
    strides = ", ".join(map(str, found.spread.stride()))
    shape = f"({sentences}, {heads}, {size}, {size})"
    with st.container(key="lab_mask_spread", horizontal=True, gap="large"):
        st.html(boards_html(found.spread, texts), width="content")
        with st.container(gap=None):
            copied = say("lab_mask_building.copied", shape=shape, strides=strides, **counts)
            st.markdown(copied)
            st.html(fits_table(found, texts, look))


def _empty_rows(found: Built, _edited: bool) -> str:
    rows = say("language.comma").join(
        str(at + 1) for at in found.empty.nonzero().flatten().tolist()
    )
    if not rows:
        return ""
    kind = "nan" if found.weights.isnan().any() else "uniform"
    return say(f"lab_mask_building.empty_{kind}", rows=rows)


def show_mask_steps() -> None:
    """What the decoder sees of the target at each step, and what the model on screen writes."""
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
