"""Parts that are sent again: they are what would be drawn, and their widgets go on as ever."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from glassformer.app.session import store
from glassformer.app.ui import kept
from glassformer.app.ui.kept import call_latest, keep
from tests.benchmarks.server import opened, watched

PAGES = ("translate", "attention", "switch", "tensors", "vectors", "decoding", "walkthrough")


def sent(run: Any) -> list[tuple[list[int], str]]:
    """Where each message goes, and the hash of what it says."""
    deltas = [each for each in run.messages if each.WhichOneof("type") == "delta"]
    return [(list(each.metadata.delta_path), each.hash) for each in deltas]


@pytest.mark.parametrize("page", PAGES)
def test_what_is_sent_again_is_what_would_be_drawn(page: str) -> None:
    with watched() as run:
        app = opened(page)
        app.run().run()
        with patch.object(kept.Part, "send", autospec=True, side_effect=kept.Part.send) as again:
            app.run()
        assert again.call_count > 7
        found = sent(run)
        app.session_state["memory"].kept.clear()
        app.run()
        assert found == sent(run)


def test_on_another_page_no_widget_is_forgotten() -> None:
    app = opened("attention")
    app.run().switch_page("app/pages/switch/page.py").run()
    for key in ("theme_switch", "bridge_escape", "guide", "widget_saving", "widget_language"):
        assert key in app.session_state, key
    app.button_group(key="widget_language").set_value("zh").run()
    assert app.session_state["state"].language == "zh"
    app.button_group(key="widget_language").set_value("en").run()
    assert app.session_state["state"].language == "en"


def _script() -> None:
    from tests.app import test_kept

    test_kept.draw()


def draw() -> None:
    """A part with a style sheet, a picker that is bound and a button, between two captions."""
    at: Any = st.session_state

    def part() -> None:
        at["drawn"] = at.get("drawn", 0) + 1
        st.html("<style>p { margin: 0 }</style>")
        shown = at.get("of", 1)
        st.selectbox("of", [1, 2, 3], **store.bind("of", shown, index=shown - 1))
        st.button("go", key="go", on_click=call_latest("go", lambda: heard.append(at["act"])))

    heard: list[int] = at.setdefault("heard", [])
    at["act"] = at.get("act", 0) + 1
    st.caption("before")
    keep("part", part, at.get("shows", 0))
    st.html("<style>a { margin: 0 }</style>")
    st.caption("after")


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_function(_script, default_timeout=30)


def drawn_after(app: AppTest, change: Callable[[], object]) -> int:
    before: int = app.session_state["drawn"]
    change()
    app.run()
    assert [each.value for each in app.caption] == ["before", "after"]
    assert not app.exception
    return int(app.session_state["drawn"]) - before


def test_it_is_drawn_again_where_what_it_shows_or_holds_has_changed(app: AppTest) -> None:
    app.run().run()  # the first gives the picker its value, which is said once
    assert drawn_after(app, lambda: None) == 0
    assert drawn_after(app, lambda: app.session_state.__setitem__("shows", 1)) == 1
    assert drawn_after(app, lambda: None) == 0
    assert drawn_after(app, lambda: app.selectbox[0].set_value(3)) == 1  # the state says 1
    assert app.selectbox[0].value == 1
    app.run()
    assert drawn_after(app, lambda: None) == 0


def test_style_sheets_after_it_take_no_place_of_its_own(app: AppTest) -> None:
    with watched() as run:
        app.run().run().run()
        first = sent(run)
        assert app.session_state["drawn"] == 2
    assert len({tuple(place) for place, _ in first}) == len(first)


def test_a_button_that_was_not_drawn_calls_what_it_was_given_last(app: AppTest) -> None:
    app.run().run().run().run()
    assert app.session_state["drawn"] == 2
    app.button[0].click().run()
    assert app.session_state["heard"] == [4]
