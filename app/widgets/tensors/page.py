"""The page: the tree on the left; the picked tensor, its numbers and its files on the right."""

from __future__ import annotations

import streamlit as st

from app import state
from app.admission import admitted
from app.widgets import trail
from app.widgets.chart import current_look
from app.widgets.style import put_sheet
from app.widgets.tensors import catalogue, controls, downloads, facts, picture, title
from app.widgets.tensors.written import snippet
from core.trace.trace import Trace


def show(trace: Trace) -> None:
    """Draw the page for a run."""
    put_sheet(__file__, "layout.css")
    tree, tensor = st.columns([28, 72], gap="medium")
    with tree:
        catalogue.show(trace, current_look())
    with tensor:
        _tensor(trace)


@st.fragment
@admitted
def _tensor(trace: Trace) -> None:
    """Everything about the picked tensor; other axes or another index leave the tree alone."""
    trail.redraw()
    look, address = current_look(), catalogue.picked(trace)
    title.show(trace, address, look)
    chosen = controls.planned(trace, address)
    sheet = controls.show(trace, address, chosen)
    left, right = st.columns(controls.WIDTHS, gap="medium")
    with left, st.container(gap="xsmall"):
        whole = catalogue.measure_of(trace, address)
        picture.show(trace, address, chosen, sheet, whole, state.get_state().form)
        with st.container(key="tensors_code"):
            st.code(snippet(trace, address, chosen, state.get_state()), language="python")
    with right:
        facts.show(trace, address, sheet, whole, look)
        downloads.show(trace, address)
