"""What becomes of a forbidden cell, and of a row in which every cell is forbidden."""

from __future__ import annotations

import streamlit as st
from torch import Tensor

from app.figures.labels import format_percent, visible
from app.widgets.switch import mask_paint
from app.widgets.switch.mask_focus import MaskFocus
from app.widgets.text import literal
from app.words import say

WRITTEN = {"large_negative": "−10⁹", "minus_infinity": "−∞", "additive": "−∞"}


def show(focus: MaskFocus) -> None:
    """The conventions; or what the softmax makes of rows that may look nowhere, and ways out."""
    if not focus.view.closed:
        fill = WRITTEN[focus.trace.config.mask_fill]
        for said in (say(f"masks.habit_{focus.now.ones}"), say("masks.exact", fill=fill)):
            st.markdown(f":gray[{said}]")
        return
    head, row = min(focus.view.closed, key=lambda each: (each[1], each[0]))
    weights = focus.trace[f"{focus.place}/weights"][0, head, row]
    st.markdown(_told(focus, row, weights))
    with st.container(key="mask_ways", horizontal=True, gap="xsmall"):
        _way("open_rows", mask_paint.open_rows)
        if weights.isnan().any():
            _way("to_number", mask_paint.fill_with, "large_negative")


def _told(focus: MaskFocus, row: int, weights: Tensor) -> str:
    rows = focus.view.closed_rows
    values = {"row": literal(visible(focus.sides[0].labels[row])), "heads": _heads(focus, row)}
    if weights.isnan().any():
        said = say("masks.closed_nan", **values)
    else:
        weight = format_percent(float(weights[0]), focus.now.precision)
        said = say("masks.closed_uniform", **values, weight=weight, keys=len(weights))
    if len(rows) > 1:
        between = "" if focus.now.language == "zh" else " "
        said += between + say("masks.closed_more", count=len(rows) - 1)
    return said


def _heads(focus: MaskFocus, row: int) -> str:
    heads = [head for head, closed in focus.view.closed if closed == row]
    if len(heads) == focus.trace.config.n_heads:
        return say("masks.heads_all")
    between = "、" if focus.now.language == "zh" else ", "
    return say("masks.heads_some", heads=between.join(str(head + 1) for head in heads))


def _way(name: str, act: object, *given: str) -> None:
    st.button(
        say(f"masks.{name}"),
        key=f"mask_{name}",
        help=say(f"masks.{name}_help"),
        on_click=act,  # type: ignore[arg-type]
        args=given,
    )
