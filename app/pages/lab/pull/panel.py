"""What values do to a word: a weighted sum of arrows."""

from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.inputs import Field, fill_names
from glassformer.app.pages.lab.pull.figures import pull_figure, pull_tables
from glassformer.app.plots.labels import visible
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say_each
from glassformer.core.lab.dictionary import LookUp, look_up
from glassformer.core.lab.inputs import array

MOST = 6  # words
SCORES = (0.5, 1.5, 0.0)
VALUES = ((3.0, -1.0), (1.0, 3.0), (4.0, 1.0))


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("pull")
    words = [*say_each("lab_pull.entry_first lab_pull.entry_second lab_pull.entry_third").values()]
    fields = [
        Field("names", "", words, "row", "key", grow=("columns",), least=2, most=MOST,
              of_words=True),
        Field("scores", "s", SCORES, "row", "weights"),
        Field("values", "V", VALUES, "table", "value"),
        Field("temperature", "T", 1, "slider", "weights", low=0.25, high=20, step=0.25),
    ]  # fmt: skip
    ties = [[("names", "columns"), ("scores", "columns"), ("values", "rows")]]
    answer = kit.compute_from_inputs("pull", fields, _pull, ties)

    def draw(answer: kit.Answer[tuple[LookUp, list[str]]]) -> None:
        found, names = answer.result
        told = texts | {"sum": texts["sum"].format(word=visible(names[0]))}
        with box("fill", "lab_chart", horizontal=True, gap="medium"):
            with box("fill wide", "lab_pull_plane", gap=None):
                show_chart(
                    pull_figure(found, names, told, look), "lab_pull_chart", told["alt"], fill=True
                )
            with box("rest", "lab_pull_told", gap="small"):
                st.html(pull_tables(found, names, told, look))

    kit.draw_with_foresight(answer, draw)


def _pull(names: Any, scores: Any, values: Any, temperature: Any) -> tuple[LookUp, list[str]]:
    """The dictionary whose keys are the scores of a query 1, and the words."""
    keys = array("scores", scores)[:, None]
    found = look_up((1.0,), keys, values, temperature, sizes=(1, 2))
    return found, fill_names(names, len(found.keys))
