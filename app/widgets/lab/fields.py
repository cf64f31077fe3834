"""The inputs of a bench: what they are, how they are written, what of them is taken back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from app.figures.labels import MINUS
from app.figures.theme import Look

Kind = Literal["number", "slider", "row", "table", "block", "flags", "words", "choice"]
AXES = {"row": 1, "table": 2, "flags": 2, "block": 3}
LONGEST = 400  # characters of one text that is taken from the browser
MOST_CELLS = 4096
FINEST = 1e-9  # smaller ones are written with a power of ten


@dataclass(frozen=True)
class Field:
    """One input. What is in `original` is where it starts and where a reset leads back to."""

    name: str  # the parameter of the core function
    label: str  # the symbol or the word shown; "W_Q" gets its subscript
    original: Any  # a number, a word; a list of numbers or words; rows; blocks of rows; 0 and 1
    kind: Kind = "number"
    role: str = "data"  # its colour
    about: str = ""  # small type beside the label: the shape, the unit
    grow: Sequence[Literal["rows", "columns"]] = ()  # what the reader may add and take away
    by: int = 1  # how many at once
    least: int = 1  # rows or columns when growing
    most: int = 12
    of_words: bool = False  # a row of words
    low: float | None = None  # of a slider (always), of the arrow keys in a number
    high: float | None = None
    step: float | None = None
    options: Mapping[str, str] = field(default_factory=dict)  # of a choice: key -> text
    rows: Sequence[str] = ()  # names beside the rows of a table
    columns: Sequence[str] = ()
    wide: int = 14  # rem of an input for words


def start(field: Field) -> Any:
    """A field's original as the browser holds it."""
    if field.kind == "flags":
        return [[int(cell) for cell in row] for row in field.original]
    return written(field.original)


def written(value: Any) -> Any:
    """Numbers as they stand in inputs: "1", "−0.25"; lists stay lists, flags 0 and 1."""
    if hasattr(value, "tolist"):
        return written(value.tolist())
    if isinstance(value, list | tuple):
        return [written(each) for each in value]
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        value = format(Decimal(f"{value:.12g}"), "f" if abs(value) >= FINEST else "g")
    if isinstance(value, str) and not _is_number(value):
        return value
    return re.sub("^-", MINUS, str(value))


def sent(field: Field, value: Any, wrong: bool, look: Look) -> dict[str, Any]:
    """What the browser needs to draw a field."""
    return {
        "name": field.name,
        "label": field.label,
        "kind": field.kind,
        "value": value,
        "colour": look.colour(field.role),
        "about": field.about,
        "grow": list(field.grow),
        "by": field.by,
        "words": field.of_words,
        "least": field.least,
        "most": field.most,
        "low": field.low,
        "high": field.high,
        "step": field.step,
        "options": [list(pair) for pair in field.options.items()],
        "rows": list(field.rows),
        "columns": list(field.columns),
        "wide": field.wide,
        "wrong": wrong,
    }


def cleaned(values: Mapping[str, Any], fields: Sequence[Field]) -> dict[str, Any]:
    """What the browser sent, without anything that no input of these can hold."""
    found = {}
    for each in fields:
        value, axes = values.get(each.name), AXES.get(each.kind, 0)
        if _fits(value, axes) and _cells(value) <= MOST_CELLS:
            found[each.name] = value
    return found


def _fits(value: Any, axes: int) -> bool:
    if axes == 0:
        plain = isinstance(value, str | int) and not isinstance(value, bool)
        return plain and len(str(value)) <= LONGEST
    return isinstance(value, list) and all(_fits(each, axes - 1) for each in value)


def _cells(value: Any) -> int:
    return sum(map(_cells, value)) + 1 if isinstance(value, list) else 1


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
