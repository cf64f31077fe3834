"""Softmax for one label against a sigmoid for each of several."""

from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.inputs import Field, fill_names
from glassformer.app.pages.lab.labels.figures import labels_tables
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say_each
from glassformer.core.lab.labels import LOGITS, TRUE, Labels, labels

MOST_LABELS = 6
TRUTHS = {"one": [1, 0, 0, 0], "two": [1, 1, 0, 0], "none": [0, 0, 0, 0]}
LABELS = (
    Field("logits", "z", LOGITS, "row", "weights"),
    Field("true", "y", TRUE, "flags", "value"),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    texts = kit.draw_bench_head("labels")
    names = [
        *say_each(
            "lab_labels.entry_first lab_labels.entry_second lab_labels.entry_third "
            "lab_labels.entry_fourth"
        ).values()
    ]
    start = {"names": names, "logits": LOGITS}
    kit.draw_presets("labels", {name: start | {"true": [true]} for name, true in TRUTHS.items()})
    field = Field("names", "", names, "row", "key", grow=("columns",), least=2, most=MOST_LABELS,
                  of_words=True)  # fmt: skip
    ties = [[(each, "columns") for each in ("names", "logits", "true")]]
    found, known = kit.compute_from_inputs("labels", [field, *LABELS], _labels, ties).result
    with st.container(key="lab_labels_tables"):
        st.html(labels_tables(found, known, texts, current_look()))


def _labels(names: Any, logits: Any, true: Any) -> tuple[Labels, list[str]]:
    found = labels(logits, true)
    return found, fill_names(names, len(found.logits))
