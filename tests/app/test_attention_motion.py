"""The movement of one row: what is sent to the browser is what was recorded."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.attention.motion.board import story_columns
from glassformer.app.pages.attention.motion.story import Story
from glassformer.app.plots.labels import format_number
from glassformer.app.plots.theme import FigureStyle
from glassformer.app.session.state import KINDS, MOTION
from glassformer.core.analysis.attention_cell import cell_terms
from glassformer.core.analysis.attention_row import attention_row
from glassformer.core.analysis.attention_views import attention_at
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.concepts import Unscaled
from glassformer.core.interventions.masks import Causal
from tests.opened_app import drawn, opened, state_of
from tests.traces import small_trace

LONG = "The animal didn't cross the street because it was too tired and the old man saw it again"


@pytest.fixture
def open_page() -> Callable[..., AppTest]:
    return partial(opened, "attention", view="motion", text="I like the dog")


def sent(app: AppTest) -> dict[str, Any]:
    found = [element.proto for element in app.get("bidi_component")]
    data = next(proto for proto in found if proto.component_name.endswith("glassformer_motion"))
    parsed: dict[str, Any] = json.loads(data.bytes)
    return parsed


def formula(data: dict[str, Any], name: str) -> str:
    station = next(each for each in data["stations"] if each["name"] == name)
    return "".join(text for text, _, _ in station["formula"])


def note(data: dict[str, Any], name: str) -> str:
    return next(str(each["note"]) for each in data["stations"] if each["name"] == name)


@pytest.mark.parametrize("kind", KINDS)
def test_every_box_has_the_recorded_number(open_page: Callable[..., AppTest], kind: str) -> None:
    app = open_page(kind=kind, layer="2", head="3", query="3", key="2")
    data, trace = sent(app), drawn(app)
    where = attention_at(kind, 1)  # type: ignore[arg-type]
    for name in ("scores", "scaled", "masked", "weights"):
        row = trace[f"{where}/{name}"][0, 2, 2]
        for column in data["columns"]:
            value = float(row[column["key"]])
            if abs(value) >= 0.1 and not column["hidden"]:
                assert column[name] == format_number(value)
    score = float(trace[f"{where}/scores"][0, 2, 2, 1])
    assert data["sum"] == format_number(score)
    assert formula(data, "sum").endswith(f" = {format_number(score)}")
    hidden = [column["hidden"] for column in data["columns"]]
    assert hidden == [kind == "decoder" and at > 2 for at in range(len(hidden))]
    assert [each["name"] for each in data["stations"]] == list(MOTION)
    assert not any(each["note"] for each in data["stations"])


def test_the_formulas_are_of_the_word_that_is_followed(open_page: Callable[..., AppTest]) -> None:
    app = open_page(layer="2", head="1", query="2", key="4")
    data, trace = sent(app), drawn(app)
    score, scaled, weight = (
        float(trace[f"encoder/1/self_attention/{name}"][0, 0, 1, 3])
        for name in ("scores", "scaled", "weights")
    )
    said = format_number(score), format_number(28**0.5), format_number(scaled)
    assert formula(data, "scaled") == "{0} ÷ √28 = {0} ÷ {1} = {2}".format(*said)
    assert formula(data, "scores") == f"q[like] · k[dog] = {said[0]}"
    assert formula(data, "weights").endswith(f"= {format_number(weight)}")
    assert formula(data, "split") == "dmodel = H × dk:  112 = 4 × 28"


def test_the_pictures_are_of_the_vectors(open_page: Callable[..., AppTest]) -> None:
    app = open_page(layer="1", head="2", query="1", key="1")
    picture = sent(app)["pictures"]["context"]
    levels = np.frombuffer(base64.b64decode(picture["levels"]), np.uint8).reshape(4, -1)
    context = drawn(app)["encoder/0/self_attention/context"][0, :, 0].numpy()
    assert picture["width"] == 28
    assert levels.astype(int) - 127 == pytest.approx(127 * context / abs(context).max(), abs=0.5)


def test_what_is_switched_is_said(open_page: Callable[..., AppTest]) -> None:
    edits = Experiment((Unscaled(), Causal())).text
    data = sent(open_page(kind="decoder", head="1", query="2", edits=edits, run="second"))
    assert "switched off" in note(data, "scaled")
    assert "→" in formula(data, "scaled")
    assert data["lanes"]["scaled"] == "="
    assert not any(column["hidden"] for column in data["columns"])
    assert "nothing is hidden" in data["stations"][MOTION.index("masked")]["says"]


def test_of_a_long_sentence_the_heaviest_words_and_all_others(
    open_page: Callable[..., AppTest],
) -> None:
    app = open_page(text=LONG, layer="2", head="1", query="3", key="1", size="150")
    weights = drawn(app)["encoder/1/self_attention/weights"][0, 0].numpy()
    own = max(range(len(weights)), key=lambda at: (weights[at] > weights[at, at]).sum())
    app.query_params["query"] = str(own + 1)
    app.run()
    weights = weights[own]
    *single, rest = sent(app)["columns"]
    others = sorted(set(range(len(weights))) - {each["key"] for each in single})
    assert rest["word"] == f"{len(others)} others"
    assert rest["share"] == pytest.approx(weights[others].sum(), abs=1e-6)
    heaviest = {each["key"] for each in single} - {0, own}
    assert own not in others and max(weights[others]) <= min(weights[list(heaviest)])
    assert "largest weights" in sent(app)["stations"][MOTION.index("scores")]["says"]


def test_a_mean_of_heads_has_no_row_to_play(open_page: Callable[..., AppTest]) -> None:
    app = open_page(opens="picked")
    assert state_of(app).head == 0
    assert sent(app)["head"] == 0


def test_another_row_is_picked_with_what_it_looks_at_most(
    open_page: Callable[..., AppTest],
) -> None:
    app = open_page(layer="2", head="1")
    app.selectbox(key="widget_motion_row").set_value(1).run()
    assert not app.exception
    weights = drawn(app)["encoder/1/self_attention/weights"][0, 0, 1]
    assert (state_of(app).query, state_of(app).key) == (1, int(weights.argmax()))
    assert sent(app)["row"] == "like"


@pytest.mark.parametrize("motion", MOTION)
def test_a_link_opens_the_movement_at_its_station(
    open_page: Callable[..., AppTest], motion: str
) -> None:
    data = sent(open_page(motion=motion))
    assert data["stations"][data["at"]]["name"] == motion


def test_a_row_that_may_look_nowhere_is_not_a_number_and_words_stay_as_typed() -> None:
    trace = small_trace(mask_fill="minus_infinity")
    row, cell = attention_row(trace, "decoder", 0, 0, 0), cell_terms(trace, "decoder", 0, 0, 0, 0)
    nan, below = np.full(10, np.nan, np.float32), np.full(10, -np.inf, np.float32)
    row = replace(row, allowed=np.zeros(10, bool), masked=below, weights=nan, used=nan)
    cell = replace(cell, masked=-np.inf, weight=np.nan, row=below, allowed=False)
    story = Story(row, cell, ("a{b}", "c<d>"), 0, trace.config, FigureStyle())
    data = {"stations": story.stations()}
    assert formula(data, "scores").startswith("q[a{b}] · k[c<d>] = ")
    assert formula(data, "masked").startswith("M = 0:")
    assert formula(data, "weights").endswith("= NaN")
    assert {each["weights"] for each in story_columns(story, ["word"] * 10)} == {"NaN"}
