"""Every result of an example: computed now, as the notes print it, and why they differ."""

import math
import re
import tomllib
from collections.abc import Mapping, Sequence, Set
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from torch import Tensor

from glassformer.app.pages.lab.figures.norms import word_names
from glassformer.app.pages.lab.figures.tables import (
    digits_apart,
    exact_digits,
    matrix_html,
    number_writer,
    shape_of,
    tables_side_by_side,
)
from glassformer.app.plots.heat import largest_magnitude
from glassformer.app.plots.labels import format_number, text_width
from glassformer.app.plots.latex import paint_latex
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.ui.chart import current_look
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.lab.errata import Erratum, errata_of, kind_of
from glassformer.core.lab.worked_examples import Quantity, Worked, compute_example

AXES = {
    "embedding": "BSD", "split": "BSHK", "per_head": "BHSK", "weights": "BHSS", "concat": "BSD",
    "d_ff": "BSF", "encoder": "BSD", "decoder": "BTD",
}  # fmt: skip
LARGE = 1e6  # from here on printed numbers are written with a power of ten
NOTHING = "<span>—</span>"
ROOM = {4: 280, 6: 430, 12: math.inf}  # pixels of so many twelfths on a laptop
LETTER, BADGE, CELL, WIDE, MARGIN = 8, 80, 48, 84, 40  # pixels
_MARK = re.compile(r"@(\w+)\{((?:[^{}]|\{[^{}]*\})*)\}")
# LaTeX; @query{Q} is Q in the colour of its role.
FORMULAS = tomllib.loads(Path(__file__).with_name("formulas.toml").read_text(encoding="utf-8"))
_ROLES = {
    "query": "Q",
    "key": "K",
    "value": "V context context_scaled value",
    "weights": "scores scaled exp_row_0 e_to_s_00 e_to_s_01 allowed masked sigmoid_sum",
}
_COMMANDS = re.compile(r"\\textcolor\{#\w+\}|\\[a-zA-Z]+|[{}_^ ,\\\\]")


def show(worked: Worked) -> None:
    """Draw the results; a reason that comes again is only named."""
    look, given = current_look(), set[str]()
    with st.container(key="lab_results", horizontal=True, gap="medium"):
        for quantity in worked.quantities:
            share = result_width(worked, quantity)
            with box(f"span-{share}", f"lab_result_{quantity.key}", gap=None):
                st.markdown(result_heading(worked.key, quantity, look))
                st.html(
                    result_tables(worked, quantity, look)
                    + error_reason(worked.key, quantity, given)
                )
            given |= {cause.reason for cause in quantity.causes}


def result_width(worked: Worked, quantity: Quantity) -> int:
    """Twelfths of the width: by the names and sizes, not by the numbers, so that nothing jumps."""
    compared = quantity.key in printed_of(worked.key)
    letters = len(_COMMANDS.sub("", quantity_formula(worked.key, quantity.key, FigureStyle())))
    badge = BADGE if compared else 0
    text = text_width(result_title(worked.key, quantity.key), 17) + LETTER * letters + badge
    cells = worked.key != "shapes-512" and quantity.value.dim() and quantity.value.shape[-1]
    cell = WIDE if quantity.key.startswith("weights") else CELL  # 5.29×10⁻⁵⁶
    numbers = max(cell, CELL * (3 if compared else 1)) * cells + MARGIN
    return next(share for share, room in ROOM.items() if max(text, numbers) <= room)


@cache
def printed_of(example: str) -> frozenset[str]:
    """The quantities that the notes print."""
    return frozenset(
        each.key for each in compute_example(example).quantities if each.printed is not None
    )


def example_status(worked: Worked, edited: bool) -> str:
    """One line on the whole example."""
    if edited and worked.edited:
        return say("lab_examples.edited")
    parts = [say(f"lab_examples.remark_{remark}") for remark in worked.remarks]
    if not any(each.printed is not None for each in worked.quantities):
        parts.insert(0, say("lab_examples.nothing_printed"))
    elif not worked.wrong:
        parts.insert(0, say("lab_examples.all_right"))
    return " ".join(parts)


def result_heading(example: str, quantity: Quantity, look: FigureStyle) -> str:
    """The name of a result, its formula and whether the notes agree, as markdown."""
    parts = [
        f"**{result_title(example, quantity.key)}**",
        f"${quantity_formula(example, quantity.key, look)}$",
    ]
    if quantity.differs is not None:
        wrong, shown = int(quantity.differs.sum()), quantity.differs.numel()
        if wrong:
            is_code = kind_of(quantity.causes[0].reason) == "inconsistent"
            colour, name = ("orange", "code_badge") if is_code else ("red", "wrong_badge")
            text = say(f"lab_examples.{name}", wrong=wrong, shown=shown)
            parts.append(f":{colour}-badge[{text}]")
        else:
            parts.append(f":green-badge[{say('lab_examples.right_badge')}]")
    return " &ensp; ".join(parts)


