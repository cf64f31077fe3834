"""The picked tensor as a picture, or as the table beside it in `table.py`."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app.figures.labels import format_number
from app.figures.tensor_axes import Side
from app.figures.tensor_bars import tensor_bars
from app.figures.tensor_heatmap import tensor_heatmap
from app.figures.theme import Look
from app.widgets import trail
from app.widgets.bridge import Click, plotly_clicks
from app.widgets.chart import current_look, show_chart
from app.widgets.tensors import table
from app.widgets.tensors.controls import WIDEST
from app.widgets.tensors.written import axis_name
from app.words import say
from core.reading.export import file_stem
from core.reading.measure import Measure
from core.reading.sheets import Lines, Plan, Sheet, index_of, pool
from core.trace.trace import Trace

CHART = "tensor_picture"


def show(
    trace: Trace, address: str, chosen: Plan, sheet: Sheet, measured: Measure, form: str
) -> None:
    """Draw the sheet in the chosen form over the height of its place, and what its marks mean."""
    look = current_look()
    with st.container(key="tensors_picture", gap=None):
        if form == "picture":
            drawn = pool(sheet, WIDEST)
            _draw(trace, address, drawn, measured, look)
            _listen(trace, address, chosen, sheet, drawn)
            notes = [say("tensors.note_click"), *picture_notes(drawn, measured)]
        else:
            notes = table.show(trace, address, sheet, form, look)
    st.markdown(f":small[{' · '.join(notes) or '&nbsp;'}]")


def _draw(trace: Trace, address: str, sheet: Sheet, measured: Measure, look: Look) -> None:
    site = trace.site(address)
    rows = side_of(sheet.rows)
    if sheet.columns.axis is None:
        figure = tensor_bars(
            sheet.values[:, 0],
            rows,
            site.role,
            say("tensors.value"),
            look,
            names=pieces_of(trace, sheet) if site.name == "ids" else None,
        )
    else:
        figure = tensor_heatmap(
            sheet.values,
            sheet.allowed,
            (rows, side_of(sheet.columns)),
            measured.limits,
            site.role,
            (say("tensors.value"), say("tensors.masked")),
            look,
        )
    alt = say("tensors.picture_alt", address=address)
    show_chart(figure, CHART, alt, file_stem(address), fill=True)


def _listen(trace: Trace, address: str, chosen: Plan, sheet: Sheet, drawn: Sheet) -> None:
    """A click on a number opens its trail."""

    def clicked(click: Click) -> None:
        row, column = int(click.y), 0 if chosen.columns is None else int(click.x)
        place = index_of(trace.axes(address), chosen, sheet, drawn, row, column)
        trail.open_trail(address, place)

    plotly_clicks([CHART], clicked, key="tensor")


def pieces_of(trace: Trace, sheet: Sheet) -> list[str]:
    """What the vocabulary calls the token ids of a sheet."""
    return [trace.vocabulary[int(number)] for number in sheet.values[:, 0]]


def side_of(lines: Lines) -> Side:
    """Lines for a figure: counted from 1, with their axis in a word."""
    title = axis_name(lines.axis) if lines.axis else ""
    numbers = [int(index) + 1 for index in lines.indices]
    return Side(title.capitalize(), numbers, lines.labels, lines.step)


def picture_notes(sheet: Sheet, measured: Measure) -> list[str]:
    """What the reader must know to read the picture."""
    notes = []
    said = np.ones(sheet.values.shape, bool) if sheet.allowed is None else sheet.allowed
    if hidden := int(np.count_nonzero(~said)):
        notes.append(say("tensors.note_masked", count=hidden))
    if lost := int(np.count_nonzero(~np.isfinite(sheet.values) & said)):
        notes.append(say("tensors.note_lost", count=lost))
    for lines in (sheet.rows, sheet.columns):
        if lines.step > 1 and lines.axis:
            notes.append(say("tensors.note_pooled", step=lines.step, axis=axis_name(lines.axis)))
    if sheet.columns.axis is not None:
        low, high = (format_number(limit) for limit in measured.limits)
        notes.append(say("tensors.note_scale", low=low, high=high))
    return notes
