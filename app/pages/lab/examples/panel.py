"""The worked examples of the lecture notes: a list beside the chosen one, and all their errata."""

import tomllib
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from glassformer.app.pages.lab import kit
from glassformer.app.pages.lab.examples import example_results
from glassformer.app.pages.lab.examples.example_results import (
    as_printed,
    erratum_reason,
    result_title,
)
from glassformer.app.pages.lab.figures.tables import digits_apart, exact_digits, number_writer
from glassformer.app.pages.lab.inputs import Field
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.code_errata import FEWEST, MOST, CodeErratum, code_errata
from glassformer.core.lab.errata import KINDS, Erratum, count_errata, errata
from glassformer.core.lab.worked_examples import Worked, compute_example, example_keys, notes_inputs

OVERVIEW = "errata"


def show() -> None:
    """Draw the list, and the example that the state asks for or the first one."""
    asked = store.get_state().example
    chosen = asked if asked in (OVERVIEW, *example_keys()) else example_keys()[0]
    with st.container(key="lab_examples", horizontal=True, gap="medium"):
        with box("fill scroll list", "lab_examples_list", gap=None):
            st.markdown(f":small[{say('lab_examples.legend')}]")
            entries = {key: _entry(key) for key in (OVERVIEW, *example_keys())}
            kit.draw_choices("example", "lab_example", entries, chosen)
        with box("fill scroll", "lab_example", gap="xsmall"):
            if chosen == OVERVIEW:
                show_overview()
            else:
                _example(chosen)


def _entry(key: str) -> str:
    is_overview = key == OVERVIEW
    name = say("lab_examples.errata" if is_overview else f"lab_examples.name_{key}")
    keys = None if is_overview else (key,)
    wrong, code = (count_errata(kind, keys).wrong for kind in KINDS)
    badges = [f":red-badge[≠ {wrong}]"] * bool(wrong) + [f":orange-badge[⚠ {code}]"] * bool(code)
    return " ".join([name, *badges])


def _example(key: str) -> None:
    kit.draw_heading(say(f"lab_examples.title_{key}"), say(f"lab_examples.about_{key}"))
    compute, ties = computation_of(key), INPUTS["ties"].get(key, ())
    answer = kit.compute_from_inputs(
        f"example_{key}", example_fields(key), compute, ties, example_results.example_status
    )
    example_results.show(answer.result)


# How the inputs of the examples are drawn: "drawn" by name, "special" by example, and so on.
INPUTS = tomllib.loads(Path(__file__).with_name("notes.toml").read_text(encoding="utf-8"))


def example_fields(key: str) -> list[Field]:
    """The inputs of an example, as its notes have them."""
    given = notes_inputs(key)
    if key == "pe-same-word":
        del given["d_model"]  # as many as the embedding has
    if key == "four-dim-attention":
        batch, heads, *_ = given.pop("full_shape")  # its other sizes are those of the matrix
        given |= {"batch": batch, "heads": heads}
    drawn, special = INPUTS["drawn"], INPUTS["special"].get(key, {})
    return [
        Field(
            name=name,
            label=INPUTS["labels"].get(name, name),
            original=value,
            about=say(f"lab_examples.input_{name}"),
            **drawn.get(name, {}) | special.get(name, {}),
        )
        for name, value in given.items()
    ]


def computation_of(key: str) -> Callable[..., Worked]:
    """What computes an example from its fields."""

    def compute(**typed: Any) -> Worked:
        if key == "pe-same-word":
            typed["d_model"] = len(typed["embedding"])
        if key == "four-dim-attention":
            rows = typed["query_sample0_head0"]
            sizes = [typed.pop("batch"), typed.pop("heads"), len(rows), len(rows[0])]
            typed["full_shape"] = sizes
        return compute_example(key, **typed)

    return compute


