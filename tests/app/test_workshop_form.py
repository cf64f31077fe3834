"""The form of a training: in the link, and after a reload what the run was started with."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from glassformer.app.pages.training.workshop.form import OFFERED, PRESETS, Form
from glassformer.app.runs import kept_models, trainings
from glassformer.app.session.codecs import LONG_TEXT
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.words import say
from glassformer.core.corpus import load_grammar
from glassformer.core.training.queue.lessons import family_names
from glassformer.core.training.queue.training_queue import TrainingQueue
from tests.opened_app import opened, state_of

PAIRS = "\n".join(f"word{i % 9} is {i}\t{i} 是 词{i % 9}" for i in range(40))
forms = some.builds(
    Form, **{name: some.sampled_from(sorted(values)) for name, values in OFFERED.items()}
)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[TrainingQueue]:
    desk = TrainingQueue(
        lambda _: False, slots=1, root=tmp_path
    )  # whoever loads the page again has left
    monkeypatch.setattr(trainings, "training_desk", lambda: desk)
    yield desk
    desk.close()


@given(forms)
@settings(max_examples=50)
def test_a_form_comes_back_from_its_link_and_from_its_plan(form: Form) -> None:
    assert Form.read(form.text) == form
    if form.source != "chosen":
        plan = form.plan("x", (("a", "b"),))
        bad_lines = form.source == "own"  # not part of a plan: they are out of its pairs
        assert vars(Form.of(plan)) == vars(form) | {"leave_out": bad_lines}


def test_chosen_families_too() -> None:
    two = family_names(load_grammar())[:2]
    form = Form(source="chosen", families=two, steps=200)
    assert Form.read(form.text) == Form.of(form.plan("x", ())) == form


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "recipe",
    ["form:steps,9999999", "form:d_model,17", "form:families,(nobody)", "form:families,5",
     "form:steps,(1)", "form:nothing,1", "form:rate,'2", "form:source,!"],
)  # fmt: skip
def test_what_a_form_cannot_be_is_left_out_and_said(recipe: str, language: str) -> None:
    app = opened("training", training="workshop", recipe=recipe, language=language)
    assert state_of(app).recipe == ""
    assert app.number_input(key="widget_workshop_steps").value == Form().steps
    assert say("link.recipe", language) in "\n".join(each.value for each in app.markdown)


def test_form_and_pasted_pairs_are_in_the_link() -> None:
    app = opened("training", training="workshop")
    app.button_group(key="widget_workshop_source").set_value("own").run()
    app.number_input(key="widget_workshop_steps").set_value(4000).run()
    app.text_area(key="widget_workshop_text").set_value(PAIRS).run()
    again = opened("training", **dict(app.query_params))
    assert again.number_input(key="widget_workshop_steps").value == 4000
    assert again.text_area(key="widget_workshop_text").value == PAIRS
    long = PAIRS * (LONG_TEXT // len(PAIRS) + 1)
    again.text_area(key="widget_workshop_text").set_value(long).run()
    assert again.text_area(key="widget_workshop_text").value == long
    assert state_of(again).pairs == ""
    said = say("workshop.not_linked", "en", most=f"{LONG_TEXT:,}")
    assert said in {each.value for each in again.caption}


@pytest.mark.slow
def test_a_reload_shows_what_the_run_was_started_with(
    desk: TrainingQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_models, "browser_secret", lambda: "0" * 32)  # of both pages the same
    form = Form(source="own", d_model=16, n_heads=2, d_ff=32, steps=4000, seed=7, rate=1.5)
    app = opened("training", training="workshop", recipe=form.text, pairs=PAIRS)
    app.button(key="workshop_start").click().run()
    assert state_of(app).mine
    app.button(key="workshop_stop").click().run()
    again = opened("training", training="workshop", mine=state_of(app).mine)
    assert again.number_input(key="widget_workshop_steps").value == 4000
    assert again.number_input(key="widget_workshop_seed").value == 7
    assert again.button_group(key="widget_workshop_source").value == "own"
    assert again.selectbox(key="widget_workshop_rate").value == 1.5
    while "workshop_discard" not in {each.key for each in again.button}:
        time.sleep(0.2)
        again.run()
    again.button(key="workshop_discard").click().run()
    assert again.number_input(key="widget_workshop_steps").value == 4000
    assert again.text_area(key="widget_workshop_text").value == PAIRS  # ready to go again
    assert not again.button(key="workshop_start").disabled


def test_a_preset_has_the_papers_eight_heads() -> None:
    form = Form(**PRESETS["eight"])
    assert (form.n_heads, form.d_model, form.source) == (8, 64, "pronouns")
    assert Form.read(form.text) == form
    app = opened("training", training="workshop")
    app.button_group(key="widget_workshop_preset").set_value("eight").run()
    assert Form.read(state_of(app).recipe) == form
    assert app.button_group(key="widget_workshop_n_heads").value == 8
