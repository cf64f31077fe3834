"""How the numbers of the picked tensor are distributed, and their statistics."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.figures.labels import format_number
from app.figures.tensor_bars import tensor_histogram
from app.figures.theme import Look
from app.widgets.chart import show_chart
from app.words import say
from core.reading.measure import Measure, histogram_at, measure
from core.reading.sheets import Sheet
from core.trace.trace import Trace

ALWAYS = ("count", "least", "most", "mean", "std")
WHERE_ANY = ("masked", "nan", "infinite")


def show(trace: Trace, address: str, sheet: Sheet, whole: Measure, look: Look) -> None:
    """Draw the histogram of the whole tensor and the table of statistics."""
    st.markdown(f"**{say('tensors.distribution')}**")
    drawn = histogram_at(trace, address)
    words = (say("tensors.value"), say("tensors.how_many"), say("tensors.how_many_log"))
    role = trace.site(address).role
    figure = tensor_histogram(drawn.edges, drawn.counts, role, words, look, height=170)
    show_chart(figure, "tensor_histogram", say("tensors.distribution"), f"{address} histogram")
    with st.container(key="tensors_statistics"):
        st.html(statistics_table(whole, measured_sheet(trace, address, sheet), look.precision))


def measured_sheet(trace: Trace, address: str, sheet: Sheet) -> Measure:
    """Statistics of what the picture shows."""
    fills = trace.site(address).name == "masked"
    return measure(sheet.values, sheet.allowed if fills else None)


def statistics_table(whole: Measure, shown: Measure, digits: int) -> str:
    """The statistics of the tensor and of the part on screen, as HTML."""
    names = [*ALWAYS, *(name for name in WHERE_ANY if getattr(whole, name))]
    heads = ("", say("tensors.whole"), say("tensors.shown"))
    head = "".join(f"<th scope='col'>{escape(each)}</th>" for each in heads)
    body = "".join(
        f"<tr><th scope='row'>{escape(say(f'tensors.stat_{name}'))}</th>"
        f"{_cell(getattr(whole, name), digits)}{_cell(getattr(shown, name), digits)}</tr>"
        for name in names
    )
    return f"<table class='statistics'><thead><tr>{head}</tr></thead>{body}</table>"


def _cell(value: float, digits: int) -> str:
    exact = f"{value:,}" if isinstance(value, int) else format_number(value, 9)
    written = f"{value:,}" if isinstance(value, int) else format_number(value, digits)
    missing = not isinstance(value, int) and np.isnan(value)
    return f"<td title='{escape(exact)}'>{'–' if missing else escape(written)}</td>"
