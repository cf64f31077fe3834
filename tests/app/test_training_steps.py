"""Going from step to step of a training: what is written, what stays pinned."""

from types import SimpleNamespace
from typing import Any

import pytest

from glassformer.app.pages.training import curves
from glassformer.app.session.state import State

STEPS = (0, 50, 100, 400)


def test_going_to_a_place_writes_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[dict[str, Any]] = []
    monkeypatch.setattr(curves.store, "update", lambda **change: changes.append(change))
    training: Any = SimpleNamespace(steps=STEPS)
    for place in (1, 3, 0):
        curves.Training.go(training, place)
    start, end = {"course": "start"}, {"course": "end"}
    assert changes == [{"step": "50"} | start, {"step": ""} | end, {"step": "0"} | start]


def test_another_step_keeps_pins_on_the_source_alone() -> None:
    now = State(kind="cross", query=1, key=2, token=("target", 1))
    assert now.changed(step="50") == State(kind="cross", step="50")
    now = State(query=1, key=2, token=("source", 1))
    assert now.changed(step="50") == State(query=1, key=2, token=("source", 1), step="50")
