"""Kept experiments in the browser: what it tells is checked, what changes is handed to it."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from glassformer.app.frame import kept_experiments
from glassformer.app.session.limits import MOST_EXPERIMENTS
from glassformer.app.session.memory import Memory
from glassformer.core.interventions import Experiment
from tests.opened_app import memory, opened
from tests.sent import data_of

SENTENCE = "I love you"
GOOD = {"switches": "causal", "text": SENTENCE, "direction": "auto", "at": 5.0}


def one(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> Memory:
    held = Memory()
    monkeypatch.setattr(kept_experiments.store, "memory", lambda: held)
    return held


def handed(app: AppTest) -> dict[str, Any]:
    return data_of(app, "browser_texts")


def test_what_the_browser_has_kept_comes_back_in_order(remembered: Memory) -> None:
    told = {"second": one(at=7), "first": one(switches="", at=6)}
    kept_experiments.take_texts(told)
    assert list(remembered.experiments) == ["first", "second"]
    assert remembered.experiments["second"] == Experiment.from_text("causal", "second")
    assert remembered.sentences["second"] == (SENTENCE, "auto")
    assert remembered.experiments_held == kept_experiments.kept_texts()  # nothing is written back


@pytest.mark.parametrize("text", [
    "", "[]", "null", "{", "{}", one(switches="nothing_such"), one(switches=7, text=7),
    one(direction="zh-fr"), one(at="soon"), one(at=float("nan")), one(at=1e300), one(text=None),
    one(switches="causal;" * 9000), "[" * 5000,
])  # fmt: skip
def test_what_is_no_experiment_is_left_alone(remembered: Memory, text: str) -> None:
    kept_experiments.take_texts({"good": one(), "bad": text})
    assert list(remembered.experiments) == ["good"]
    assert "bad" not in remembered.experiments_held  # nor is it taken out of the browser


@pytest.mark.parametrize("name", ["", " spaced", "a\nb", "x" * 41])
def test_no_name_is_taken_that_none_can_be_kept_under(remembered: Memory, name: str) -> None:
    kept_experiments.take_texts({name: one()})
    assert not remembered.experiments


def test_so_many_come_back(remembered: Memory) -> None:
    kept_experiments.take_texts({f"e{at}": one(at=at) for at in range(MOST_EXPERIMENTS + 5)})
    assert list(remembered.experiments) == [f"e{at}" for at in range(5, MOST_EXPERIMENTS + 5)]


def test_what_was_kept_before_the_browser_told_stays(remembered: Memory) -> None:
    remembered.experiments["own"] = Experiment.from_text("causal", "own")
    remembered.kept_at["own"] = 9.0
    kept_experiments.take_texts({"older": one(), "own": one(text="another's")})
    assert list(remembered.experiments) == ["older", "own"]
    assert remembered.sentences["own"] == ("", "auto")
    assert kept_experiments.kept_texts()["own"] != remembered.experiments_held["own"]  # to write


def test_keeping_and_forgetting_are_handed_to_the_browser() -> None:
    app = opened("switch", text=SENTENCE, edits="causal")
    assert handed(app) == {"kind": "experiment", "change": "", "changes": {}, "awaited": False}
    app.text_input(key="widget_experiment_name").set_value("<b>mine</b>").run()
    app.button(key="widget_keep").click().run()
    sent = handed(app)
    about = json.loads(sent["changes"]["<b>mine</b>"])
    assert sent["change"] and (about["switches"], about["text"]) == ("causal", SENTENCE)
    app.run()
    assert handed(app)["change"] == sent["change"]  # it is written once
    app.button(key="widget_forget_0").click().run()
    assert handed(app)["changes"] == {"<b>mine</b>": None}
    assert not memory(app).experiments


def test_other_pages_ask_the_browser_for_nothing() -> None:
    with pytest.raises(StopIteration):
        handed(opened("attention"))
