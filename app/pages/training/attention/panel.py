"""Where the heads look at a step."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from glassformer.app.pages.training.curves import Training
from glassformer.app.panels import answers
from glassformer.app.panels.answers import Answers, Move
from glassformer.app.panels.attention.attention_map import MapLayout, map_figure
from glassformer.app.panels.attention.focus import AttentionFocus
from glassformer.app.panels.attention.heads import (
    HEAD_MOVES,
    head_role_sentence,
    map_preview,
    nearby_heads,
    show_heads,
    show_title,
)
from glassformer.app.panels.attention.picture import head_in_words
from glassformer.app.runs.traces import get_trace
from glassformer.app.session.state import State
from glassformer.app.ui.chart import show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.head_roles import describe

HEIGHT, WIDTH = 360, 640
NEAR_STEPS = 6


def show(training: Training) -> None:
    """Draw all heads small, one large, and what it does at this step and at the end."""
    focus = _focus(training, training.now)
    now = focus.now
    left, middle, right = st.columns([1.6, 2.3, 1.1], gap="medium")
    with left, box("fill scroll", "training_heads"):
        show_heads(focus)
    with middle, box("fill", "training_picture"):
        draw_map(focus)
    with right.container(key="training_says", gap="small"):
        show_title(focus.kind, now.layer, now.head, joint="  \n")  # the column is narrow
        st.markdown(_does(training, focus))
        st.caption(say("training_attention.note"))
    answers.show(head_answers)


def _focus(training: Training, now: State) -> AttentionFocus:
    now = replace(now, stage="weights", view="matrix", order="place")
    return AttentionFocus(now, training.trace, training.look)


def draw_map(focus: AttentionFocus) -> None:
    """Draw the head in focus alone."""
    layout = MapLayout(focus.cell if focus.pinned else None, False, WIDTH, HEIGHT)
    figure = map_figure(focus.view, focus.sides, "weights", focus.look, layout)
    show_chart(figure, "training_attention", head_in_words(focus), fill=True)


def head_answers() -> Answers:
    """The other heads of this kind at this step, and this head at the steps beside it."""
    training = Training.current()
    assert training is not None  # this panel is on screen
    focus, last = _focus(training, training.now), len(training.steps) - 1
    steps = ["" if at == last else str(step) for at, step in enumerate(training.steps)]
    near = sorted(range(len(steps)), key=lambda at: abs(at - training.place))[:NEAR_STEPS]
    moves = [
        *HEAD_MOVES,
        Move("player", "step", "go", "to", steps),
        Move("widget_training_step", "step", "slide", values=steps),
        Move("training_curves", "step", "click", "x", steps),
    ]
    nearby: list[Mapping[str, object]] = [*nearby_heads(focus)]
    if not training.now.edits:  # the steps beside it are those of the run with nothing switched
        nearby[focus.config.n_heads + 1 : 0] = [{"step": steps[at]} for at in near]

    def draw(there: State) -> None:
        trace, now = training.trace, training.now
        if there.step != now.step:
            trace = get_trace(now.own_text, now.direction, now.model, there.step)
        draw_map(_focus(replace(training, trace=trace), there))

    of = (id(training.trace), training.look)
    preview = map_preview(focus, "training_attention")
    return Answers(focus.now, of, moves, nearby, draw, preview)


def _does(training: Training, focus: AttentionFocus) -> str:
    layer, head = focus.now.layer, focus.now.head
    here = head_role_sentence(focus.kind, describe(focus.trace, focus.kind, layer, head))
    last = head_role_sentence(focus.kind, describe(training.end, focus.kind, layer, head))
    said = say("training_attention.does_here", step=training.steps[training.place], does=here)
    if training.now.step:
        said += "  \n" + say("training_attention.does_end", does=last)
    return said
