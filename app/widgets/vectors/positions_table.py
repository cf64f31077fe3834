"""A few named numbers below each other."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

Row = tuple[str, Sequence[str]]


def number_table(rows: Sequence[Row], columns: Sequence[str] = (), marked: int = -1) -> None:
    """Draw rows of a name and its numbers; `columns` names the numbers, row `marked` is bold."""
    lines = []
    if columns:
        lines.append("".join(f"<th>{escape(each)}</th>" for each in ("", *columns)))
    for at, (name, numbers) in enumerate(rows):
        cells = "".join(f"<td>{escape(each)}</td>" for each in numbers)
        mark = ' class="marked"' if at == marked else ""
        lines.append(f"<th{mark}>{escape(name)}</th>{cells}")
    inside = "".join(f"<tr>{line}</tr>" for line in lines)
    st.html(f'<table class="positions-table">{inside}</table>')
