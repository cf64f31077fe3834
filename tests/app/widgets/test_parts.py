"""A name of the state is a part of the page's folder; what a part cannot draw it says."""

from importlib import import_module
from types import ModuleType

import pytest

from glassformer.app.pages.lab.page import GROUPS
from glassformer.app.panels.compare import PAGES
from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.session import state
from glassformer.core.errors import GlassformerError

NAMED = {
    "vectors": state.VECTORS,
    "switch": (*state.SWITCHES, "panel", "effect"),
    "decoding": state.DECODING,
}


@pytest.mark.parametrize("page", NAMED)
def test_every_name_is_a_part(page: str) -> None:
    for name in NAMED[page]:
        assert callable(import_module(f"glassformer.app.pages.{page}.{name}").show)


def test_every_bench_is_in_a_group() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(state.LAB)
    for group, names in GROUPS.items():
        part = import_module(f"glassformer.app.pages.lab.{group}")
        assert all(callable(getattr(part, f"show_{name}")) for name in names)


def test_pages_with_two_runs_have_a_body_for_them() -> None:
    for page in PAGES.values():
        assert callable(import_module(f"glassformer.app.pages.{page}.compare").show)


def test_a_part_that_cannot_be_drawn_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def show(where: str) -> None:
        raise GlassformerError("checkpoint_missing", path=where)

    warned: list[str] = []
    broken = ModuleType("broken")
    monkeypatch.setattr(broken, "show", show, raising=False)
    found = {"pages.broken": broken}.__getitem__
    monkeypatch.setattr("glassformer.app.panels.opening.on_file.import_module", found)
    monkeypatch.setattr("glassformer.app.panels.opening.on_file.st.warning", warned.append)
    show_part("pages", "broken", "*here*")
    assert len(warned) == 1
    assert r"\*here\*" in warned[0]
