"""Why the scores are divided by √d_k."""

from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.figures.softmax import row_tables, scaling_figure
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.lab.softmax import WIDTHS, Row, Scaling, measure_scaling, one_row

SCALING = (
    Field("d_k", "d_k", 64, "slider", "key", low=1, high=max(WIDTHS), step=1),
    Field("keys", "", 8, "slider", "key", low=2, high=16, step=1),
    Field("scores", "q · k", (112, 96, 88), "row", "weights", grow=("columns",), least=2, most=8),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("scaling")
    answer = kit.compute_from_inputs("scaling", SCALING, _scaling)
    sweep, row = answer.result

    def draw(answer: kit.Answer[tuple[Scaling, Row]]) -> None:
        kit.draw_chart("scaling", scaling_figure(answer.result[0], texts, look))

    kit.draw_with_foresight(answer, draw)
    st.markdown(f"**{say('lab_scaling.own', d_k=sweep.d_k)}**")
    st.html(row_tables(row, texts, look))


def _scaling(d_k: Any, keys: Any, scores: Any) -> tuple[Scaling, Row]:
    """The means for every width and the chosen one, and the typed row."""
    return measure_scaling(d_k, keys), one_row(scores, d_k)
