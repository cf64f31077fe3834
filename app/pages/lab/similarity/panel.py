"""The dot product against the distance."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.inputs import Field, fill_names
from glassformer.app.pages.lab.similarity.figures import alike_figure, alike_tables
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import literal
from glassformer.app.words import say, say_each
from glassformer.core.lab.similarity import KEYS as ASKED
from glassformer.core.lab.similarity import QUERY as QUERIED
from glassformer.core.lab.similarity import UNIT, Compared, compare_measures

MOST = 6  # entries


def show() -> None:
    """Draw the inputs and what comes of them."""
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
