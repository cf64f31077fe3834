"""Softmax against ReLU, sigmoid and L2 norm."""

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.figures.softmax import bars_figure, keeps_table
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.lab.softmax import normalisers

NORMALISERS = (
    Field("scores", "s", (2, 1, 0.5, -0.5), "row", "weights", grow=("columns",), least=2, most=8),
    Field("shift", "c", 1, step=1),
    Field("stretch", "f", 2, role="key", step=1),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("normalisers")
    answer = kit.compute_from_inputs("normalisers", NORMALISERS, normalisers)
    typed = answer.typed
    texts["shifted"] = say("lab_normalisers.shifted", shift=typed["shift"])
    texts["stretched"] = say("lab_normalisers.stretched", stretch=typed["stretch"])
    kit.draw_chart("normalisers", bars_figure(answer.result, texts, look))
    st.html(keeps_table(answer.result, texts, look))
