"""A picker tells what somebody picks, and nothing that Streamlit calls it for besides."""

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.session import store
from glassformer.app.session.memory import Memory
from glassformer.app.ui import pick
from tests.opened_app import opened

PLACES: dict[str, dict[str, str]] = {
    "translate": {"language": "zh", "heat": "1.4", "model": "small-gpt", "second": "the cat"},
    "attention": {"layer": "2", "sinks": "apart", "kind": "cross", "theme": "dark"},
    "switch": {"switches": "batch", "edits": "causal", "batch": "a dog"},
    "tensors": {"address": "encoder/1/self_attention/weights", "precision": "6"},
    "vectors": {"vectors": "positions", "positions": "rotation", "offset": "9"},
    "decoding": {"decoding": "beam", "beams": "5", "branches": "all"},
    "training": {"training": "workshop"},
    "lectures": {"language": "zh"},
}
NAMES = {"translator": "translator, 1.5 M", "small-gpt": "small-gpt, 0.6 M"}


def test_what_stands_there_already_is_not_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a kept picker Streamlit may call `on_change` without a change: a lecturer's click on
    another language then chose the model anew, and the cell that was clicked before was lost."""
    memory, drawn, picked = Memory(), dict[str, Any](), list[str]()
    monkeypatch.setattr(store, "memory", lambda: memory)
    monkeypatch.setattr(store, "bind", lambda widget, value, **default: default)
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


def defaults(app: AppTest) -> Iterator[tuple[str, Any, Any]]:
    """Of each widget that is given a value: its id, the value, and the default beside it."""
    blocks: list[Any] = [app._tree]
    while blocks:
        block = blocks.pop()
        blocks.extend(getattr(block, "children", {}).values())
        proto = getattr(block, "proto", None)
        if not getattr(proto, "set_value", False):
            continue
        default, many = proto.default, not isinstance(proto.default, bool | float | int | str)
        if options := [getattr(each, "content", each) for each in getattr(proto, "options", ())]:
            default = [options[int(at)] for at in default] if many else options[default]
        names = ("raw_values", "raw_value") if options else ("value",)
        value = next(getattr(proto, name) for name in names if hasattr(proto, name))
        yield proto.id, *((list(value), list(default)) if many else (value, default))


@pytest.mark.parametrize("page", PLACES)
def test_what_shows_the_state_has_it_as_its_default(page: str) -> None:
    """The browser is told a widget's value once. Where the next run's message came before the
    widget was on screen, a fresh page had another model in its menu than the one drawn."""
    app = opened(page, text="the dog sleeps", **PLACES[page])
    found = list(defaults(app))
    assert len(found) >= (5 if page != "lectures" else 2), found
    for widget, value, default in found:
        assert value == default, widget
