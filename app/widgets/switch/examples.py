"""Experiments to start from, each a real effect: one click brings sentence, switches and view."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from app import experiments, state
from app.figures.labels import visible
from app.widgets.chart import current_look
from app.widgets.component import component
from app.widgets.style import put_sheet
from app.words import say
from core.edits import Experiment

FILE = Path(__file__).parents[3] / "assets" / "experiments" / "examples.json"
GROUPS = ("look", "patch", "order", "parts", "heads", "numbers")
ROLES = ("text", "faint", "line", "page", "panel", "changed")

_cards = component(__file__, "example_cards")


@dataclass(frozen=True)
class Example:
    """A sentence, what is switched, and what that does, in both languages.

    view: further parameters of a link, the panel that shows it best. expect: what a test finds in
    the runs; the notes say no more than that.
    """

    id: str
    group: str
    name_en: str
    name_zh: str
    note_en: str
    note_zh: str
    text: str
    direction: str
    second: str
    model: str
    edits: str
    view: Mapping[str, str]
    expect: Mapping[str, Any]

    def said(self, language: str) -> tuple[str, str]:
        """Its name and its line of text, in the language of the screen."""
        if language == "zh":
            return self.name_zh, self.note_zh
        return self.name_en, self.note_en


def show() -> None:
    """Draw the list; the one on screen stands out, and a click on it takes it back."""
    put_sheet(__file__, "examples.css")
    now = on_screen()

    def picked() -> None:
        if value := state.trigger("example_cards", "pick"):
            pick(str(value["id"]))

    with st.container(key="switch_examples", gap="xsmall"):
        st.caption(say("switch_examples.about"))
        _cards(
            key="example_cards",
            data=cards_data(now.id if now else ""),
            on_pick_change=picked,
            height="stretch",
        )


@cache
def examples() -> tuple[Example, ...]:
    """All of them, in the order of the file."""
    return tuple(Example(**row) for row in json.loads(FILE.read_text(encoding="utf-8")))


def on_screen() -> Example | None:
    """The example whose sentence, model and switches are those of the state."""
    now = state.get_state()
    shown = (now.text, now.model, now.second, now.edits)
    fitting = (each for each in examples() if (each.text, each.model, each.second) == shown[:3])
    return next((each for each in fitting if each.edits == shown[3]), None)


def pick(chosen: str) -> None:
    """Load an example by its id; the one on screen is taken back instead, with its sentence."""
    found = next((each for each in examples() if each.id == chosen), None)
    if found is None:
        return
    if found == on_screen():
        experiments.reset()
        return
    experiments.put(Experiment.from_text(found.edits), **view_of(found))


def view_of(example: Example) -> dict[str, Any]:
    """What of the state an example sets, but for its switches."""
    start = state.State()
    held = ("kind", "layer", "head", "stage", "query", "key", "token", "word", "address", "result")
    aimed, _ = state.State.from_query(example.view)
    panel = {name: getattr(aimed, name) for name in held}
    sentence = {"text": example.text, "direction": start.direction, "second": example.second}
    return panel | sentence | {"model": example.model, "step": start.step, "run": start.run}


def cards_data(chosen: str) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON."""
    look, language = current_look(), state.get_state().language
    return {
        "groups": [
            {
                "title": say(f"switch_examples.group_{group}"),
                "cards": [_card(each, language) for each in examples() if each.group == group],
            }
            for group in GROUPS
        ],
        "chosen": chosen,
        "texts": {name: say(f"switch_examples.{name}") for name in ("back", "take")},
        "look": {role: look.colour(role) for role in ROLES},
    }


def _card(example: Example, language: str) -> dict[str, Any]:
    name, note = example.said(language)
    sentences = [each for each in (example.text, example.second) if each]
    return {
        "id": example.id,
        "name": name,
        "note": note,
        "sentences": [" ".join(map(visible, each.split())) for each in sentences],
    }
