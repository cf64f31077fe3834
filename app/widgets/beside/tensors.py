"""The Tensors page for two runs: the tree stays, the picture is the triple."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import streamlit as st

from app import service
from app.figures.triple_layout import TripleLayout
from app.service import Pair
from app.widgets.beside import triple
from app.widgets.beside.triple import Asked
from app.widgets.chart import current_look
from app.widgets.style import put_sheet
from app.widgets.tensors import catalogue, controls, title
from core.reading.sheets import Plan, Sheet

LAYOUT = TripleLayout(width=970, height=500)
KEY = "beside_tensor"


def show(pair: Pair) -> None:
    """Draw the tree of the run on screen, and the picked tensor of both."""
    st.html(Path(__file__).parents[1] / "tensors" / "layout.css")
    put_sheet(__file__, "tensors.css")
    trace, look = service.on_screen(), current_look()
    tree, tensor = st.columns([28, 72], gap="medium")
    with tree:
        catalogue.show(trace, look)
    with tensor, st.container(gap="xsmall"):
        address = catalogue.picked(trace)
        title.show(trace, address, look)
        chosen = controls.planned(trace, address)
        sheet = controls.show(trace, address, chosen, with_forms=False)
        triple.show(pair, asked(address, chosen, sheet), KEY, "", LAYOUT)


def asked(address: str, chosen: Plan, sheet: Sheet) -> Asked:
    """The plan of one run for both; of a long axis the neighbours that were chosen."""
    names = (chosen.rows.name, chosen.columns.name) if chosen.columns else None
    parts = {
        str(lines.axis.name): lines.indices
        for lines in (sheet.rows, sheet.columns)
        if lines.axis is not None
        and lines.labels is None
        and len(lines) < lines.axis.size
        and bool((np.diff(lines.indices) == 1).all())
    }
    return Asked(address, names, chosen.pins, parts=parts)
