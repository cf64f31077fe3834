"""All errata of the notes at a glance."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.figures.lab_tables import digits_apart, exact, writer
from app.figures.theme import Look
from app.widgets.chart import current_look
from app.widgets.lab import kit
from app.widgets.lab.examples.results import title
from app.words import say
from core.lab.errata import Erratum, errata, tally

COLUMNS = ("example", "where", "true", "printed", "wrong", "why")


def show() -> None:
    """Draw the table."""
    found = errata()
    counts = tally(found)._asdict()
    kit.headed(say("lab_examples.errata_title"), say("lab_examples.errata_about", **counts))
    st.html(table(found, current_look()))


def table(found: tuple[Erratum, ...], look: Look) -> str:
    """A row for each reason, as HTML."""
    head = "".join(f"<th>{escape(say(f'lab_examples.errata_{name}'))}</th>" for name in COLUMNS)
    return (
        f'<table class="lab-errata"><tr>{head}</tr>{"".join(_row(e, look) for e in found)}</table>'
    )


def _row(erratum: Erratum, look: Look) -> str:
    true, printed = np.array([erratum.true]), np.array([erratum.printed])
    digits = digits_apart(true, printed, look.precision)
    cells = [
        (escape(say(f"lab_examples.name_{erratum.example}")), "", ""),
        (escape(where(erratum)), "", ""),
        (writer(true, digits)(erratum.true), "number", exact(erratum.true)),
        (exact(erratum.printed), "number wrong", ""),
        (say("lab_examples.of", wrong=erratum.wrong, shown=erratum.shown), "", ""),
        (escape(say(f"lab_examples.why_{erratum.reason}")), "why", ""),
    ]
    inside = "".join(
        f'<td class="{kind}" title="{hover}">{text}</td>' for text, kind, hover in cells
    )
    return f"<tr>{inside}</tr>"


def where(erratum: Erratum) -> str:
    """The number in words, its place counted from 1: "Weights [2, 1]"."""
    place = ", ".join(str(at + 1) for at in erratum.cell)
    name = title(erratum.example, erratum.quantity)
    return f"{name} {say('lab_examples.cell', place=place)}" if place else name
