"""A name of the state is a part of the page's folder; what a part cannot draw it says."""

from importlib import import_module
from types import ModuleType

import pytest

from app import screen
from app.widgets.beside.page import BODIES
from app.widgets.parts import show_part
from core.errors import GlassformerError

NAMED = {
    "vectors": screen.VECTORS,
    "lab": screen.LAB,
    "switch": (*screen.SWITCHES, "panel", "effect"),
    "decoding": screen.DECODING,
    "beside": tuple(BODIES.values()),
}


@pytest.mark.parametrize("page", NAMED)
def test_every_name_is_a_part(page: str) -> None:
    for name in NAMED[page]:
        assert callable(import_module(f"app.widgets.{page}.{name}").show)


def test_a_part_that_cannot_be_drawn_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def show(where: str) -> None:
        raise GlassformerError("checkpoint_missing", path=where)

    warned: list[str] = []
    broken = ModuleType("broken")
    monkeypatch.setattr(broken, "show", show, raising=False)
    found = {"pages.broken": broken}.__getitem__
    monkeypatch.setattr("app.widgets.parts.import_module", found)
    monkeypatch.setattr("app.widgets.parts.st.warning", warned.append)
    show_part("pages", "broken", "*here*")
    assert len(warned) == 1
    assert r"\*here\*" in warned[0]
