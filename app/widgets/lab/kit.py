"""What every bench of the Lab is made of: its question, inputs that compute as one types, reset.

    kit.head("scaling")                                  # lab_scaling.title and lab_scaling.about
    answer = kit.worked("scaling", [Field("d_k", "d_k", 64, "number", low=1, high=512)], scaling)
    answer.result                                        # scaling(d_k=…) of what is typed

What is typed goes to the core function as typed: text for a number, words and a choice, lists of
texts for rows and tables; core reads or refuses it. A refusal stands below the inputs, the input
it names is marked, and the result stays that of the last good inputs. Tables of results:
`app/figures/lab_tables.py`, drawn with `st.html`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st

from app import state
from app.figures.labels import format_number
from app.widgets.chart import current_look
from app.widgets.lab import inputs
from app.widgets.lab.fields import Field, cleaned, sent, start, written
from app.widgets.lab.typed import typed_inputs
from app.words import say
from core.errors import GlassformerError

Ties = Sequence[Sequence[tuple[str, str]]]

T = TypeVar("T")
__all__ = ["Answer", "Field", "Ties", "head", "headed", "put", "reset", "worked"]


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a bench computes from its inputs."""

    result: T
    typed: Mapping[str, Any]  # the inputs of the result, as typed
    edited: bool  # something else than the originals is typed
    stale: bool  # the inputs on screen make no sense: the result is of those before


@dataclass(frozen=True)
class Line:
    """What stands below the inputs."""

    text: str
    wrong: str | None  # the input that cannot be used


def head(bench: str, **values: Any) -> None:
    """Draw the question and the two sentences: `lab_<bench>.title` and `lab_<bench>.about`."""
    headed(say(f"lab_{bench}.title", **values), say(f"lab_{bench}.about", **values))


def headed(title: str, about: str) -> None:
    """The same with the two texts, as markdown."""
    with st.container(key="lab_head", gap=None):
        st.markdown(f"#### {title}\n{about}")


def worked(
    key: str,
    fields: Sequence[Field],
    compute: Callable[..., T],
    ties: Ties = (),
    note: Callable[[T, bool], str] | None = None,
) -> Answer[T]:
    """Draw the inputs where it is called and compute from them.

    key: unique among the benches; what is typed is kept under it, in the link, too.
    compute: a core function; it gets every field by its name, and raises `GlassformerError`.
    ties: sides that grow together, as in `[[("X", "columns"), ("W_Q", "rows")]]`.
    note: what to say on the line below the inputs, of the result and whether the inputs are edited.
    """
    originals = {each.name: start(each) for each in fields}
    typed = originals | _typed(key, fields)
    problem: GlassformerError | None = None
    good = typed
    try:
        result = compute(**typed)
        inputs.remember(key, typed, originals)
    except GlassformerError as error:
        problem = error
        good, result = _last_good(key, fields, originals, compute)
    edited = typed != originals
    said = note(result, edited) if note else ""
    if problem:
        labels = {each.name: each.label for each in fields}
        said = _joined(message(problem, labels), say("lab.stale"))
    wrong = str(problem.values.get("name", "?")) if problem else None
    _draw(key, fields, typed, Line(said, wrong), edited, ties)
    return Answer(result, good, edited, problem is not None)


def _last_good(
    key: str, fields: Sequence[Field], originals: dict[str, Any], compute: Callable[..., T]
) -> tuple[dict[str, Any], T]:
    """What the link holds; where that cannot be computed either, nobody has typed it here."""
    good = originals | cleaned(inputs.linked(key), fields)
    try:
        return good, compute(**good)
    except GlassformerError:
        if not inputs.is_draft(key):
            inputs.refuse(key)
        return originals, compute(**originals)


def _typed(key: str, fields: Sequence[Field]) -> dict[str, Any]:
    """What is in the inputs; of a link only what such inputs can hold."""
    given = inputs.typed(key)
    fitting = cleaned(given, fields)
    if not inputs.is_draft(key) and fitting.keys() != given.keys():
        inputs.refuse(key)
    return fitting


def put(key: str, **values: Any) -> None:
    """Type something for the reader (a preset); for callbacks. Flags: True and False."""
    inputs.draft(key, inputs.typed(key) | {n: written(v) for n, v in values.items()}, renew=True)


def reset(key: str) -> None:
    """Back to the originals."""
    inputs.draft(key, {}, renew=True)


def message(error: GlassformerError, labels: Mapping[str, str]) -> str:
    """What is wrong with an input, with the input's name as it stands on screen."""
    values = {name: _said(value) for name, value in error.values.items()}
    name = str(error.values.get("name", ""))
    if name in labels:
        values["name"] = labels[name]
    return say(f"errors.{error.key}", **values)


def _joined(*sentences: str) -> str:
    return ("" if state.get_state().language == "zh" else " ").join(sentences)


def _said(value: Any) -> str:
    return format_number(value, 3) if isinstance(value, float) else str(value)


def _draw(
    key: str,
    fields: Sequence[Field],
    typed: Mapping[str, Any],
    line: Line,
    edited: bool,
    ties: Ties,
) -> None:
    look = current_look()
    texts = {
        name: say(f"lab.{name}")
        for name in ("reset", "more_rows", "less_rows", "more_columns", "less_columns")
    }
    texts |= {"bad": look.colour("changed"), "faint": look.colour("faint")}

    def take(values: Mapping[str, Any]) -> None:
        inputs.draft(key, inputs.typed(key) | cleaned(values, fields))

    def back() -> None:
        reset(key)

    typed_inputs(
        key=f"lab_{key}",
        fields=[sent(each, typed[each.name], each.name == line.wrong, look) for each in fields],
        message=line.text,
        is_error=line.wrong is not None,
        texts=texts,
        stamp=f"{state.get_state().language}-{inputs.stamp(key)}",
        edited=edited,
        ties=ties,
        on_typed=take,
        on_reset=back,
    )
