"""A name of the state is a part of the page's folder; what a part cannot draw it says."""

from importlib import import_module
from itertools import groupby
from types import ModuleType

import pytest

from glassformer.app.panels import panel as panels
from glassformer.app.panels.compare import PAGES
from glassformer.app.panels.opening.on_file import show_part
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import State
from glassformer.app.words import texts_of_language
from glassformer.core.errors import GlassformerError

EVERY = [panel for page in panels.PAGES for panel in panels.panels_of(page).values()]


@pytest.mark.parametrize("name", ["panel", "effect"])
def test_what_stands_beside_every_switch_is_a_part(name: str) -> None:
    assert callable(import_module(f"glassformer.app.pages.switch.{name}").show)


@pytest.mark.parametrize("panel", EVERY, ids=lambda panel: f"{panel.page}/{panel.id}")
def test_a_panel_is_a_folder_that_says_what_it_is(panel: panels.Panel) -> None:
    body = import_module(f"{panel.package}.panel")
    assert callable(body.show)
    if panel.page not in ("switch", "training"):  # which say nothing above their panels
        assert bool(panel.top) != hasattr(body, "top_line")
    for language in LANGUAGES:
        assert panel.title in texts_of_language(language)
    state, dropped = State.from_query(panel.link)
    assert not dropped
    assert state.to_query() == panel.link  # nothing in it is what a link need not say


def test_every_bench_stands_below_a_heading() -> None:
    headings = [bench.group for bench in panels.panels_of("lab").values()]
    assert all(headings)
    assert len([*groupby(headings)]) == len(set(headings)), "a group's benches stand side by side"


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
