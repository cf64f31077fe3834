"""The inputs of a bench: what they are, how they are written, where what is typed is kept.

A link holds, by bench, what is no original and has been computed. The session's draft may make no
sense yet; it counts as long as the link still says what it said when the draft was typed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import streamlit as st

from glassformer.app.plots.labels import MINUS
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.codecs import Sections, parse_sections, sections_text
from glassformer.app.words import say, texts_of_language

Inputs = dict[str, Any]
Kind = Literal["number", "slider", "row", "table", "block", "flags", "words", "choice"]
AXES = {"row": 1, "table": 2, "flags": 2, "block": 3}
LONGEST = 400  # characters of one text that is taken from the browser
MOST_CELLS = 4096
FINEST = 1e-9  # smaller ones are written with a power of ten


@dataclass(frozen=True)
class Field:
    """One input. What is in `original` is where it starts and where a reset leads back to."""

    name: str  # the parameter of the core function
    label: str  # the symbol shown; "W_Q" gets its subscript; "": the text of the name
    original: Any  # a number, a word; a list of numbers or words; rows; blocks of rows; 0 and 1
    kind: Kind = "number"
    role: str = "data"  # its colour
    about: str = ""  # small type beside the label: the shape, the unit; "": the text about_<name>
    grow: Sequence[Literal["rows", "columns"]] = ()  # what the reader may add and take away
    by: int = 1  # how many at once
    least: int = 1  # rows or columns when growing
    most: int = 12
    of_words: bool = False  # a row of words
    low: float | None = None  # of a slider (always), of the arrow keys in a number
    high: float | None = None
    step: float | None = None
    options: Sequence[str] = ()  # of a choice; its texts are <name>_<option>, or the option itself
    wide: int = 14  # rem of an input for words


def original_value(field: Field) -> Any:
    """A field's original as the browser holds it."""
    if field.kind == "flags":
        return [[int(cell) for cell in row] for row in field.original]
    return input_value(field.original)


def input_value(value: Any) -> Any:
    """Numbers as they stand in inputs: "1", "−0.25"; lists stay lists, flags 0 and 1."""
    if hasattr(value, "tolist"):
        return input_value(value.tolist())
    if isinstance(value, list | tuple):
        return [input_value(each) for each in value]
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        value = format(Decimal(f"{value:.12g}"), "f" if abs(value) >= FINEST else "g")
    return re.sub(r"^-(?=[\d.]+(e[+-]?\d+)?$)", MINUS, str(value))


def field_data(
    field: Field, value: Any, wrong: bool, bench: str, look: FigureStyle
) -> dict[str, Any]:
    """What the browser needs to draw a field of a bench."""
    name, known = field.name, texts_of_language(store.get_state().language)
    about, options = field.about, {each: each for each in field.options}
    if not about and f"lab_{bench}.about_{name}" in known:
        about = say(f"lab_{bench}.about_{name}")
    for each in field.options:
        if f"lab_{bench}.{name}_{each}" in known:
            options[each] = say(f"lab_{bench}.{name}_{each}")
    as_they_are = ("name", "kind", "by", "least", "most", "low", "high", "step", "wide")
    return {each: getattr(field, each) for each in as_they_are} | {
        "label": field_label(field, bench),
        "value": value,
        "colour": look.colour(field.role),
        "about": about,
        "grow": list(field.grow),
        "words": field.of_words,
        "options": [list(pair) for pair in options.items()],
        "wrong": wrong,
    }


def field_label(field: Field, bench: str) -> str:
    """What stands before a field of a bench."""
    return field.label or say(f"lab_{bench}.{field.name}")


def clean_values(values: Mapping[str, Any], fields: Sequence[Field]) -> dict[str, Any]:
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


def inputs_of_link(key: str) -> Inputs:
    """The inputs of a bench in the link."""
    return {name: tuples_as_lists(value) for name, value in _all().get(key, {}).items()}


def inputs_of_reader(key: str) -> Inputs:
    """What is in the inputs of a bench that is no original."""
    basis, values = _draft(key)
    return dict(values) if basis == inputs_of_link(key) else inputs_of_link(key)


def is_draft(key: str) -> bool:
    """Whether the reader has typed it here; else it came with a link."""
    return _draft(key)[0] == inputs_of_link(key)


def take_typed(key: str, values: Mapping[str, Any], renew: bool = False) -> None:
    """Take what was typed; `renew` where the inputs in the browser shall show it."""
    if renew:
        _renew(key)
    store.memory().lab_drafts[key] = (inputs_of_link(key), dict(values))


def remember_inputs(key: str, values: Mapping[str, Any], originals: Mapping[str, Any]) -> None:
    """Put good inputs into the link."""
    other = {name: value for name, value in values.items() if value != originals[name]}
    if other != inputs_of_link(key):
        others = {name: given for name, given in _all().items() if name != key}
        fixed = {name: _frozen(value) for name, value in other.items()}
        store.update(inputs=sections_text({**others, key: fixed}))
    elif not is_draft(key):  # another link, the browser's back button
        _renew(key)
    take_typed(key, other)


def drop_inputs(key: str) -> None:
    """Leave out what a link has for a bench, and say so."""
    others = {name: given for name, given in _all().items() if name != key}
    store.drop("inputs", "", inputs=sections_text(others))
    st.rerun()


def inputs_stamp(key: str) -> int:
    """Another one means that the inputs in the browser are old."""
    return store.memory().lab_stamps.get(key, 0)


def _all() -> Sections:
    return parse_sections(store.get_state().inputs)


def _draft(key: str) -> tuple[Inputs, Inputs]:
    """What the link said when it was typed, and what was typed."""
    return store.memory().lab_drafts.get(key, ({}, {}))


def _renew(key: str) -> None:
    store.memory().lab_stamps[key] = inputs_stamp(key) + 1


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def tuples_as_lists(value: Any) -> Any:
    """The tuples of a link as the lists of the browser."""
    return list(map(tuples_as_lists, value)) if isinstance(value, tuple) else value


def fill_names(names: Any, count: int) -> list[str]:
    """So many names: those typed, and numbers for the rest."""
    known = [str(each) for each in names][:count]
    return known + [str(at + 1) for at in range(len(known), count)]
