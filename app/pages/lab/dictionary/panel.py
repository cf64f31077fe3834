"""Attention as a dictionary that answers with a mixture."""

from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.dictionary.figures import (
    answers_table,
    entries_table,
    heat_figure,
    plane_figure,
)
from glassformer.app.pages.lab.inputs import Field, fill_names
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say_each
from glassformer.core.lab.dictionary import KEYS, QUERY, TEMPERATURES, VALUES, LookUp, look_up
from glassformer.core.lab.inputs import read_number

MOST = 6  # entries of the dictionary


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("dictionary")
    entries = [
        *say_each(
            "lab_dictionary.entry_first lab_dictionary.entry_second lab_dictionary.entry_third"
        ).values()
    ]
    fields = [
        Field("query", "q", QUERY, "row", "query"),
        Field("names", "", entries, "row", "key", grow=("columns",), least=2, most=MOST,
              of_words=True),
        Field("keys", "K", KEYS, "table", "key"),
        Field("values", "V", VALUES, "table", "value"),
        Field("temperature", "T", 1, "slider", "weights", low=0.05, high=5, step=0.05),
    ]  # fmt: skip
    ties = [[("names", "columns"), ("keys", "rows"), ("values", "rows")]]
    answer = kit.compute_from_inputs("dictionary", fields, _dictionary, ties)
    found, _, names = answer.result

    def draw(answer: kit.Answer[tuple[LookUp, float, list[str]]]) -> None:
        found, heat, names = answer.result
        plane = plane_figure(found, names, texts, look)
        heats = heat_figure(found, heat, names, texts, look)
        with box("fill", "lab_chart", horizontal=True, gap="small"):
            with box("fill", "lab_dictionary_left", gap=None):
                show_chart(plane, "lab_dictionary_plane", texts["alt_plane"], fill=True)
            with box("fill wide", "lab_dictionary_right", gap=None):
                show_chart(heats, "lab_dictionary_heat", texts["alt_heat"], fill=True)

    kit.draw_with_foresight(answer, draw)
    with st.container(key="lab_dictionary_tables", horizontal=True, gap="large"):
        st.html(entries_table(found, names, texts, look), width="content")
        st.html(answers_table(found, names, texts, look), width="content")


def _dictionary(
    names: Any, query: Any, keys: Any, values: Any, temperature: Any
) -> tuple[LookUp, float, list[str]]:
    """The answer, the temperature and the names; keys in the plane, one number a value."""
    heat = read_number("temperature", temperature, TEMPERATURES[0], TEMPERATURES[-1])
    found = look_up(query, keys, values, heat, sizes=(2, 1))
    return found, heat, fill_names(names, len(found.keys))
