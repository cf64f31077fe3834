"""The Tensors page for two runs: the tree stays, the picture is the triple."""

import numpy as np
import streamlit as st

from glassformer.app.pages.tensors import controls, facts
from glassformer.app.panels.compare import triple
from glassformer.app.panels.compare.figures.triple_layout import TripleLayout
from glassformer.app.panels.compare.triple import Matrix
from glassformer.app.runs import on_screen
from glassformer.app.session.memory import Pair
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.style import put_sheet
from glassformer.core.analysis.tensor_slice import Plan, Sheet

LAYOUT = TripleLayout(width=970, height=500)
KEY = "beside_tensor"


def show(pair: Pair) -> None:
    """Draw the tree of the run on screen, and the picked tensor of both."""
    put_sheet(__file__, "tensors.css")
    trace, look = on_screen.trace_on_screen(), current_look()
    tree, tensor = st.columns([28, 72], gap="medium")
    with tree:
        controls.show_tree(trace, look, controls.address_on_screen(trace))
    with tensor, st.container(gap="xsmall"):
        address = controls.address_on_screen(trace)
        facts.show_title(trace, address, look)
        chosen = controls.plan_of_state(trace, address)
        sheet = controls.show(trace, address, chosen, with_forms=False)
        triple.show(pair, matrix_of_plan(address, chosen, sheet), KEY, "", LAYOUT)


def matrix_of_plan(address: str, chosen: Plan, sheet: Sheet) -> Matrix:
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
    return Matrix(address, names, chosen.pins, parts=parts)
