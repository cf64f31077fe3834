"""A page for the test of charts: a hatched heat map and a plain one; run by test_chart.py."""

import numpy as np
import streamlit as st

from glassformer.app.plots import drawing as go
from glassformer.app.plots.theme import FigureStyle, base_layout, hatch_cells, token_axis
from glassformer.app.ui.chart import Click, show_chart

TOKENS = ["<s>", "a", "b", "&lt;", "动物"]


def note(click: Click) -> None:
    st.session_state["said"] = f"{click.chart} {click.x} {click.y} {click.custom}"


turn = st.number_input("turn", value=0)
weights = np.full((5, 5), 0.1 * (turn + 1), dtype=np.float32)
look = FigureStyle()
axes = {
    "xaxis": token_axis(TOKENS, look, 400, "top"),
    "yaxis": token_axis(TOKENS, look, 400, "left"),
}
cells = go.Heatmap(z=weights, customdata=np.arange(25).reshape(5, 5))
forbidden = hatch_cells(np.tril(np.ones((5, 5), dtype=bool)), look)
matrix = go.Figure([cells, forbidden], base_layout(look, 400, **axes))
show_chart(matrix, "matrix", "a matrix", f"matrix_{turn}", clicked=note)
picture = go.Figure(go.Heatmap(z=np.full((5, 5), turn % 5)), base_layout(look, 400, **axes))
show_chart(picture, "picture", "a picture", clicked=note)
st.text(st.session_state.get("said", "nothing yet"))
