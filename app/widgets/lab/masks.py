"""Bench: six ways to apply one mask."""

from __future__ import annotations

import streamlit as st

from app import state
from app.figures.lab_masks import ways_tables
from app.widgets.chart import current_look
from app.widgets.lab import kit
from app.widgets.lab.kit import Field
from app.words import say
from core.lab.masks import PRECISIONS, WAYS, causal, masks

SCORES = (
    (2.0, 1.0, 0.5, 3.0), (1.0, 2.0, 0.0, 1.5), (0.5, -1.0, 2.0, 2.5), (1.5, 0.5, -0.5, 1.0),
)  # fmt: skip
SIDE = len(SCORES)
TEXTS = (
    *WAYS, "total", "fine", "own", "nan", "spreads", "no_gradient", "leaks", "sums", "uniform",
    "unmasked",
)  # fmt: skip
# What a press of a button draws: 1 where the query (row) may look at the key (column).
DRAWN = {
    "causal": causal(SIDE).int().tolist(),
    "padding": [[1, 1, 1, 0]] * SIDE,
    "empty": [[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]],
    "all": [[1] * SIDE] * SIDE,
}


def show() -> None:
    """Draw the bench."""
    kit.head("masks")
    with st.container(key="lab_masks_drawn", horizontal=True, gap="small"):
        st.markdown(f":small[{say('lab_masks.draw')}]", width="content")
        for name in DRAWN:
            st.button(
                say(f"lab_masks.drawn_{name}"),
                key=f"lab_masks_{name}",
                on_click=_draw,
                args=(name,),
            )
    ties = [
        [("scores", "rows"), ("mask", "rows")],
        [("scores", "columns"), ("mask", "columns")],
    ]
    found = kit.worked("masks", _fields(), masks, ties).result
    texts = {name: say(f"lab_masks.{name}") for name in TEXTS}
    chinese = state.get_state().language == "zh"
    texts["after"] = "" if chinese else " "
    separator = "、" if chinese else ", "
    st.html(ways_tables(found, texts, separator, current_look()))


def _draw(name: str) -> None:
    kit.put("masks", scores=[list(row) for row in SCORES], mask=DRAWN[name], meaning="visible")


def _fields() -> list[Field]:
    meanings = {name: say(f"lab_masks.meaning_{name}") for name in ("visible", "hidden")}
    return [
        Field("scores", "S", SCORES, "table", "weights", about=say("lab_masks.about_scores"),
              grow=("rows", "columns"), least=2, most=SIDE),
        Field("mask", "M", DRAWN["causal"], "flags", "weights",
              about=say("lab_masks.about_mask")),
        Field("meaning", say("lab_masks.meaning"), "visible", "choice", "weights",
              options=meanings),
        Field("precision", say("lab_masks.precision"), "float32", "choice", "weights",
              options={name: name for name in PRECISIONS}),
    ]  # fmt: skip
