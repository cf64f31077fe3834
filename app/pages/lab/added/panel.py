"""A position added, the same as one product, and a position concatenated."""

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.added.figures import beside_tables, costs_table, product_tables
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.lab.added import join_positions

ADDED = (
    Field("x", "x", ((1, 0), (0.5, 2)), "table", grow=("rows", "columns"), least=1, most=4),
    Field("positions", "p", (0, 3), "row", "query"),
    Field("matrix", "A", ((1, 2, 0, -1), (0.5, 0, 1, 1)), "table", by=2, least=2, most=6,
          grow=("columns",)),
    Field("d_model", "d_model", 512, low=8, high=2048, step=8),
    Field("d_position", "", 512, role="query", low=8, high=2048, step=8),
)  # fmt: skip


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("added")
    ties = [[("x", "rows"), ("positions", "columns")], [("x", "columns"), ("matrix", "rows")]]
    found = kit.compute_from_inputs("added", ADDED, join_positions, ties).result
    difference = look.number(found.difference)
    texts["sum"] = say("lab_added.sum", difference=difference)
    st.html(f'<div class="lab-sums">{product_tables(found, texts, look)}</div>')
    with st.container(key="lab_added_beside", horizontal=True, gap="large"):
        st.html(beside_tables(found, texts, look), width="content")
        st.html(costs_table(found, texts), width="content")
