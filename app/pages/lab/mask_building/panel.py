"""A mask line by line, and its copies over sentences and heads."""

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.figures.masks import boards_html, fits_table, lines_tables
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.mask_building import MOST_HEADS, RECIPES, WIDEST, Built, build_mask

BUILDING = (
    Field("recipe", "", "triu", "choice", "weights", options=RECIPES),
    Field("size", "S", 5, low=2, high=WIDEST, step=1),
    Field("hidden", "", 1, "slider", "weights", low=-1, high=2, step=1),
    Field("lengths", "", (5, 3), "row", "data", grow=("columns",), most=3),
    Field("heads", "H", 3, role="query", low=1, high=MOST_HEADS, step=1),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("mask_building")
    found = kit.compute_from_inputs("mask_building", BUILDING, build_mask, note=_empty_rows).result
    with box("across", "lab_mask_lines"):
        st.html(lines_tables(found, texts, look))
    sentences, heads, size, _ = found.spread.shape
    counts = {"stored": found.with_padding.numel(), "spread": found.spread.numel()}
    strides = ", ".join(map(str, found.spread.stride()))
    shape = f"({sentences}, {heads}, {size}, {size})"
    with st.container(key="lab_mask_spread", horizontal=True, gap="large"):
        st.html(boards_html(found.spread, texts), width="content")
        with st.container(gap=None):
            copied = say("lab_mask_building.copied", shape=shape, strides=strides, **counts)
            st.markdown(copied)
            st.html(fits_table(found, texts, look))


def _empty_rows(found: Built, _edited: bool) -> str:
    rows = say("language.comma").join(
        str(at + 1) for at in found.empty.nonzero().flatten().tolist()
    )
    if not rows:
        return ""
    kind = "nan" if found.weights.isnan().any() else "uniform"
    return say(f"lab_mask_building.empty_{kind}", rows=rows)
