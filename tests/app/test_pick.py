"""A picker tells what somebody picks, and nothing that Streamlit calls it for besides."""

from typing import Any

import pytest

from glassformer.app.session import store
from glassformer.app.session.memory import Memory
from glassformer.app.ui import pick

NAMES = {"translator": "translator, 1.5 M", "small-gpt": "small-gpt, 0.6 M"}


def test_what_stands_there_already_is_not_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a kept picker Streamlit may call `on_change` without a change: a lecturer's click on
    another language then chose the model anew, and the cell that was clicked before was lost."""
    memory, drawn, picked = Memory(), dict[str, Any](), list[str]()
    monkeypatch.setattr(store, "memory", lambda: memory)
    monkeypatch.setattr(store, "bind", lambda widget, value: widget)
    monkeypatch.setattr(store, "widget_value", lambda widget: drawn["value"])
    monkeypatch.setattr(pick, "keep", lambda name, show, *of: show())
    monkeypatch.setattr(pick, "call_latest", lambda name, act: act)

    def call(value: Any) -> None:
        drawn["value"] = value
        drawn["on_change"]()

    def draw(*_: Any, **looks: Any) -> None:
        drawn.update(on_change=looks["on_change"])

    pick._pick(draw, "model", "Model", NAMES, "translator", picked.append)
    call("translator")
    call(None)  # what the browser sent was an option in another language
    assert picked == []
    call("small-gpt")
    call("translator")  # at once, before the page was drawn anew
    assert picked == ["small-gpt", "translator"]