def result_title(example: str, quantity: str) -> str:
    """What a result is, in words."""
    if example == "pe-same-word":
        name = {"pe": "pe_at", "input": "input_at"}[of_kind(example, quantity)]
        return say(f"lab_examples.q_{name}", place=quantity.rpartition("_")[2])
    if example == "shapes-512" and quantity == "weights":
        return say("lab_examples.q_attention_map")
    return say(f"lab_examples.q_{quantity}")


def result_tables(worked: Worked, quantity: Quantity, look: FigureStyle) -> str:
    """The true numbers, the notes' and the difference side by side, as HTML."""
    value = _flat(quantity.value)
    if worked.key == "shapes-512":
        return shape_of(value, look, AXES[quantity.key])
    hue = quantity_role(worked.key, quantity.key)
    rows, columns = axis_names(worked.key, quantity.key, worked.inputs, value.shape)
    draw = partial(matrix_html, look=look, rows=rows, columns=columns)
    name = "by_notes" if worked.edited else "printed"
    other = quantity.by_notes if worked.edited else quantity.printed
    if other is None:
        alone = draw(value, role=hue)
        if quantity.key not in printed_of(worked.key):
            return alone
        return tables_side_by_side(
            [(say("lab_examples.true"), alone), (say("lab_examples.printed"), NOTHING)]
        )
    notes = _flat(other)
    wrong = ~np.isclose(notes, value) if quantity.differs is None else _flat(quantity.differs)
    limit = largest_magnitude(value, notes)
    digits = digits_apart(value[wrong], notes[wrong], look.precision)
    ours, theirs = (
        number_writer(value, digits),
        as_printed if name == "printed" else number_writer(notes, digits),
    )
    parts = [
        ("true", draw(value, role=hue, limit=limit, write=ours)),
        (name, draw(notes, role=hue, limit=limit, write=theirs, wrong=wrong)),
    ]
    if wrong.any():
        away = np.where(wrong, notes - value, 0.0)
        write = number_writer(away, look.precision, sign=True)
        parts.append(("difference", draw(away, tinted=False, faint=~wrong, write=write)))
    return tables_side_by_side([(say(f"lab_examples.{name}"), table) for name, table in parts])


def as_printed(value: float) -> str:
    """A number of the notes with the digits that they print."""
    return exact_digits(value) if abs(value) < LARGE else format_number(value, 3)


def error_reason(example: str, quantity: Quantity, given: Set[str] = frozenset()) -> str:
    """Why the notes' numbers are wrong, as HTML; a reason that was given is only named."""
    found = {each.reason: each for each in errata_of(example)}
    lines = [
        say("lab_examples.again") if cause.reason in given else erratum_reason(found[cause.reason])
        for cause in quantity.causes
    ]
    return "".join(f'<p class="lab-why">{escape(line)}</p>' for line in lines)


def erratum_reason(erratum: Erratum) -> str:
    """An erratum in words, with its counts on the notes' inputs."""
    return say(
        f"lab_examples.why_{erratum.reason}",
        wrong=erratum.wrong,
        shown=erratum.shown,
        right=erratum.shown - erratum.wrong,
        rows=erratum.rows,
        all_rows=erratum.all_rows,
    )


def axis_names(
    example: str, quantity: str, inputs: Mapping[str, Any], shape: tuple[int, ...]
) -> tuple[Sequence[str], Sequence[str]]:
    """What stands beside the rows and above the columns."""
    counted = [[str(at) for at in range(size)] for size in shape]
    if example == "pe-matrix" and len(shape) == 2:
        return counted[0], counted[1]
    if example == "self-similarity-8d":
        words = inputs["tokens"]
        across = [] if quantity == "context_scaled" else words
        return ([] if len(shape) == 1 else words), across
    if example == "layer-norm" and not quantity.startswith(("batch", "std")) and shape:
        words = word_names(inputs["x"])
        if shape[0] == len(words) and quantity != "normalised":
            return (words, []) if len(shape) == 2 else ([], words)
    return [], []


def _flat(cells: Tensor) -> np.ndarray:
    """A column of numbers as a row: it takes less room."""
    values: np.ndarray = cells.numpy()
    return values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values


def quantity_formula(example: str, quantity: str, look: FigureStyle) -> str:
    """The formula of a quantity: LaTeX for `$…$`."""
    template = FORMULAS[example][of_kind(example, quantity)]
    return _MARK.sub(lambda mark: paint_latex(mark[2], mark[1], look), template)


def quantity_role(example: str, quantity: str) -> str:
    """The colour role of a quantity's numbers."""
    for hue, quantities in _ROLES.items():
        if quantity in quantities.split():
            return hue
    if example == "layer-norm":
        return "norm"
    is_share = quantity.startswith("weights") or example == "softmax-alternatives"
    return "weights" if is_share else "data"


def of_kind(example: str, quantity: str) -> str:
    """A quantity without the place in its key: "pe_6" of the same word is "pe"."""
    return quantity.rpartition("_")[0] if example == "pe-same-word" else quantity