COLUMNS = ("example", "where", "true", "printed", "wrong", "why")
RUN = (  # the pieces of code are run with
    Field("sentences", "", 6, "slider", low=FEWEST[0], high=MOST[0], step=1),
    Field("words", "", 10, "slider", low=FEWEST[1], high=MOST[1], step=1),
    Field("p", "p", 0.5, "slider", "weights", low=0.1, high=0.9, step=0.1),
    Field("seed", "", 0, low=0, step=1),
)
FROM_ZERO = ("pe-matrix",)  # whose rows and columns count as in the formula


def show_overview() -> None:
    """Draw all errata of the notes at a glance: numbers, and code."""
    numbers, code = count_errata("number"), count_errata("inconsistent")
    broken = sum(each.kind == "cannot_run" for each in code_errata())
    about = say("lab_examples.errata_about", **numbers._asdict(), code=code.wrong, broken=broken)
    kit.draw_heading(say("lab_examples.errata_title"), about)
    st.html(errata_table(errata(), current_look()))
    st.markdown(f"##### {say('lab_examples.errata_code_title')}")
    answer = kit.compute_from_inputs("example_errata", RUN, code_errata)
    st.html(code_table(answer.result))


def errata_table(found: tuple[Erratum, ...], look: FigureStyle) -> str:
    """A row for each reason under a heading for each kind, as HTML."""
    rows = []
    for kind in KINDS:
        heading = escape(say(f"lab_examples.errata_kind_{kind}"))
        rows.append(f'<tr><th class="kind" colspan="{len(COLUMNS)}">{heading}</th></tr>')
        rows += [_row(each, look) for each in found if each.kind == kind]
    return _errata("", COLUMNS, rows)


def code_table(found: tuple[CodeErratum, ...]) -> str:
    """A row for each piece of code that is wrong: with its fault, without it, and why, as HTML."""
    columns = ("kind", "code", "fault", "mended", "why")
    return _errata(" lab-code", columns, map(_code_row, found))


def _errata(kind: str, columns: tuple[str, ...], rows: Iterable[str]) -> str:
    names = "".join(f"<th>{escape(say(f'lab_examples.errata_{name}'))}</th>" for name in columns)
    return f'<table class="plain told lab-errata{kind}"><tr>{names}</tr>{"".join(rows)}</table>'


def _row(erratum: Erratum, look: FigureStyle) -> str:
    true, printed = np.array([erratum.true]), np.array([erratum.printed])
    digits = digits_apart(true, printed, look.precision)
    cells = [
        (escape(say(f"lab_examples.name_{erratum.example}")), "", ""),
        (escape(place_of_number(erratum)), "", ""),
        (number_writer(true, digits)(erratum.true), "number", exact_digits(erratum.true)),
        (as_printed(erratum.printed), "number wrong", ""),
        (say("lab_examples.of", wrong=erratum.wrong, shown=erratum.shown), "", ""),
        (escape(erratum_reason(erratum)), "why", ""),
    ]
    inside = "".join(
        f'<td class="{kind}" title="{hover}">{text}</td>' for text, kind, hover in cells
    )
    return f"<tr>{inside}</tr>"


def _code_row(erratum: CodeErratum) -> str:
    found = {name: _as_found(value) for name, value in erratum.found.items()}
    kind = escape(say(f"lab_examples.errata_kind_{erratum.kind}"))
    why = escape(say(f"lab_examples.code_{erratum.key}", **found))
    fault, mended = (escape(_as_found(each)) for each in (erratum.fault, erratum.mended))
    return (
        f"<tr><td>{kind}</td><td><code>{escape(erratum.code)}</code></td>"
        f'<td class="wrong">{fault}</td><td>{mended}</td><td>{why}</td></tr>'
    )


def _as_found(value: str | int | float) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def place_of_number(erratum: Erratum) -> str:
    """The number in words, its place counted as on its screen: "Weights [2, 1]"."""
    first = 0 if erratum.example in FROM_ZERO else 1
    place = ", ".join(str(at + first) for at in erratum.cell)
    name = result_title(erratum.example, erratum.quantity)
    return f"{name} {say('lab_examples.cell', place=place)}" if place else name
