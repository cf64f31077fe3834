"""Every result of an example: computed now, as the notes print it, and why they differ."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from functools import cache
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from app.pages.lab.figures.formulas import formula, of_kind, role
from app.pages.lab.figures.tables import (
    beside,
    digits_apart,
    exact,
    matrix,
    shape_of,
    writer,
)
from app.plots.heat import reach
from app.plots.labels import format_number, text_width
from app.plots.theme import Look
from app.ui.chart import current_look
from app.words import say
from core.lab.errata import Erratum, errata_of, kind_of
from core.lab.worked_examples import Cause, Quantity, Worked, work

AXES = {
    "embedding": "BSD", "split": "BSHK", "per_head": "BHSK", "weights": "BHSS", "concat": "BSD",
    "d_ff": "BSF", "encoder": "BSD", "decoder": "BTD",
}  # fmt: skip
LARGE = 1e6  # from here on printed numbers are written with a power of ten
NOTHING = "<span>—</span>"
ROOM = {4: 280, 6: 430, 12: math.inf}  # pixels of so many twelfths on a laptop
LETTER, BADGE, CELL, WIDE, MARGIN = 8, 80, 48, 84, 40  # pixels
_COMMANDS = re.compile(r"\\textcolor\{#\w+\}|\\[a-zA-Z]+|[{}_^ ,\\\\]")


def show(worked: Worked) -> None:
    """Draw the results; a reason that comes again is only named."""
    look, given = current_look(), set[str]()
    with st.container(key="lab_results", horizontal=True, gap="medium"):
        for quantity in worked.quantities:
            share = span(worked, quantity)
            with st.container(key=f"lab_result_{share}_{quantity.key}", gap=None):
                st.markdown(heading(worked.key, quantity, look))
                st.html(tables(worked, quantity, look) + why(worked.key, quantity, given))
            given |= {cause.reason for cause in quantity.causes}


def span(worked: Worked, quantity: Quantity) -> int:
    """Twelfths of the width: by the names and sizes, not by the numbers, so that nothing jumps."""
    compared = quantity.key in printed_of(worked.key)
    letters = len(_COMMANDS.sub("", formula(worked.key, quantity.key, Look())))
    badge = BADGE if compared else 0
    text = text_width(title(worked.key, quantity.key), 17) + LETTER * letters + badge
    cells = worked.key != "shapes-512" and quantity.value.dim() and quantity.value.shape[-1]
    cell = WIDE if quantity.key.startswith("weights") else CELL  # 5.29×10⁻⁵⁶
    numbers = max(cell, CELL * (3 if compared else 1)) * cells + MARGIN
    return next(share for share, room in ROOM.items() if max(text, numbers) <= room)


@cache
def printed_of(example: str) -> frozenset[str]:
    """The quantities that the notes print."""
    return frozenset(each.key for each in work(example).quantities if each.printed is not None)


def status(worked: Worked, edited: bool) -> str:
    """One line on the whole example."""
    if edited and worked.edited:
        return say("lab_examples.edited")
    parts = [say(f"lab_examples.remark_{remark}") for remark in worked.remarks]
    if not any(each.printed is not None for each in worked.quantities):
        parts.insert(0, say("lab_examples.nothing_printed"))
    elif not worked.wrong:
        parts.insert(0, say("lab_examples.all_right"))
    return " ".join(parts)


def heading(example: str, quantity: Quantity, look: Look) -> str:
    """The name of a result, its formula and whether the notes agree, as markdown."""
    parts = [f"**{title(example, quantity.key)}**", f"${formula(example, quantity.key, look)}$"]
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


def title(example: str, quantity: str) -> str:
    """What a result is, in words."""
    if example == "pe-same-word":
        name = {"pe": "pe_at", "input": "input_at"}[of_kind(example, quantity)]
        return say(f"lab_examples.q_{name}", place=quantity.rpartition("_")[2])
    if example == "shapes-512" and quantity == "weights":
        return say("lab_examples.q_attention_map")
    return say(f"lab_examples.q_{quantity}")


def tables(worked: Worked, quantity: Quantity, look: Look) -> str:
    """The numbers side by side, as HTML."""
    value = _flat(quantity.value.numpy())
    if worked.key == "shapes-512":
        return shape_of(value, look, AXES[quantity.key])
    hue = role(worked.key, quantity.key)
    rows, columns = names(worked.key, quantity.key, worked.inputs, value.shape)
    if quantity.key not in printed_of(worked.key) and not _slip(worked, quantity):
        return matrix(value, look, hue, rows, columns)
    parts = [
        (say(f"lab_examples.{name}"), matrix(cells, look, rows=rows, columns=columns, **drawn))
        for name, cells, drawn in _compared(worked, quantity, look, hue)
    ]
    if len(parts) == 1:
        parts.append((say("lab_examples.printed"), NOTHING))
    return beside(parts)


def _compared(
    worked: Worked, quantity: Quantity, look: Look, hue: str
) -> list[tuple[str, np.ndarray, dict[str, Any]]]:
    """True value, the notes' and the difference: name, cells, how they are drawn."""
    value = _flat(quantity.value.numpy())
    if quantity.printed is not None and quantity.differs is not None:
        name, other, wrong = "printed", quantity.printed, _flat(quantity.differs.numpy())
    elif _slip(worked, quantity) and quantity.by_notes is not None:
        name, other = "by_notes", quantity.by_notes
        wrong = ~np.isclose(_flat(other.numpy()), value)
    else:
        return [("true", value, {"role": hue})]
    notes = _flat(other.numpy())
    limit = reach(value, notes)
    digits = digits_apart(value[wrong], notes[wrong], look.precision)
    writes = as_printed if name == "printed" else writer(notes, digits)
    found: list[tuple[str, np.ndarray, dict[str, Any]]] = [
        ("true", value, {"role": hue, "limit": limit, "write": writer(value, digits)}),
        (name, notes, {"role": hue, "limit": limit, "write": writes, "wrong": wrong}),
    ]
    if wrong.any():
        away = np.where(wrong, notes - value, 0.0)
        written = writer(away, look.precision, sign=True)
        found.append(("difference", away, {"tinted": False, "faint": ~wrong, "write": written}))
    return found


