"""An RNN, convolutions and attention on the same words, beside the paper's Table 1."""

from functools import lru_cache
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.why.figures import table_html, time_figure, travel_figure
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.inputs import read_choice
from glassformer.core.lab.why_attention import (
    LONGEST,
    WINDOW,
    Race,
    run_routes,
    table_one,
    time_layers,
)

VIEWS = ("travel", "time")
WHY = (
    Field("view", "", "travel", "choice", "weights", options=VIEWS),
    Field("length", "n", 24, "slider", low=2, high=LONGEST, step=1),
    Field("width", "d", 16, "slider", low=4, high=16, step=4),
    Field("kernel", "k", 3, "slider", low=2, high=9, step=1),
    Field("window", "r", WINDOW, "slider", low=4, high=LONGEST, step=4),
)
RACED = (8, 16, 32, 64, 128, 256, 512, 1024)  # words
RACE_WIDTH, RACE_KERNEL, RACE_SECONDS = 64, 3, 3


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("why")
    answer = kit.compute_from_inputs("why", WHY, _why)
    (found, bounds), view = answer.result, answer.typed["view"]

    def draw(answer: kit.Answer[tuple[Any, Any]]) -> None:
        if answer.typed["view"] == "travel":  # the other picture is measured, not computed
            figure = travel_figure(answer.result[0], texts, look)
            show_chart(figure, "lab_why_travel", texts["alt_travel"], fill=True)

    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with box("fill", "lab_why_picture", gap="xsmall"):
            if view == "travel":
                kit.draw_with_foresight(answer, draw)
            else:
                figure = time_figure(_race(), texts, look)
                show_chart(figure, "lab_why_time", texts["alt_time"], fill=True)
        with st.container(key="lab_why_table", gap=None, width=464):
            sizes = say("lab_why.sizes", **answer.typed)
            st.markdown(f"**{texts['table']}** :small[{sizes}]")
            st.html(table_html(bounds, found, texts, look))
            layers = {each.kind: each.layers for each in found}
            stacks = {"stacked": layers["convolution"], "spaced": layers["dilated"]}
            st.markdown(f":small[{say('lab_why.layers', **stacks)}]")


@lru_cache(maxsize=32)
def _why(length: Any, width: Any, kernel: Any, window: Any, view: Any) -> tuple[Any, Any]:
    """What was measured on one sequence, and the paper's bounds for it."""
    read_choice("view", view, VIEWS)
    return (
        run_routes(length, width, kernel, window=window),
        table_one(length, width, kernel, window),
    )


def _race() -> Race | None:
    """The button and the last race of this session."""
    found = store.memory().lab_race
    button, line = st.columns([1, 2.2], gap="small", vertical_alignment="center")
    said = line.empty()
    if button.button(say("lab_why.measure"), key="lab_why_measure", width="stretch"):
        report = said.progress(0.0).progress
        found = time_layers(RACED, RACE_WIDTH, RACE_KERNEL, limit=RACE_SECONDS, report=report)
        store.memory().lab_race = found
    slower = found.overtaken if found else None
    name = "waiting" if found is None else "from" if slower else "never"
    sizes = {"width": RACE_WIDTH, "kernel": RACE_KERNEL, "longest": max(RACED)}
    verdict = say(f"lab_why.race_{name}", limit=RACE_SECONDS, length=slower, **sizes)
    said.markdown(f":small[{verdict}]")
    return found
