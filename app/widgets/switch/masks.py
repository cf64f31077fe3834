"""Masks: who may look at whom, painted cell by cell, drawn by presets, switched as a whole."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import state
from app.widgets.chart import current_look
from app.widgets.mask_grid import MaskGrid, mask_grid
from app.widgets.pick import into, segments
from app.widgets.style import put_sheet
from app.widgets.switch import mask_paint, mask_quick, mask_rows
from app.widgets.switch.mask_focus import MaskFocus, pickers
from app.words import say

NAMES = (
    "hide", "hide_help", "show", "show_help", "clear", "clear_help", "strokes", "brushes",
    "cell", "cell_help", "row", "row_help", "column", "column_help", "band", "band_help",
    "across", "down", "whole_row", "whole_column", "allowed", "forbidden", "mixed", "changed",
    "pair", "weight",
)  # fmt: skip

# What the presets are called: a word of the translation is no neighbour of one of the source.
CALLED = {False: ("itself", "neighbours"), True: ("itself_cross", "neighbours_cross")}


def show() -> None:
    """Draw the group for the attention in focus."""
    put_sheet(__file__, "masks.css")
    focus = MaskFocus.current()
    with st.container(key="masks", gap="xsmall"):
        pickers(focus.trace)
        _title(focus)
        with st.container(key="mask_box", gap=None):
            _grid(focus)
        _presets(focus)
        mask_quick.show(focus)
        with st.container(key="mask_told", gap="xxsmall"):
            mask_rows.show(focus)


def _title(focus: MaskFocus) -> None:
    shape = " × ".join(map(str, focus.trace[f"{focus.place}/mask"].shape))
    labels = {meaning: say(f"masks.ones_{meaning}") for meaning in ("look", "hidden")}

    with st.container(key="mask_title", horizontal=True, gap="small"):
        address = f":small[:gray[`{focus.place}/mask` (B × H × T × S) = {shape}]]"
        st.markdown(f"**{say('masks.title')}**  \n{address}", width="stretch")
        segments("mask_ones_mean", say("masks.ones"), labels, focus.now.ones, into("ones"))


def _grid(focus: MaskFocus) -> None:
    now, (rows, columns) = focus.now, focus.sides
    texts = {name: say(f"masks.{name}") for name in NAMES}
    shown = (len(rows.tokens), len(columns.tokens))
    texts["hint"] = say("masks.hint" if focus.limit == shown else "masks.beyond")
    kind = say(f"masks.kind_{focus.kind}")
    texts["label"] = say("masks.label", attention=kind, rows=shown[0], columns=shown[1])
    mask_grid(
        MaskGrid(
            view=focus.view,
            sides=focus.sides,
            place=focus.place,
            heads=focus.heads,
            limit=focus.limit,
            brush=now.brush,
            stroke=now.stroke,
            ones=now.ones,
            revision=mask_paint.revision(),
            texts=texts,
        ),
        current_look(),
        on_paint=mask_paint.paint,
        on_tool=_take_tool,
    )


def _take_tool(chosen: Mapping[str, str]) -> None:
    state.update(**chosen)


def _presets(focus: MaskFocus) -> None:
    with st.container(key="mask_presets", horizontal=True, gap="xsmall"):
        for name, called in zip(mask_paint.PRESETS, CALLED[focus.kind == "cross"], strict=True):
            st.button(
                say(f"masks.{called}"),
                key=f"mask_{name}",
                help=say(f"masks.{called}_help"),
                on_click=mask_paint.draw,
                args=(name,),
            )
        st.button(
            say("masks.as_it_was"),
            key="mask_as_it_was",
            help=say("masks.as_it_was_help"),
            disabled=not mask_paint.can_restore(focus),
            on_click=mask_paint.restore,
        )
