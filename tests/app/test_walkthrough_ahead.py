"""What is sent of the steps around the reader, and what the server makes of what it hears."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.walkthrough.ahead import ahead_data
from glassformer.app.pages.walkthrough.focus import MOST, REMEMBERED, StepFocus, remember_event
from glassformer.app.pages.walkthrough.strip import strip_data
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session import store
from glassformer.app.session.memory import Memory
from glassformer.app.session.state import State
from glassformer.core.explain.steps.steps import for_layer, list_steps
from glassformer.core.trace.trace import Trace
from tests.explain.steps.step_runs import SENTENCES, bundled_run
from tests.opened_app import opened, state_of

FIRST, SECOND = "source.lookup", "source.scale"


def trace() -> Trace:
    return bundled_run(SENTENCES[0])[0]


def seen(**state: Any) -> StepFocus:
    return StepFocus(State(**state), trace(), FigureStyle())


def payload(focus: StepFocus, *ids: str) -> dict[str, Any]:
    with patch("glassformer.app.words.get_state", State):
        return ahead_data(focus, ids)


def test_the_strip_is_the_same_at_every_step_of_its_layers() -> None:
    with patch("glassformer.app.words.get_state", State):
        first, *others = (
            strip_data(seen(walk=step.id)) for step in for_layer(list_steps(trace()), 0, 0)
        )
    assert all(each == first for each in others)


def sent(app: AppTest) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto.bytes for proto in found if proto.component_name.endswith("_ahead"))
    parsed: dict[str, Any] = json.loads(data)
    return parsed


def after(app: AppTest, step: str, lacks: tuple[str, ...], version: str = "") -> AppTest:
    """The app after an event of the strip at a step, of a browser that lacks some steps."""
    event = {"step": step, "nonce": "1-1", "lacks": lacks, "version": version}

    def page(event):  # type: ignore[no-untyped-def]  # a script of its own
        from glassformer.app.pages.walkthrough import ahead
        from glassformer.app.pages.walkthrough.focus import go_to_event
        from glassformer.app.runs import on_screen

        on_screen.current_outcome()
        go_to_event(event)
        ahead.show()

    small = AppTest.from_function(page, args=(event,), default_timeout=60)
    small.session_state["state"] = state_of(app)
    small.session_state["written"] = {}
    small.run()
    assert not small.exception
    return small


def test_what_was_sent_ahead_is_what_is_sent_on_arrival() -> None:
    """For every step of the walk, seen from the step before."""
    steps = for_layer(list_steps(trace()))
    for here, following in pairwise(steps):
        before = payload(seen(walk=here.id), following.id)
        layer = seen(walk=here.id).at_step(following).now.layer
        arrived = payload(seen(walk=following.id, layer=layer), following.id)
        assert before["version"] == arrived["version"]
        assert before["steps"] == arrived["steps"], following.id


@pytest.mark.parametrize(
    "change",
    [{"head": 1}, {"query": 2, "key": 1, "kind": "encoder"}, {"language": "zh"}, {"size": 130},
     {"precision": 5}, {"feature": 4}, {"address": "encoder/0/self_attention/k"}, {"edits": "x"}],
)  # fmt: skip
def test_whatever_changes_a_picture_changes_the_version(change: dict[str, Any]) -> None:
    assert seen(walk=FIRST).version != seen(walk=FIRST, **change).version


def test_the_step_alone_does_not_and_the_theme_does() -> None:
    first, other = seen(walk=FIRST), seen(walk="encoder.1.feed_forward.expand", layer=1)
    assert first.version == other.version
    assert replace(first, look=FigureStyle(dark=True)).version != first.version
    assert seen(walk="encoder.9.nothing").version != first.version


def test_without_a_question_the_step_in_view_is_sent() -> None:
    data = sent(opened("walkthrough", walk=SECOND))
    assert list(data["steps"]) == [SECOND] == [data["current"]]


def test_an_event_moves_and_is_answered_with_what_the_browser_lacks() -> None:
    app = opened("walkthrough")
    version = sent(app)["version"]
    unknown = "encoder.99.<b>"
    found = after(app, SECOND, ("source.sum", unknown), sent(app)["version"])
    assert state_of(found).walk == SECOND
    data = sent(found)
    assert data["current"] == SECOND
    assert data["answers"] == ["1-1"]
    if data["version"] == version:
        assert list(data["steps"]) == ["source.sum"]
    else:  # another run object: all that the browser has is out of date
        assert list(data["steps"]) == [SECOND]


def test_a_step_that_the_run_has_not_moves_nobody() -> None:
    found = after(opened("walkthrough", walk=SECOND), "decoder.7.<script>", ())
    assert state_of(found).walk == SECOND
    assert list(sent(found)["steps"]) == [SECOND]


def test_no_event_asks_for_more_than_a_few_steps() -> None:
    lacks = tuple(step.id for step in for_layer(list_steps(trace())))
    kept = Memory()
    value = {"step": FIRST, "lacks": lacks, "version": "v"}
    with patch.object(store, "memory", lambda: kept):
        for nonce in range(20):
            remember_event(value | {"nonce": str(nonce)})
    assert kept.walk_asked[2] == lacks[:MOST]
    assert kept.walk_heard == tuple(map(str, range(20 - REMEMBERED, 20)))
