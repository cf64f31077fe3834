"""Bench: layer norm beside batch norm."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app.figures.lab_batch_norm import moved_table, norm_tables
from app.widgets.chart import current_look
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.words import say
from core.lab.batch_norm import beside_batch_norm

X = (
    ((1.0, 2.0, 3.0, 4.0), (2.0, 0.0, 5.0, 1.0), (4.0, 1.0, 0.0, 3.0)),
    ((6.0, 7.0, 5.0, 9.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
)
WITHOUT_PADDING = (X[0], (X[1][0], (8.0, 5.0, 7.0, 4.0), (5.0, 9.0, 6.0, 6.0)))
LENGTHS = (3, 1)
BATCHES: dict[str, dict[str, Any]] = {
    "padded": {"x": X, "lengths": LENGTHS},
    "full": {"x": WITHOUT_PADDING, "lengths": (3, 3)},
    "alone": {"x": X[:1], "lengths": LENGTHS[:1]},
    "word": {"x": (X[0][:1],), "lengths": (1,)},
}
TEXTS = (
    "x", "padding", "layer", "batch", "layer_groups", "batch_groups", "neighbours", "padded",
)  # fmt: skip


def show() -> None:
    """Draw the bench."""
    kit.head("batch_norm")
    with st.container(key="lab_batches", horizontal=True, gap="small"):
        st.markdown(f":small[{say('lab_batch_norm.take')}]", width="content")
        for name in BATCHES:
            st.button(
                say(f"lab_batch_norm.batch_{name}"),
                key=f"lab_batch_norm_{name}",
                on_click=_take,
                args=(name,),
            )
    found = kit.worked("batch_norm", _fields(), beside_batch_norm).result
    look, texts = current_look(), {name: say(f"lab_batch_norm.{name}") for name in TEXTS}
    st.html(norm_tables(found, texts, look))
    st.markdown(f"**{say('lab_batch_norm.moved')}**")
    st.html(moved_table(found, texts, look))


def _take(name: str) -> None:
    kit.put("batch_norm", **BATCHES[name])


def _fields() -> list[Field]:
    return [
        Field("x", "x", X, "block", about=say("lab_batch_norm.about_x")),
        Field("lengths", say("lab_batch_norm.lengths"), LENGTHS, "row", "norm",
              about=say("lab_batch_norm.about_lengths")),
        Field("epsilon", "ε", 1e-6, role="norm"),
    ]  # fmt: skip
