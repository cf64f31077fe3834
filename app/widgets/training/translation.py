"""What the sentence becomes at each step, and where the words of the one in view come from."""

from __future__ import annotations

import streamlit as st

from app.widgets.training.moving import Training
from app.widgets.training.step_table import Row, step_table
from app.widgets.translate import words_panel
from app.widgets.translate.layout import apply_layout
from app.words import say
from core.reading.training_views import agreeing, marked_text


def show(training: Training) -> None:
    """Draw the list of all steps beside the words of one."""
    apply_layout()
    left, right = st.columns([6, 5], gap="medium")
    with left.container(key="training_steps", gap=None):
        step_table(
            rows(training),
            training.place,
            training.trace.direction.rpartition("-")[2],
            {name: say(f"training.{name}") for name in ("step", "translation", "nothing")},
            training.look.colour("weights"),
            training.goer(),
        )
    with right.container(key="training_words", gap="xsmall"):
        words_panel.show(training.trace, candidates=False)


def rows(training: Training) -> list[Row]:
    """A row a step; words that stand in the translation of the end, in its order, are marked."""
    end = training.replay.moments[-1].tokens
    return [
        Row(str(each.step), marked_text(each.text, each.tokens, agreeing(each.tokens, end)))
        for each in training.replay.moments
    ]
