"""The picked tensor as a picture or as a table, rounded or with every digit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from glassformer.app.pages.tensors.controls import WIDEST
from glassformer.app.pages.tensors.figures import tensor_bars
from glassformer.app.panels import provenance
from glassformer.app.panels.address_words import axis_name, side_of
from glassformer.app.plots.drawing import Figure
from glassformer.app.plots.labels import MINUS, format_number, text_width, visible
from glassformer.app.plots.sheet import tensor_heatmap
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.chart import Click, current_look, show_chart
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.analysis.export import file_stem
from glassformer.core.analysis.measure import Measure
from glassformer.core.analysis.tensor_slice import (
    Lines,
    Plan,
    Sheet,
    index_of,
    pool_sheet,
    sheet_window,
)
from glassformer.core.text.number_format import SUPERSCRIPT
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

TABLE_CELLS = 16_384  # more would take longer to send than to read
WRITTEN_CELLS = 2_304  # more would take longer to write than a click may take; 48 words squared
MASKED = "▨"
FONT, LETTER, PADDING = 14, 7, 20  # pixels of a table at 100%


def show(
    trace: Trace, address: str, chosen: Plan, sheet: Sheet, measured: Measure, form: str
) -> None:
    """Draw the sheet in the chosen form over the height of its place, and what its marks mean."""
    look = current_look()
    if form == "picture":
        with box("fill tall", "tensors_picture", gap=None):
            drawn = draw_picture(trace, address, chosen, sheet, measured, look)
            notes = [say("tensors.note_click"), *picture_notes(drawn, measured)]
    else:
        with box("fill tall grows", "tensors_table", gap=None):
            notes = show_table(trace, address, sheet, form, look)
    st.markdown(f":small[{' · '.join(notes) or '&nbsp;'}]")


def draw_picture(
    trace: Trace, address: str, chosen: Plan, sheet: Sheet, measured: Measure, look: FigureStyle
) -> Sheet:
    """Draw the picture alone; returns the sheet as it is drawn, pooled where it is large."""
    drawn = pool_sheet(sheet, WIDEST)

    def clicked(click: Click) -> None:
        row, column = int(click.y), 0 if chosen.columns is None else int(click.x)
        place = index_of(trace.axes(address), chosen, sheet, drawn, row, column)
        provenance.open_trail(address, place)

    figure = _figure(trace, address, drawn, measured, look)
    name, alt = file_stem(address), say("tensors.picture_alt", address=address)
    show_chart(figure, "tensor_picture", alt, name, fill=True, clicked=clicked)
    return drawn


def _figure(
    trace: Trace, address: str, sheet: Sheet, measured: Measure, look: FigureStyle
) -> Figure:
    site, rows, value = trace.site(address), side_of(sheet.rows), say("tensors.value")
    if sheet.columns.axis is None:
        names = pieces_of(trace, sheet) if site.name == "ids" else None
        return tensor_bars(sheet.values[:, 0], rows, site.role, value, look, names=names)
    sides, texts = (rows, side_of(sheet.columns)), (value, say("tensors.masked"))
    return tensor_heatmap(
        sheet.values, sheet.allowed, sides, measured.limits, site.role, texts, look
    )


def pieces_of(trace: Trace, sheet: Sheet) -> list[str]:
    """What the vocabulary calls the token ids of a sheet."""
    return [trace.vocabulary[int(number)] for number in sheet.values[:, 0]]


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


def show_table(trace: Trace, address: str, sheet: Sheet, form: str, look: FigureStyle) -> list[str]:
    """Draw the sheet as a table ("table" or "exact"); returns what the reader must know."""
    shown = table_part(sheet)
    digits = None if form == "exact" else look.precision
    table = sheet_table(shown)
    sign = missing_sign(shown, digits)
    data, columns = table, _formats(shown, digits or 9, look)
    if shown.values.size <= WRITTEN_CELLS:
        texts = texts_of(table, digits, not trace[address].is_floating_point())
        data, columns = written_table(table, texts), _widths(table, texts, sign, look)
    alt = say("tensors.table_alt", address=address)
    st.dataframe(data, height="stretch", column_config=columns, placeholder=sign, alt=alt)
    return table_notes(sheet, shown)


def table_part(sheet: Sheet) -> Sheet:
    """As many of the columns (of one long column: of the rows) as a table may hold."""
    fit = max(TABLE_CELLS // max(len(sheet.rows), 1), 1)
    return sheet_window(sheet, "columns", 0, fit - 1) if fit < len(sheet.columns) else sheet


def table_notes(sheet: Sheet, shown: Sheet) -> list[str]:
    """What the signs in the table mean and what it leaves out."""
    notes = [say("tensors.note_table")]
    if fills := fills_of(shown):
        count = int(np.count_nonzero(~shown.allowed))  # type: ignore[operator]
        holds = " … ".join(format_number(fill, 1) for fill in fills)
        notes.insert(0, say("tensors.note_table_masked", sign=MASKED, holds=holds, count=count))
    if len(shown.columns) < len(sheet.columns):
        count = len(sheet.columns)
        notes.append(say("tensors.note_cut", shown=len(shown.columns), count=count))
    return notes


def fills_of(sheet: Sheet) -> list[float]:
    """What the cells hold that the table leaves empty: the masked ones.

    Beside a NaN, which looks the same in a table, none is left empty.
    """
    if sheet.allowed is None or np.isnan(sheet.values[sheet.allowed]).any():
        return []
    fills: list[float] = np.unique(sheet.values[~sheet.allowed]).tolist()
    return fills


def missing_sign(sheet: Sheet, digits: int | None) -> str:
    """What stands in empty cells; where all digits are asked for, with what the cells hold."""
    fills = fills_of(sheet)
    if not fills:
        return "NaN"
    return MASKED if digits else " ".join((MASKED, *map(exact_number, fills)))


def sheet_table(sheet: Sheet) -> pd.DataFrame:
    """The sheet as a table whose rows and columns are named "5 animal": no name comes twice.

    Masked cells are empty: a number there would read as one that the model found.
    """
    import pandas as pd  # slow to import, and no page needs it to begin

    title = axis_name(sheet.rows.axis).capitalize() if sheet.rows.axis else ""
    values = sheet.values
    if sheet.allowed is not None and fills_of(sheet):
        values = np.where(sheet.allowed, values, np.float32(np.nan))
    return pd.DataFrame(
        values, index=pd.Index(_names(sheet.rows), name=title), columns=_names(sheet.columns)
    )


def texts_of(table: pd.DataFrame, digits: int | None, whole: bool = False) -> dict[float, str]:
    """How the numbers of a table are written.

    digits: significant ones, None for all. whole: of a tensor of whole numbers or truth values.
    """

    def written(number: float) -> str:
        if digits is None:
            return exact_number(number)
        return format_number(int(number)) if whole else format_number(number, digits)

    numbers = np.unique(table.to_numpy())
    return {number: written(number) for number in numbers[~np.isnan(numbers)].tolist()}


def written_table(table: pd.DataFrame, texts: Mapping[float, str]) -> Any:
    """The table (pandas' Styler) with numbers as they are written; sorting goes by the numbers."""

    def text(value: Any) -> str:
        return texts.get(value, "NaN")

    return table.style.format(text)


def _widths(
    table: pd.DataFrame, texts: Mapping[float, str], sign: str, look: FigureStyle
) -> dict[str, Any]:
    """Columns as wide as their longest text: too narrow a one cuts the front of its numbers."""
    widths = {}
    for name in table.columns:
        numbers: list[float] = table[name].tolist()
        longest = max(len(texts.get(value, sign)) for value in numbers)
        wide = max(LETTER * longest, text_width(name, FONT)) + PADDING
        widths[name] = st.column_config.Column(width=look.px(wide))
    return widths


def exact_number(value: float) -> str:
    """The fewest digits that give back the same float32, with a true minus; 10⁹ in full."""
    single = np.float32(value)
    if not np.isfinite(single):
        return format_number(float(value))
    if single == 0 or 1e-5 <= abs(single) < 1e10:
        return np.format_float_positional(single, trim="-").replace("-", MINUS)
    digits, _, power = np.format_float_scientific(single, trim="-").partition("e")
    return f"{digits}×10{str(int(power)).translate(SUPERSCRIPT)}".replace("-", MINUS)


def _names(lines: Lines) -> list[str]:
    if lines.axis is None:
        return [say("tensors.value")]
    labels = lines.labels
    return [
        f"{index + 1} {visible(labels[at])}" if labels else str(index + 1)
        for at, index in enumerate(lines.indices.tolist())
    ]


def _formats(sheet: Sheet, digits: int, look: FigureStyle) -> dict[str, Any]:
    width = look.px(40 + 10 * digits)
    column = st.column_config.NumberColumn(format=f"%.{digits}g", width=width)
    return dict.fromkeys(_names(sheet.columns), column)
