"""Bench: attention as a dictionary that answers with a mixture."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from app.figures.lab_dictionary import answers_table, entries_table, heat_figure, plane_figure
from app.widgets.chart import current_look, show_chart
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.words import say
from core.lab.dictionary import KEYS, QUERY, TEMPERATURES, VALUES, LookUp, Mixture, look_up, mixture
from core.lab.inputs import array, number

TEXTS = (
    "query", "weight", "answer", "hard", "mean", "axis", "scores", "scaled", "value", "term",
    "exact", "exact_none", "nearest", "soft", "blind",
)  # fmt: skip
MOST = 6  # entries


class Asked(NamedTuple):
    """The dictionary as it was read, and its answer."""

    names: tuple[str, ...]
    query: np.ndarray  # (2,)
    keys: np.ndarray  # (S, 2)
    values: np.ndarray  # (S, 1)
    temperature: float
    found: LookUp
    mixed: Mixture


def show() -> None:
    """Draw the bench."""
    kit.head("dictionary")
    ties = [[("names", "columns"), ("keys", "rows"), ("values", "rows")]]
    asked = kit.worked("dictionary", _fields(), compute, ties).result
    look, texts = current_look(), {name: say(f"lab_dictionary.{name}") for name in TEXTS}
    with st.container(key="lab_chart", horizontal=True, gap="small"):
        plane = plane_figure(
            asked.query.tolist(), asked.keys, asked.found, asked.names, texts, look
        )
        heat = heat_figure(asked.found, asked.temperature, asked.names, texts, look)
        with st.container(key="lab_dictionary_left", gap=None):
            show_chart(plane, "lab_dictionary_plane", say("lab_dictionary.alt_plane"), fill=True)
        with st.container(key="lab_dictionary_right", gap=None):
            show_chart(heat, "lab_dictionary_heat", say("lab_dictionary.alt_heat"), fill=True)
    with st.container(key="lab_dictionary_tables", horizontal=True, gap="large"):
        width = asked.keys.shape[1]
        st.html(
            entries_table(asked.found, asked.mixed, asked.values, asked.names, width, texts, look),
            width="content",
        )
        st.html(answers_table(asked.found, asked.values, asked.names, texts, look), width="content")


def compute(names: Any, query: Any, keys: Any, values: Any, temperature: Any) -> Asked:
    """The answer now and along the temperatures."""
    heat = number("temperature", temperature, TEMPERATURES[0], TEMPERATURES[-1])
    heats = sorted({*TEMPERATURES, heat})
    found = look_up(query, keys, values, heat, heats)
    k, v = array("keys", keys, 2, (None, 2)), array("values", values, 2, (None, 1))
    q = array("query", query, 1, (2,))
    known = [str(each) for each in names][: len(k)]
    known += [str(at + 1) for at in range(len(known), len(k))]
    mixed = mixture(found.weights, v)
    return Asked(tuple(known), q.numpy(), k.numpy(), v.numpy(), heat, found, mixed)


def _fields() -> list[Field]:
    entries = [say(f"lab_dictionary.entry_{at}") for at in ("first", "second", "third")]
    return [
        Field("query", "q", QUERY, "row", "query", about=say("lab_dictionary.about_query")),
        Field("names", say("lab_dictionary.names"), entries, "row", "key", of_words=True,
              about=say("lab_dictionary.about_names"), grow=("columns",), least=2, most=MOST),
        Field("keys", "K", KEYS, "table", "key", about=say("lab_dictionary.about_keys")),
        Field("values", "V", VALUES, "table", "value", about=say("lab_dictionary.about_values")),
        Field("temperature", "T", 1, "slider", "weights", low=0.05, high=5, step=0.05,
              about=say("lab_dictionary.about_temperature")),
    ]  # fmt: skip
