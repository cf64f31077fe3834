"""A page for the test of the bridge: a hatched heat map and an image; run by test_bridge.py."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from app.figures.drawing import Figure
from app.figures.theme import Look, base_layout, hatching, token_axis
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import show_chart

TOKENS = ["<s>", "a", "b", "&lt;", "动物"]


def note(click: Click) -> None:
    st.session_state["said"] = f"{click.chart} {click.x} {click.y} {click.custom}"


turn = st.number_input("turn", value=0)
weights = np.full((5, 5), 0.1 * (turn + 1), dtype=np.float32)
look = Look()
axes = {
    "xaxis": token_axis(TOKENS, look, 400, "top"),
    "yaxis": token_axis(TOKENS, look, 400, "left"),
}
matrix = Figure(go.Heatmap(z=weights, customdata=np.arange(25).reshape(5, 5)))
matrix.add_trace(hatching(np.tril(np.ones((5, 5), dtype=bool)), look))
matrix.update_layout(**base_layout(look, 400, **axes))
show_chart(matrix, "matrix", "a matrix")
pixels = np.zeros((5, 5, 3), dtype=np.uint8) + 40 * (turn % 5)
picture = Figure(go.Image(z=pixels))
picture.update_layout(**base_layout(look, 400, **axes))
show_chart(picture, "picture", "a picture")
plotly_clicks(["matrix", "picture"], note)
st.text(st.session_state.get("said", "nothing yet"))
