"""The benches from scores to weights."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.dictionary.figures import (
    answers_table,
    entries_table,
    heat_figure,
    plane_figure,
)
from glassformer.app.pages.lab.figures.softmax import (
    bars_figure,
    keeps_table,
    row_tables,
    scaling_figure,
)
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.pages.lab.labels.figures import labels_tables
from glassformer.app.pages.lab.similarity.figures import alike_figure, alike_tables
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say, say_each
from glassformer.core.lab.dictionary import KEYS, QUERY, TEMPERATURES, VALUES, LookUp, look_up
from glassformer.core.lab.inputs import read_number
from glassformer.core.lab.labels import LOGITS, TRUE, Labels, labels
from glassformer.core.lab.similarity import KEYS as ASKED
from glassformer.core.lab.similarity import QUERY as QUERIED
from glassformer.core.lab.similarity import UNIT, Compared, compare_measures
from glassformer.core.lab.softmax import WIDTHS, Row, Scaling, measure_scaling, normalisers, one_row

SCALING = (
    Field("d_k", "d_k", 64, "slider", "key", low=1, high=max(WIDTHS), step=1),
    Field("keys", "", 8, "slider", "key", low=2, high=16, step=1),
    Field("scores", "q · k", (112, 96, 88), "row", "weights", grow=("columns",), least=2, most=8),
)
NORMALISERS = (
    Field("scores", "s", (2, 1, 0.5, -0.5), "row", "weights", grow=("columns",), least=2, most=8),
    Field("shift", "c", 1, step=1),
    Field("stretch", "f", 2, role="key", step=1),
)
MOST = 6  # entries of the dictionary
MOST_LABELS = 6
TRUTHS = {"one": [1, 0, 0, 0], "two": [1, 1, 0, 0], "none": [0, 0, 0, 0]}
LABELS = (
    Field("logits", "z", LOGITS, "row", "weights"),
    Field("true", "y", TRUE, "flags", "value"),
)


def show_scaling() -> None:
    """Why the scores are divided by √d_k."""
    look, texts = current_look(), kit.draw_bench_head("scaling")
    sweep, row = kit.compute_from_inputs("scaling", SCALING, _scaling).result
    kit.draw_chart("scaling", scaling_figure(sweep, texts, look))
    st.markdown(f"**{say('lab_scaling.own', d_k=sweep.d_k)}**")
    st.html(row_tables(row, texts, look))


def _scaling(d_k: Any, keys: Any, scores: Any) -> tuple[Scaling, Row]:
    """The means for every width and the chosen one, and the typed row."""
    return measure_scaling(d_k, keys), one_row(scores, d_k)


def show_normalisers() -> None:
    """Softmax against ReLU, sigmoid and L2 norm."""
    look, texts = current_look(), kit.draw_bench_head("normalisers")
    answer = kit.compute_from_inputs("normalisers", NORMALISERS, normalisers)
    typed = answer.typed
    texts["shifted"] = say("lab_normalisers.shifted", shift=typed["shift"])
    texts["stretched"] = say("lab_normalisers.stretched", stretch=typed["stretch"])
    kit.draw_chart("normalisers", bars_figure(answer.result, texts, look))
    st.html(keeps_table(answer.result, texts, look))


def show_dictionary() -> None:
    """Attention as a dictionary that answers with a mixture."""
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
    found, heat, names = kit.compute_from_inputs("dictionary", fields, _dictionary, ties).result
    with box("fill", "lab_chart", horizontal=True, gap="small"):
        plane = plane_figure(found, names, texts, look)
        heats = heat_figure(found, heat, names, texts, look)
        with box("fill", "lab_dictionary_left", gap=None):
            show_chart(plane, "lab_dictionary_plane", texts["alt_plane"], fill=True)
        with box("fill wide", "lab_dictionary_right", gap=None):
            show_chart(heats, "lab_dictionary_heat", texts["alt_heat"], fill=True)
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


def show_similarity() -> None:
    """The dot product against the distance."""
    look, texts = current_look(), kit.draw_bench_head("similarity")
    entries = [
        *say_each(
            "lab_similarity.entry_first lab_similarity.entry_second lab_similarity.entry_third"
        ).values()
    ]
    start = {"query": QUERIED, "names": entries}
    sets = {"notes": ASKED, "unit": UNIT}
    kit.draw_presets("similarity", {name: start | {"keys": keys} for name, keys in sets.items()})
    fields = [
        Field("query", "q", QUERIED, "row", "query"),
        Field("names", "", entries, "row", "key", grow=("columns",), least=2, most=MOST,
              of_words=True),
        Field("keys", "K", ASKED, "table", "key"),
        Field("measure", "", "distance", "choice", "data", options=("distance", "squared")),
    ]  # fmt: skip
    ties = [[("names", "columns"), ("keys", "rows")]]
    answer = kit.compute_from_inputs("similarity", fields, _similarity, ties)
    found, names = answer.result
    with box("fill", "lab_chart", horizontal=True, gap="medium"):
        with box("fill", "lab_similarity_plane", gap=None):
            figure = alike_figure(found, names, texts, look)
            show_chart(figure, "lab_similarity_chart", texts["alt"], fill=True)
        with box("rest", "lab_similarity_told", gap="small"):
            titled = texts | {"distance": texts[f"measure_{answer.typed['measure']}"]}
            st.html(alike_tables(found, names, titled, look))
            st.markdown(_verdict(found, names))
            st.markdown(f":small[{texts['drawn']}]")


def _similarity(names: Any, query: Any, keys: Any, measure: Any) -> tuple[Compared, list[str]]:
    found = compare_measures(query, keys, measure)
    return found, fill_names(names, len(found.keys))


def _verdict(found: Compared, names: Sequence[str]) -> str:
    """Where the two measures pick differently, and why not."""
    product, distance = (literal(names[each.best]) for each in (found.product, found.distance))
    known = {"product": product, "distance": distance}
    if found.identical:
        return say("lab_similarity.identical", **known)
    if product != distance:
        length = current_look().number(float(found.lengths[found.product.best]))
        return say("lab_similarity.apart", **known, length=length)
    if found.same_length:
        return say("lab_similarity.same_length", **known)
    return say("lab_similarity.agree", **known)


def fill_names(names: Any, count: int) -> list[str]:
    """So many names: those typed, and numbers for the rest."""
    known = [str(each) for each in names][:count]
    return known + [str(at + 1) for at in range(len(known), count)]


def show_labels() -> None:
    """Softmax for one label against a sigmoid for each of several."""
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
    st.html(labels_tables(found, known, texts, current_look()))


def _labels(names: Any, logits: Any, true: Any) -> tuple[Labels, list[str]]:
    found = labels(logits, true)
    return found, fill_names(names, len(found.logits))
