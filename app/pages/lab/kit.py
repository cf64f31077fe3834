"""What every bench of the Lab is made of: its question, inputs that compute as one types, reset.

    kit.draw_bench_head("scaling")  # lab_scaling.title, lab_scaling.about
    fields = [Field("d_k", "d_k", 64, low=1, high=512)]
    answer = kit.compute_from_inputs("scaling", fields, scaling)  # .result is scaling(d_k=…)
    kit.draw_chart("scaling", scaling_figure(answer.result, look))  # lab_scaling.alt

A bench with a slider or a choice draws in `kit.draw_with_foresight` what the browser may draw
before the server answers.

What is typed goes to the core function as typed: text for a number, words and a choice, lists of
texts for rows and tables; core reads or refuses it. A refusal stands below the inputs, the input
it names is marked, and the result stays that of the last good inputs. Tables of results:
`app/pages/lab/figures/tables.py`, drawn with `st.html`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import streamlit as st

from glassformer.app import words
from glassformer.app.pages.lab import inputs
from glassformer.app.pages.lab.inputs import (
    Field,
    clean_values,
    field_data,
    field_label,
    input_value,
    original_value,
)
from glassformer.app.panels import answers
from glassformer.app.panels.answers import Answers, Move
from glassformer.app.plots.drawing import Figure
from glassformer.app.plots.labels import format_number
from glassformer.app.session import store
from glassformer.app.session.state import State
from glassformer.app.ui.chart import current_look, show_chart
from glassformer.app.ui.component import component
from glassformer.app.ui.layout import box
from glassformer.app.words import say
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.inputs import read_number

Ties = Sequence[Sequence[Sequence[str]]]

T = TypeVar("T")
_fields = component(__file__, "typed")  # numbers, rows, tables, words, choices: sent as one types


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What a bench computes from its inputs."""

    result: T
    typed: Mapping[str, Any]  # the inputs of the result, as typed
    key: str
    fields: Sequence[Field]
    compute: Callable[..., T]

    def at(self, **changes: Any) -> "Answer[T]":
        """What it computes from other inputs; raises `GlassformerError`."""
        typed = {**self.typed, **changes}
        return replace(self, typed=typed, result=self.compute(**typed))


def draw_bench_head(bench: str) -> dict[str, str]:
    """Draw the question and the two sentences, and give all texts of the bench."""
    said = bench_texts(bench)
    draw_heading(said["title"], said["about"])
    return said


def draw_heading(title: str, about: str) -> None:
    """The same with the two texts, as markdown."""
    with st.container(key="lab_head", gap=None):
        st.markdown(f"#### {title}\n{about}")


def bench_texts(bench: str) -> dict[str, str]:
    """All texts of a bench by their names; what has {places} is filled where it is drawn."""
    section, known = f"lab_{bench}.", words.texts_of_language(store.get_state().language)
    names = [key.removeprefix(section) for key in known if key.startswith(section)]
    return {name: say(f"lab_{bench}.{name}") for name in names}


def draw_chart(bench: str, figure: Figure) -> None:
    """Draw the one figure of a bench over the height that is left."""
    with box("fill bench", "lab_chart"):
        show_chart(figure, f"lab_{bench}_chart", say(f"lab_{bench}.alt"), fill=True)


def draw_choices(field: str, prefix: str, labels: Mapping[str, str], chosen: str) -> None:
    """Draw a list to choose one of, which goes into a field of the state."""
    for key, text in labels.items():
        st.button(
            text,
            key=f"{prefix}_{key}" + ("_chosen" if key == chosen else ""),
            type="tertiary",
            width="stretch",
            on_click=store.update,
            kwargs={field: key},
        )


def draw_presets(bench: str, values: Mapping[str, dict[str, Any]]) -> None:
    """Draw a button for each of some inputs to start from."""
    with box("dense", f"lab_presets_{bench}", horizontal=True, gap="small"):
        st.markdown(f":small[{say(f'lab_{bench}.preset')}]", width="content")
        for name, given in values.items():
            st.button(
                say(f"lab_{bench}.preset_{name}"),
                key=f"lab_{bench}_{name}",
                on_click=put_inputs,
                args=(bench,),
                kwargs=given,
            )


