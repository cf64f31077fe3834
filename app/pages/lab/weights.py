"""The benches from scores to weights."""

from typing import Any

import streamlit as st

from app.pages.lab import kit
from app.pages.lab.figures.dictionary import answers_table, entries_table, heat_figure, plane_figure
from app.pages.lab.figures.softmax import (
    bars_figure,
    keeps_table,
    row_tables,
    scaling_figure,
    ways_tables,
)
from app.pages.lab.inputs import Field
from app.ui.chart import current_look, show_chart
from app.ui.layout import box
from app.words import say
from core.lab.dictionary import KEYS, QUERY, TEMPERATURES, VALUES, LookUp, look_up
from core.lab.inputs import number
from core.lab.masks import PRECISIONS, masks
from core.lab.softmax import WIDTHS, Row, Scaling, normalisers, one_row, scaling
from core.model.masks import causal_mask

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
MASKED = (
    (2.0, 1.0, 0.5, 3.0), (1.0, 2.0, 0.0, 1.5), (0.5, -1.0, 2.0, 2.5), (1.5, 0.5, -0.5, 1.0),
)  # fmt: skip
SIDE = len(MASKED)
# What a press of a button draws: 1 where the query (row) may look at the key (column).
DRAWN = {
    "causal": causal_mask(SIDE)[0, 0].int().tolist(),
    "padding": [[1, 1, 1, 0]] * SIDE,
    "empty": [[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]],
    "all": [[1] * SIDE] * SIDE,
}
MASKS = (
    Field("scores", "S", MASKED, "table", "weights", grow=("rows", "columns"), least=2, most=SIDE),
    Field("mask", "M", DRAWN["causal"], "flags", "weights"),
    Field("meaning", "", "visible", "choice", "weights", options=("visible", "hidden")),
    Field("precision", "", "float32", "choice", "weights", options=tuple(PRECISIONS)),
)


def show_scaling() -> None:
    """Why the scores are divided by √d_k."""
    look, texts = current_look(), kit.head("scaling")
    sweep, row = kit.worked("scaling", SCALING, _scaling).result
    kit.chart("scaling", scaling_figure(sweep, texts, look))
    st.markdown(f"**{say('lab_scaling.own', d_k=sweep.d_k)}**")
    st.html(row_tables(row, texts, look))


def _scaling(d_k: Any, keys: Any, scores: Any) -> tuple[Scaling, Row]:
    """The means for every width and the chosen one, and the typed row."""
    return scaling(d_k, keys), one_row(scores, d_k)


def show_normalisers() -> None:
    """Softmax against ReLU, sigmoid and L2 norm."""
    look, texts = current_look(), kit.head("normalisers")
    answer = kit.worked("normalisers", NORMALISERS, normalisers)
    typed = answer.typed
    texts["shifted"] = say("lab_normalisers.shifted", shift=typed["shift"])
    texts["stretched"] = say("lab_normalisers.stretched", stretch=typed["stretch"])
    kit.chart("normalisers", bars_figure(answer.result, texts, look))
    st.html(keeps_table(answer.result, texts, look))


def show_dictionary() -> None:
    """Attention as a dictionary that answers with a mixture."""
    look, texts = current_look(), kit.head("dictionary")
    entries = [say(f"lab_dictionary.entry_{at}") for at in ("first", "second", "third")]
    fields = [
        Field("query", "q", QUERY, "row", "query"),
        Field("names", "", entries, "row", "key", grow=("columns",), least=2, most=MOST,
              of_words=True),
        Field("keys", "K", KEYS, "table", "key"),
        Field("values", "V", VALUES, "table", "value"),
        Field("temperature", "T", 1, "slider", "weights", low=0.05, high=5, step=0.05),
    ]  # fmt: skip
    ties = [[("names", "columns"), ("keys", "rows"), ("values", "rows")]]
    found, heat, names = kit.worked("dictionary", fields, _dictionary, ties).result
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
    heat = number("temperature", temperature, TEMPERATURES[0], TEMPERATURES[-1])
    found = look_up(query, keys, values, heat, sizes=(2, 1))
    known = [str(each) for each in names][: len(found.keys)]
    known += [str(at + 1) for at in range(len(known), len(found.keys))]
    return found, heat, known


def show_masks() -> None:
    """Six ways to apply one mask."""
    texts = kit.head("masks")
    start = {"scores": MASKED, "meaning": "visible"}
    kit.presets("masks", {name: start | {"mask": mask} for name, mask in DRAWN.items()})
    ties = [[("scores", side), ("mask", side)] for side in ("rows", "columns")]
    found = kit.worked("masks", MASKS, masks, ties).result
    between = {"after": say("language.gap"), "comma": say("language.comma")}
    st.html(ways_tables(found, texts | between, current_look()))
