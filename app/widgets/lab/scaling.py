"""Bench: the softmax with and without √d_k."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from app.figures.lab_scaling import MEASURES, row_tables, scaling_figure
from app.widgets.chart import current_look, show_chart
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.words import say
from core.lab.inputs import whole
from core.lab.scaling import WIDTHS, Row, Scaling, one_row, scaling

QUERIES = 60  # rows the means are taken over
SCORES = (112, 96, 88)
TEXTS = (
    *MEASURES, "raw", "scaled", "alike", "axis", "scores", "weights", "measured",
    "entropy_short", "gradient_short",
)  # fmt: skip


class Both(NamedTuple):
    """Random rows for every width, and the row that was typed."""

    sweep: Scaling
    row: Row
    d_k: int


def show() -> None:
    """Draw the bench."""
    kit.head("scaling")
    found = kit.worked("scaling", _fields(), compute).result
    look, texts = current_look(), {name: say(f"lab_scaling.{name}") for name in TEXTS}
    with st.container(key="lab_chart"):
        figure = scaling_figure(found.sweep, found.d_k, texts, look)
        show_chart(figure, "lab_scaling_chart", say("lab_scaling.alt"), fill=True)
    st.markdown(f"**{say('lab_scaling.own', d_k=found.d_k)}**")
    st.html(row_tables(found.row, texts, look))


def compute(d_k: Any, keys: Any, scores: Any) -> Both:
    """The means for every width and the chosen one, and the typed row."""
    width = whole("d_k", d_k, 1, max(WIDTHS))
    many = whole("keys", keys, 2, 16)
    row = one_row(scores, width)
    return Both(scaling(sorted({*WIDTHS, width}), many, QUERIES), row, width)


def _fields() -> list[Field]:
    return [
        Field("d_k", "d_k", 64, "slider", "key", low=1, high=max(WIDTHS), step=1,
              about=say("lab_scaling.about_d_k")),
        Field("keys", say("lab_scaling.keys"), 8, "slider", "key", low=2, high=16, step=1,
              about=say("lab_scaling.about_keys")),
        Field("scores", "q · k", SCORES, "row", "weights", grow=("columns",), least=2, most=8,
              about=say("lab_scaling.about_scores")),
    ]  # fmt: skip
