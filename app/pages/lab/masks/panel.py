"""Six ways to apply one mask."""

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.figures.softmax import ways_tables
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.ui.chart import current_look
from glassformer.app.words import say
from glassformer.core.lab.masks import PRECISIONS, masks
from glassformer.core.model.masks import causal_mask

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


def show() -> None:
    """Draw the inputs and what comes of them."""
    texts = kit.draw_bench_head("masks")
    start = {"scores": MASKED, "meaning": "visible"}
    kit.draw_presets("masks", {name: start | {"mask": mask} for name, mask in DRAWN.items()})
    ties = [[("scores", side), ("mask", side)] for side in ("rows", "columns")]
    found = kit.compute_from_inputs("masks", MASKS, masks, ties).result
    between = {"after": say("language.gap"), "comma": say("language.comma")}
    st.html(ways_tables(found, texts | between, current_look()))
