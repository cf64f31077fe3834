"""First line of the stage bar: the sentence, one beside it, examples, direction and model."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from app.runs import untrained
from app.runs.models import models
from app.session import store
from app.session.state import DIRECTIONS, State
from app.ui.pick import menu, small_button
from app.ui.text import literal
from app.words import say

EXAMPLES = Path(__file__).parents[2] / "assets" / "sentences" / "examples.json"


@dataclass(frozen=True)
class ExampleSentence:
    """A sentence worth looking at; why is said in `sentences.<id>`."""

    id: str
    text: str
    direction: str
    beside: str = ""  # the id of the one that differs from it in what decides


@cache
def examples() -> tuple[ExampleSentence, ...]:
    """All examples in the order of the file."""
    rows = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return tuple(ExampleSentence(**row) for row in rows)


def show() -> None:
    """Draw the line; what the user changes goes into the state."""
    now = store.get_state()
    with st.container(horizontal=True, gap="xsmall", key="stage_sentence", wrap=False):
        hint = say("frame.sentence_hint")
        _input("sentence", say("frame.sentence"), now.text, "text", hint)
        _second(now)
        notes = {example: _example_label(example) for example in examples()}
        st.menu_button(
            say("frame.examples"),
            tuple(notes),
            key="widget_example",
            format_func=notes.__getitem__,
            on_click=_pick_example,
        )
        directions = {name: say(f"frame.direction_{name}") for name in DIRECTIONS}
        _choice("direction", now.direction, directions)
        _choice("model", now.model, _model_labels())


def _model_labels() -> dict[str, str]:
    """The models by their names; an untrained one by its sizes, of two alike with a number."""
    labels: dict[str, str] = {}
    for name in models() or ("",):
        label = name
        if untrained.is_untrained(name):
            label = say("frame.untrained", **untrained.read(name).settings)
        taken = sum(each.startswith(label) for each in labels.values())
        labels[name] = f"{label} ({taken + 1})" if taken and label != name else label
    return labels


def _second(now: State) -> None:
    """A sentence beside the first: a button that opens its input, and one that closes it."""
    if not (now.second or store.memory().second_open):
        small_button(":material/add:", "second_open", say("experiment.second_open"), _open_second)
        return
    # It begins as the first sentence: most often one word is to be another.
    _input("second", say("experiment.second"), now.second or now.text, "second",
           say("experiment.second_hint"))  # fmt: skip
    small_button("×", "second_close", say("experiment.second_close"), _close_second)


def _input(widget: str, label: str, value: str, field: str, hint: str) -> None:
    st.text_input(
        label, key=store.bind(widget, value), placeholder=hint, label_visibility="collapsed",
        on_change=lambda: _take(field, store.widget_value(widget)),
    )  # fmt: skip


def _take(field: str, text: str) -> None:
    store.memory().second_new = field == "second"
    store.update(**{field: text})


def _open_second() -> None:
    store.memory().second_open = True
    if other := beside(store.get_state().text):
        _take("second", other)


def beside(text: str) -> str:
    """The example that one stands beside, as the tired and the wide one do; "" for any other."""
    found = {each.id: each for each in examples()}
    other = next((e.beside for e in found.values() if _letters(e.text) == _letters(text)), "")
    return found[other].text if other else ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _close_second() -> None:
    store.memory().second_open = False
    store.update(second="", run="")


def _choice(name: str, value: str, labels: dict[str, str]) -> None:
    # Another language, another widget: a box in the browser keeps the label it shows.
    widget = f"{name}_{store.get_state().language}"
    chosen = value if value in labels else next(iter(labels))

    def take(picked: str) -> None:
        # Where the labels have changed, the browser may send one from before: no choice.
        if picked in labels:
            store.update(**{name: picked})

    width = 150 * store.get_state().size // 100
    menu(widget, say(f"frame.{name}"), labels, chosen, take, width=width)


def _pick_example() -> None:
    chosen = store.widget_value("example")
    if chosen is not None:
        store.update(text=chosen.text, direction="auto")


def _example_label(example: ExampleSentence) -> str:
    return f"{literal(example.text)} :gray[:small[{literal(say(f'sentences.{example.id}'))}]]"