def compute_from_inputs(
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
    originals = {each.name: original_value(each) for each in fields}
    typed = originals | _typed(key, fields)
    problem: GlassformerError | None = None
    good = typed
    try:
        result = compute(**typed)
        inputs.remember_inputs(key, typed, originals)
    except GlassformerError as error:
        problem = error
        good, result = _last_good(key, fields, originals, compute)
    edited = typed != originals
    said = note(result, edited) if note else ""
    if problem:
        labels = {each.name: field_label(each, key) for each in fields}
        said = say("language.gap").join([input_message(problem, labels), say("lab.stale")])
    wrong = str(problem.values.get("name", "?")) if problem else None
    _draw(key, fields, typed, (said, wrong), edited, ties)
    return Answer(result, good, key, fields, compute)


def draw_with_foresight(answer: Answer[T], draw: Callable[[Answer[T]], None]) -> None:
    """Draw what comes of the inputs; of sliders and choices the browser draws it by itself.

    draw: draws components of the bench, as they are with some inputs, and nothing else.
    """
    draw(answer)
    answers.show(lambda: InputAnswers.of_bench(answer, draw))


@dataclass(frozen=True)
class InputAnswers(Answers):
    """A bench with other values of its sliders and choices: they are its places."""

    answer: Answer[Any] | None = None

    @classmethod
    def of_bench(cls, answer: Answer[T], draw: Callable[[Answer[T]], None]) -> "InputAnswers":
        """All values of one input at a time, the nearest first."""
        moved = [each for each in answer.fields if each.kind in ("slider", "choice")]
        nearby = sorted(
            (distance, name, value) for name, value, distance in _other_values(moved, answer.typed)
        )
        names = {each.name for each in moved}
        fixed = {name: value for name, value in answer.typed.items() if name not in names}

        def draw_there(typed: Mapping[str, Any]) -> None:
            with suppress(GlassformerError):
                draw(answer.at(**typed))

        return cls(
            store.get_state(),
            (answer.key, fixed, current_look()),
            [Move(f"typed_lab_{answer.key}", name, name, "value") for name in sorted(names)],
            [{name: value} for _, name, value in nearby],
            draw_there,
            answer=answer,
        )

    @property
    def rest(self) -> State:
        """The state without what is in the inputs."""
        return replace(self.now, inputs="")

    def there(self, **changes: Any) -> dict[str, Any]:
        """The values of the inputs that are moved."""
        assert self.answer is not None
        return {name: self.answer.typed[name] for name in self.fields} | changes

    def place(self, there: Mapping[str, Any]) -> list[Any]:
        """The same in their order."""
        return [there[name] for name in self.fields]


def _other_values(
    fields: Sequence[Field], typed: Mapping[str, Any]
) -> Iterator[tuple[str, str, float]]:
    """name, value and distance of what else could be in an input, as the browser writes it."""
    for each in fields:
        for option in each.options:
            yield each.name, option, 0
        if each.kind == "slider":
            assert each.low is not None and each.high is not None and each.step is not None
            count = round((each.high - each.low) / each.step)
            now = read_number(each.name, typed[each.name])
            for at in range(count + 1):
                value = each.low + at * each.step
                yield each.name, f"{value:.12g}", abs(value - now) / each.step


def _last_good(
    key: str, fields: Sequence[Field], originals: dict[str, Any], compute: Callable[..., T]
) -> tuple[dict[str, Any], T]:
    """What the link holds; where that cannot be computed either, nobody has typed it here."""
    good = originals | clean_values(inputs.inputs_of_link(key), fields)
    try:
        return good, compute(**good)
    except GlassformerError:
        if not inputs.is_draft(key):
            inputs.drop_inputs(key)
        return originals, compute(**originals)


def _typed(key: str, fields: Sequence[Field]) -> dict[str, Any]:
    """What is in the inputs; of a link only what such inputs can hold."""
    given = inputs.inputs_of_reader(key)
    fitting = clean_values(given, fields)
    if not inputs.is_draft(key) and fitting.keys() != given.keys():
        inputs.drop_inputs(key)
    return fitting


def put_inputs(key: str, **values: Any) -> None:
    """Type something for the reader (a preset); for callbacks. Flags: True and False."""
    inputs.take_typed(
        key,
        inputs.inputs_of_reader(key) | {n: input_value(v) for n, v in values.items()},
        renew=True,
    )


def reset_inputs(key: str) -> None:
    """Back to the originals."""
    inputs.take_typed(key, {}, renew=True)


def input_message(error: GlassformerError, labels: Mapping[str, str]) -> str:
    """What is wrong with an input, with the input's name as it stands on screen."""
    values = {
        name: format_number(value, 3) if isinstance(value, float) else str(value)
        for name, value in error.values.items()
    }
    if (name := values.get("name", "")) in labels:
        values["name"] = labels[name]
    return say(f"errors.{error.key}", **values)


def _draw(
    key: str,
    fields: Sequence[Field],
    typed: Mapping[str, Any],
    line: tuple[str, str | None],  # what stands below, and the input that cannot be used
    edited: bool,
    ties: Ties,
) -> None:
    """The browser owns what is in the inputs until `stamp` changes: then they take the values."""
    look, (said, wrong) = current_look(), line
    name, seen = f"lab_{key}", store.memory().lab_seen
    texts = ("reset", "more_rows", "less_rows", "more_columns", "less_columns")

    def take(value: Any) -> None:
        if not isinstance(value, Mapping):
            return
        seen[name] = value.get("nonce")
        if value.get("reset"):
            reset_inputs(key)
        elif isinstance(value.get("values"), Mapping):
            inputs.take_typed(
                key, inputs.inputs_of_reader(key) | clean_values(value["values"], fields)
            )

    data = {
        "fields": [
            field_data(each, typed[each.name], each.name == wrong, key, look) for each in fields
        ],
        "message": said,
        "error": wrong is not None,
        "texts": {text: say(f"lab.{text}") for text in texts},
        "stamp": f"{store.get_state().language}-{inputs.inputs_stamp(key)}",
        "edited": edited,
        "ties": ties,
        "seen": seen.get(name),
    }
    _fields(f"typed_{name}", data, typed=take)
