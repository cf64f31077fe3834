"""Bench: softmax against ReLU, sigmoid and L2 norm."""

from __future__ import annotations

import streamlit as st

from app.figures.lab_normalisers import KEEPS, bars_figure, keeps_table
from app.widgets.chart import current_look, show_chart
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.words import say
from core.lab.normalisers import SHARES, normalisers

SCORES = (2, 1, 0.5, -0.5)
TEXTS = (*SHARES, *KEEPS, "weights", "total")


def show() -> None:
    """Draw the bench."""
    kit.head("normalisers")
    answer = kit.worked("normalisers", _fields(), normalisers)
    look, typed = current_look(), answer.typed
    texts = {name: say(f"lab_normalisers.{name}") for name in TEXTS}
    texts["shifted"] = say("lab_normalisers.shifted", shift=typed["shift"])
    texts["stretched"] = say("lab_normalisers.stretched", stretch=typed["stretch"])
    with st.container(key="lab_chart"):
        figure = bars_figure(answer.result, texts, look)
        show_chart(figure, "lab_normalisers_chart", say("lab_normalisers.alt"), fill=True)
    st.html(keeps_table(answer.result, texts, look))


def _fields() -> list[Field]:
    return [
        Field("scores", "s", SCORES, "row", "weights", grow=("columns",), least=2, most=8,
              about=say("lab_normalisers.about_scores")),
        Field("shift", "c", 1, about=say("lab_normalisers.about_shift"), step=1),
        Field("stretch", "f", 2, role="key", about=say("lab_normalisers.about_stretch"), step=1),
    ]  # fmt: skip
