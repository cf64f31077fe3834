"""Undo, redo and reset: a step is a whole run, its sentence and its switches together."""

import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from glassformer.app.pages.switch.examples.panel import example_experiments
from glassformer.app.session.experiments import plain_setup
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import Setup
from glassformer.core.interventions import Experiment, History
from glassformer.core.interventions.heads import HeadsOff
from tests.opened_app import drawn, opened, state_of
from tests.sent import send

OFF = Experiment((HeadsOff("encoder/0/self_attention", (1, 2)),)).text
OWN, OTHER = "I love machine learning", "I like you"


def setup(app: AppTest) -> Setup:
    return state_of(app).setup


def pick(app: AppTest, name: str) -> AppTest:
    return send(app, "example_cards", "pick", {"id": name})


def press(app: AppTest, name: str) -> AppTest:
    app.button(key=f"widget_bar_{name}").click().run()
    assert not app.exception
    return app


def test_undo_brings_back_the_sentence_of_the_example_before() -> None:
    app = opened("switch", text=OWN)
    made = [setup(app)]
    for each in ("other-noun", "giver", "blind", "taught"):
        app = pick(app, each)
        made.append(setup(app))
    for before in reversed(made[:-1]):
        app = press(app, "undo")
        assert setup(app) == before
        assert drawn(app).source_text == before.text
    assert app.button(key="widget_bar_undo").disabled
    for after in made[1:]:
        app = press(app, "redo")
        assert setup(app) == after


def test_reset_brings_back_the_sentence_that_stood_before_the_examples() -> None:
    app = opened("switch", text=OWN)
    before = setup(app)
    for each in [example.id for example in example_experiments()][:3]:
        app = pick(app, each)
    last = setup(app)
    app = press(app, "reset")
    assert setup(app) == before
    app = press(app, "undo")
    assert setup(app) == last


def test_a_sentence_typed_under_switches_stays() -> None:
    app = pick(opened("switch", text=OWN), example_experiments()[0].id)
    edits = state_of(app).edits
    app.text_input(key="widget_sentence").set_value(OTHER).run()
    assert (state_of(app).text, state_of(app).edits) == (OTHER, edits)
    app = press(app, "undo")
    assert (state_of(app).text, state_of(app).edits) == (example_experiments()[0].text, edits)
    app = press(press(app, "redo"), "reset")
    assert (state_of(app).text, state_of(app).edits) == (OTHER, "")


def test_every_sentence_is_a_step_on_every_page() -> None:
    app = opened("attention", edits=OFF)
    for text in (OTHER, OWN):
        app.text_input(key="widget_sentence").set_value(text).run()
    for text in (OTHER, "The animal didn't cross the street because it was too tired"):
        app.button(key="widget_stage_undo").click().run()
        assert (state_of(app).text, state_of(app).edits) == (text, OFF)


def test_a_step_of_the_training_is_none_but_comes_back() -> None:
    app = opened("switch", text=OWN, step="400")
    app.button(key="widget_to_end").click().run()
    assert app.button(key="widget_bar_undo").disabled
    app = pick(opened("switch", text=OWN, step="400"), example_experiments()[0].id)
    assert state_of(app).step == ""
    assert state_of(press(app, "undo")).step == "400"


setups = some.builds(
    Setup, *[some.sampled_from("ab")] * 5, some.sampled_from(("", "causal:!0", "mask_fill"))
)


@given(some.lists(setups, min_size=1, max_size=12))
def test_reset_is_plain_and_one_of_the_sentences_that_were_there(made: list[Setup]) -> None:
    history = History(made[0])
    for each in made[1:]:
        history = history.having(each)
    found = plain_setup(history)
    assert not found.edits
    assert found in {each.plain for each in made}
    if not made[-1].edits:
        assert found == made[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_with_switches_is_undone_to_its_plain_run(language: str) -> None:
    app = opened("switch", edits=OFF, text=OTHER, language=language)
    assert setup(press(app, "undo")).text == OTHER
    assert state_of(app).edits == ""
