"""All errata of the notes at a glance: numbers, and code."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from app.figures.lab_tables import digits_apart, exact, writer
from app.figures.theme import Look
from app.widgets.chart import current_look
from app.widgets.lab import kit
from app.widgets.lab.examples.results import as_printed, reason, title
from app.words import say
from core.lab.code_errata import CodeErratum, code_errata
from core.lab.errata import KINDS, Erratum, errata, tally

COLUMNS = ("example", "where", "true", "printed", "wrong", "why")
FROM_ZERO = ("pe-matrix",)  # whose rows and columns count as in the formula
CODE_COLUMNS = ("kind", "code", "why")


def show() -> None:
    """Draw the tables."""
    numbers, code = tally("number"), tally("inconsistent")
    broken = sum(each.kind == "cannot_run" for each in code_errata())
    about = say("lab_examples.errata_about", **numbers._asdict(), code=code.wrong, broken=broken)
    kit.headed(say("lab_examples.errata_title"), about)
    st.html(table(errata(), current_look()) + code_table())


def table(found: tuple[Erratum, ...], look: Look) -> str:
    """A row for each reason under a heading for each kind, as HTML."""
    rows = []
    for kind in KINDS:
        heading = escape(say(f"lab_examples.errata_kind_{kind}"))
        rows.append(f'<tr><th class="kind" colspan="{len(COLUMNS)}">{heading}</th></tr>')
        rows += [_row(each, look) for each in found if each.kind == kind]
    return f'<table class="lab-errata">{_head(COLUMNS)}{"".join(rows)}</table>'


def code_table() -> str:
    """A row for each piece of code that is wrong, as HTML."""
    heading = f"<h5>{escape(say('lab_examples.errata_code_title'))}</h5>"
    rows = "".join(map(_code_row, code_errata()))
    return f'{heading}<table class="lab-errata lab-code">{_head(CODE_COLUMNS)}{rows}</table>'


def _head(columns: tuple[str, ...]) -> str:
    names = "".join(f"<th>{escape(say(f'lab_examples.errata_{name}'))}</th>" for name in columns)
    return f"<tr>{names}</tr>"


def _row(erratum: Erratum, look: Look) -> str:
    true, printed = np.array([erratum.true]), np.array([erratum.printed])
    digits = digits_apart(true, printed, look.precision)
    cells = [
        (escape(say(f"lab_examples.name_{erratum.example}")), "", ""),
        (escape(where(erratum)), "", ""),
        (writer(true, digits)(erratum.true), "number", exact(erratum.true)),
        (as_printed(erratum.printed), "number wrong", ""),
        (say("lab_examples.of", wrong=erratum.wrong, shown=erratum.shown), "", ""),
        (escape(reason(erratum)), "why", ""),
    ]
    inside = "".join(
        f'<td class="{kind}" title="{hover}">{text}</td>' for text, kind, hover in cells
    )
    return f"<tr>{inside}</tr>"


def _code_row(erratum: CodeErratum) -> str:
    found = {
        name: f"{value:.4f}" if isinstance(value, float) else value
        for name, value in erratum.found.items()
    }
    kind = escape(say(f"lab_examples.errata_kind_{erratum.kind}"))
    why = escape(say(f"lab_examples.code_{erratum.key}", **found))
    return f"<tr><td>{kind}</td><td><code>{escape(erratum.code)}</code></td><td>{why}</td></tr>"


def where(erratum: Erratum) -> str:
    """The number in words, its place counted as on its screen: "Weights [2, 1]"."""
    first = 0 if erratum.example in FROM_ZERO else 1
    place = ", ".join(str(at + first) for at in erratum.cell)
    name = title(erratum.example, erratum.quantity)
    return f"{name} {say('lab_examples.cell', place=place)}" if place else name
