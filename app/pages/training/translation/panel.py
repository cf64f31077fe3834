"""What the sentence becomes, step by step."""

from typing import Any

import streamlit as st

from glassformer.app.pages.training.curves import Training
from glassformer.app.pages.training.steps import draw_steps
from glassformer.app.panels.words import words_panel
from glassformer.app.panels.words.words_panel import apply_layout
from glassformer.app.ui.component import go_to_place
from glassformer.app.ui.layout import box
from glassformer.app.words import say, say_each
from glassformer.core.analysis.training_views import agreeing_words, marked_text


def show(training: Training) -> None:
    """Draw the list of all steps beside the words of one; a click on a step goes there."""
    apply_layout()
    texts = say_each("training.step training_translation.translation training.nothing")
    if training.trace.task == "continue":
        texts["translation"] = say("training_translation.continued")
    language = training.trace.language  # of the translations
    data = {
        "rows": translation_rows(training),
        "now": training.place,
        "language": language,
        "texts": texts,
    }
    left, right = st.columns([6, 5], gap="medium")
    with left, box("fill", "training_steps", gap=None):
        go = go_to_place(len(training.steps), training.go)
        draw_steps("step_table", data, height="stretch", go=go)
    with right, box("fill", "training_words", gap="xsmall"):
        words_panel.show(training.trace, candidates=False)


def translation_rows(training: Training) -> list[dict[str, Any]]:
    """A row a step; words that stand in the translation of the end, in its order, are marked."""
    end = training.replay.moments[-1].tokens
    return [
        {
            "step": str(each.step),
            "parts": marked_text(each.text, each.tokens, agreeing_words(each.tokens, end)),
        }
        for each in training.replay.moments
    ]
