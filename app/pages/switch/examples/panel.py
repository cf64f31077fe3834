"""Experiments to start from, each a real effect: one click brings sentence, switches and view."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from glassformer.app.plots.labels import visible
from glassformer.app.runs.models import is_opened
from glassformer.app.session import experiments, store
from glassformer.app.session.state import State
from glassformer.app.ui.component import component, json_bytes
from glassformer.app.ui.layout import box
from glassformer.app.ui.text import on_top
from glassformer.app.words import say, say_each
from glassformer.core.interventions import Experiment

FILE = Path(__file__).parents[4] / "assets" / "experiments" / "examples.json"
ASKED = ("text", "model", "second", "edits")  # of the state
GROUPS = ("look", "patch", "order", "parts", "heads", "numbers")

_cards = component(__file__, "example_cards")


@dataclass(frozen=True)
class ExampleExperiment:
    """A sentence and what is switched; what that does is said in `experiments.<id>`.

    view: further parameters of a link, the panel that shows it best. expect: what a test finds in
    the runs; the notes say no more than that.
    """

    id: str
    group: str
    text: str
    direction: str
    second: str
    model: str
    edits: str
    view: Mapping[str, str]
    expect: Mapping[str, Any]


def show() -> None:
    """Draw the list; the one on screen stands out, and a click on it takes it back."""
    now = on_screen()
    with box("fill tall grows", "switch_examples", gap="xsmall"):
        st.caption(
            say("switch_examples.about_elsewhere" if _elsewhere() else "switch_examples.about")
        )
        data = cards_data(now.id if now else "")
        _cards(
            "example_cards", data, height="stretch", pick=lambda sent: pick_example(str(sent["id"]))
        )


def show_gallery() -> None:
    """Draw the list over the whole page, each with what becomes of its translation."""
    key = "switch_examples.top_elsewhere" if _elsewhere() else "switch_examples.top"
    on_top(escape(say(key, count=len(example_experiments()))))
    with box("fill tall grows", "switch_examples", gap="xsmall"):
        language = store.get_state().language
        staged = store.memory().presented
        data = store.once(
            lambda: json_bytes(cards_data("", results=True, staged=staged)), None, language, staged
        )
        _cards(
            "example_cards", data, height="stretch", pick=lambda sent: pick_example(str(sent["id"]))
        )
        if staged:
            shown, count = len(GROUPS), len(example_experiments())
            st.caption(say("switch_examples.some", some=shown, count=count))


def _elsewhere() -> bool:
    """Whether another's model is on screen: a click leaves it."""
    return is_opened(store.get_state().model)


@cache
def example_experiments() -> tuple[ExampleExperiment, ...]:
    """All of them, in the order of the file."""
    return tuple(ExampleExperiment(**row) for row in json.loads(FILE.read_text(encoding="utf-8")))


def on_screen() -> ExampleExperiment | None:
    """The example whose sentence, model and switches are those of the state."""
    now = store.get_state()
    for each in example_experiments():
        if all(getattr(each, name) == getattr(now, name) for name in ASKED):
            return each
    return None


def pick_example(chosen: str) -> None:
    """Load an example by its id; the one on screen is taken back instead, with its sentence."""
    found = next((each for each in example_experiments() if each.id == chosen), None)
    if found is None:
        return
    if found == on_screen():
        experiments.reset_experiment()
        return
    experiments.switch_to(Experiment.from_text(found.edits), **view_of(found))


def view_of(example: ExampleExperiment) -> dict[str, Any]:
    """What of the state an example sets, but for its switches."""
    start = State()
    held = ("kind", "layer", "head", "stage", "query", "key", "token", "word", "address", "result")
    aimed, _ = State.from_query(example.view)
    panel = {name: getattr(aimed, name) for name in held}
    sentence = {"text": example.text, "direction": start.direction, "second": example.second}
    sentence["text_pair"] = start.text_pair
    return panel | sentence | {"model": example.model, "step": start.step, "run": start.run}


def cards_data(chosen: str, results: bool = False, staged: bool = False) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON.

    results: with both translations. staged: in front of a hall, the first one of each group.
    """
    groups = {
        group: [each for each in example_experiments() if each.group == group] for group in GROUPS
    }
    return {
        "groups": [
            {
                "title": say(f"switch_examples.group_{group}"),
                "cards": [_card(each, results) for each in cards[: 1 if staged else None]],
            }
            for group, cards in groups.items()
        ],
        "chosen": chosen,
        "texts": say_each("switch_examples.back switch_examples.take"),
    }


def _card(example: ExampleExperiment, results: bool) -> dict[str, Any]:
    sentences = [each for each in (example.text, example.second) if each]
    return {
        "id": example.id,
        "name": say(f"experiments.{example.id}.name"),
        "note": say(f"experiments.{example.id}.note"),
        "sentences": [" ".join(map(visible, each.split())) for each in sentences],
        "language": example.direction.partition("-")[2],
        "results": example_translations(example) if results else [],
    }


def example_translations(example: ExampleExperiment) -> list[list[tuple[str, bool]]]:
    """Both translations, before and after, in parts; True for those that the other one lacks.

    They stand in the file, and a test translates each sentence again.
    """
    runs = [_pieces(example.expect[name]) for name in ("before", "after")]
    found: list[list[tuple[str, bool]]] = [[], []]
    matched = SequenceMatcher(None, runs[0], runs[1], autojunk=False)
    for kind, *spans in matched.get_opcodes():
        for at, pieces in enumerate(runs):
            first, last = spans[2 * at : 2 * at + 2]
            if part := "".join(pieces[first:last]):
                found[at].append((part, kind != "equal"))
    return found


def _pieces(text: str) -> list[str]:
    """A translation in words and what is between them; Chinese, written without, in signs."""
    return re.findall(r"[^\W\u2e80-\uffef]+|.", text)