def as_printed(value: float) -> str:
    """A number of the notes with the digits that they print."""
    return exact(value) if abs(value) < LARGE else format_number(value, 3)


def _slip(worked: Worked, quantity: Quantity) -> bool:
    """Whether the notes' way is shown: where the inputs are no longer theirs."""
    return worked.edited and quantity.by_notes is not None


def why(example: str, quantity: Quantity, given: Set[str] = frozenset()) -> str:
    """Why the notes' numbers are wrong, as HTML; a reason that was given is only named."""
    lines = [
        say("lab_examples.again") if each.reason in given else reason(erratum_of(example, each))
        for each in quantity.causes
    ]
    return "".join(f'<p class="lab-why">{escape(line)}</p>' for line in lines)


def reason(erratum: Erratum) -> str:
    """An erratum in words, with its counts on the notes' inputs."""
    counts = {
        "wrong": erratum.wrong,
        "shown": erratum.shown,
        "right": erratum.shown - erratum.wrong,
    }
    rows = {"rows": erratum.rows, "all_rows": erratum.all_rows}
    return say(f"lab_examples.why_{erratum.reason}", **counts, **rows)


def erratum_of(example: str, cause: Cause) -> Erratum:
    """The erratum that a cause belongs to."""
    return next(each for each in errata_of(example) if each.reason == cause.reason)


def names(
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
        batch, length, _ = inputs["x"].shape
        words = [f"{b + 1}·{t + 1}" for b in range(batch) for t in range(length)]
        if shape[0] == len(words) and quantity != "normalised":
            return (words, []) if len(shape) == 2 else ([], words)
    return [], []


def _flat(values: np.ndarray) -> np.ndarray:
    """A column of numbers as a row: it takes less room."""
    return values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values
