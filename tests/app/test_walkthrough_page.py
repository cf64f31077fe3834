"""The Walkthrough without a browser: the strip, links, the one selection."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.walkthrough import focus as focusing
from glassformer.app.pages.walkthrough.focus import StepFocus
from glassformer.app.pages.walkthrough.strip import strip_data
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import State
from glassformer.core.explain.steps.steps import for_layer, list_steps
from glassformer.core.trace.trace import Trace
from tests.explain.steps.step_runs import SENTENCES, bundled_run
from tests.opened_app import opened


def trace() -> Trace:
    return bundled_run(SENTENCES[0])[0]


def sent(app: AppTest) -> dict[str, Any]:
    """What the browser is sent of the step in view."""
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith("_ahead"))
    parsed: dict[str, Any] = json.loads(data.bytes)
    own: dict[str, Any] = parsed["steps"][parsed["current"]]["scene"]
    return own


def after(state: State, key: str, index: tuple[int, ...]) -> State:
    """The state after a click on a cell."""
    kept = [state]

    def update(**changes: Any) -> State:
        kept[0] = kept[0].changed(**changes)
        return kept[0]

    with (
        patch.object(focusing.store, "get_state", lambda: kept[0]),
        patch.object(focusing.store, "update", update),
        patch.object(focusing.on_screen, "trace_on_screen", trace),
    ):
        focusing.select_cell(key, index)
    return kept[0]


def seen(state: State) -> StepFocus:
    return StepFocus(state, trace(), FigureStyle())


def test_an_unknown_step_is_said_in_place_in_both_languages() -> None:
    for language, said in (("en", "no step"), ("zh", "没有")):
        app = opened("walkthrough", walk="encoder.5.feed_forward.<b>", language=language)
        note = sent(app)["note"]
        assert said in note
        assert "<b>" in note


def test_the_layer_of_the_link_is_the_one_walked_through() -> None:
    now = State(walk="encoder.1.self_attention.scale")
    assert (seen(now).layer("encoder"), seen(now).layer("decoder")) == (1, 0)
    both = replace(now, layer=1)
    assert seen(both).steps == for_layer(list_steps(trace()), 1, 1)
    assert seen(State(walk="encoder.0.feed_forward.norm")).layers_left == 1
    assert seen(State(walk="encoder.1.feed_forward.norm")).layers_left == 0
    assert seen(State(walk="encoder.0.feed_forward.residual")).layers_left == 0


def test_the_strip_has_every_step_of_the_walk() -> None:
    with patch("glassformer.app.words.get_state", State):
        data = strip_data(seen(State()))
    found = [
        step["id"] for stack in data["stacks"] for group in stack["groups"]
        for step in group["steps"]
    ]  # fmt: skip
    assert found == [step.id for step in for_layer(list_steps(trace()))]


def test_a_cell_of_a_map_is_a_pair_for_all_pages() -> None:
    now = after(State(), "decoder/1/cross_attention/weights", (0, 2, 3, 4))
    assert (now.kind, now.head, now.query, now.key) == ("cross", 2, 3, 4)
    assert now.token == ("target", 3)
    assert seen(now).places.source == 4
    pair = seen(replace(now, walk="decoder.1.cross_attention.scores")).pair
    assert pair is not None
    assert (pair.head, pair.query, pair.key) == (2, 3, 4)


def test_a_cell_of_the_stream_is_a_word_and_a_feature() -> None:
    now = after(State(), "encoder/0/feed_forward/output", (0, 5, 17))
    assert (now.token, now.feature, now.query) == (("source", 5), 17, 5)
    focus = seen(replace(now, walk="source.sum"))
    assert focus.cell(focus.output).index == (0, 5, 17)


def test_a_cell_of_joined_heads_is_a_head_and_its_feature() -> None:
    now = after(State(), "encoder/0/self_attention/q:joined", (0, 5, 43))
    assert (now.head, now.feature) == (1, 15)
    focus = seen(replace(now, walk="encoder.0.self_attention.split"))
    assert focus.cell(focus.output).index == (0, 1, 5, 15)


@pytest.mark.parametrize("output", ["q", "k", "v"])
def test_the_tensor_that_was_clicked_is_the_one_in_focus(output: str) -> None:
    now = after(
        State(walk="encoder.0.self_attention.project"),
        f"encoder/0/self_attention/{output}:joined", (0, 1, 2),
    )  # fmt: skip
    focus = seen(now)
    assert focus.output.address.endswith(output)
    entered = focus.step.inputs[0]
    assert focus.at(entered)["position"] == 1
