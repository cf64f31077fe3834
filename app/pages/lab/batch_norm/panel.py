"""Layer norm beside batch norm."""

from typing import Any

import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.figures.norms import moved_table, norm_tables
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.ui.chart import current_look
from glassformer.core.lab.norms import beside_batch_norm

PADDED = (
    ((1.0, 2.0, 3.0, 4.0), (2.0, 0.0, 5.0, 1.0), (4.0, 1.0, 0.0, 3.0)),
    ((6.0, 7.0, 5.0, 9.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
)
FULL = (PADDED[0], (PADDED[1][0], (8.0, 5.0, 7.0, 4.0), (5.0, 9.0, 6.0, 6.0)))
BATCHES: dict[str, dict[str, Any]] = {
    "padded": {"x": PADDED, "lengths": (3, 1)},
    "full": {"x": FULL, "lengths": (3, 3)},
    "alone": {"x": PADDED[:1], "lengths": (3,)},
    "word": {"x": (PADDED[0][:1],), "lengths": (1,)},
}
BATCH_NORM = (
    Field("x", "x", PADDED, "block"),
    Field("lengths", "", (3, 1), "row", "norm"),
    Field("epsilon", "ε", 1e-6, role="norm"),
)


def show() -> None:
    """Draw the inputs and what comes of them."""
    look, texts = current_look(), kit.draw_bench_head("batch_norm")
    kit.draw_presets("batch_norm", BATCHES)
    found = kit.compute_from_inputs("batch_norm", BATCH_NORM, beside_batch_norm).result
    st.html(norm_tables(found, texts, look))
    st.markdown(f"**{texts['moved']}**")
    st.html(moved_table(found, texts, look))
