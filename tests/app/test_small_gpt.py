"""The bundled small GPT in the app: in the menu, on every page, with its training to replay."""

import numpy as np
import pytest

from glassformer.app.frame.sentence import examples_for
from glassformer.app.pages.training.curves import METRICS
from glassformer.app.plots.labels import format_percent
from glassformer.app.runs import library
from glassformer.app.runs.models import get_history, get_model, is_opened, selectable_models
from glassformer.app.runs.traces import get_replay
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.session.state import REPLAYS
from glassformer.app.words import say
from glassformer.core.text_models.checkpoints import CHECKPOINTS, list_models
from glassformer.core.untrusted import read_json_file
from glassformer.core.weights.load import SMALL_GPT
from glassformer.core.weights.opened_model import OpenedModel
from tests.opened_app import drawn, opened, state_of, texts_of

PAGES = ("translate", "attention", "decoding", "vectors", "tensors", "walkthrough", "switch", "lab")
TEXT = "My brother wants to"


def test_it_stands_in_the_menu_behind_the_translators(monkeypatch: pytest.MonkeyPatch) -> None:
    assert selectable_models()[: len(list_models()) + 1] == [*list_models(), SMALL_GPT]
    assert SMALL_GPT not in list_models() and is_opened(SMALL_GPT)
    facts = library.facts_of_model(SMALL_GPT)
    assert isinstance(facts, library.Facts)
    assert (facts.task, facts.licence) == ("continue", "mit") and facts.parameters < 1.5e6


@pytest.mark.parametrize("page", PAGES)
def test_it_opens_on_every_page(page: str) -> None:
    app = opened(page, model=SMALL_GPT, text=TEXT)
    assert not app.error
    trace = drawn(app)
    assert trace.task == "continue" and trace.output_text.startswith(TEXT)
    assert len(trace.output_text) > len(TEXT) + 8


def test_the_menu_of_examples_has_beginnings_for_it() -> None:
    beginnings = examples_for("continue")
    assert len(beginnings) >= 3 and not {*beginnings} & {*examples_for("translate")}
    assert examples_for("fill_in") == examples_for("translate")
    for each in beginnings:
        assert all(say(f"sentences.{each.id}", language) for language in LANGUAGES)
        trace = get_model(SMALL_GPT).trace(each.text)
        assert trace.output_text.startswith(each.text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("panel", REPLAYS)
def test_its_training_is_played_again(panel: str, language: str) -> None:
    app = opened("training", model=SMALL_GPT, text=TEXT, replay=panel, language=language)
    assert not app.error and not app.info
    shown = "\n".join(texts_of(app))
    assert say("training.loss_pieces", language) in shown
    assert say("training_translation.name_continue", language) in shown
    assert say("training_translation.name", language) not in shown.split("\n")
    for name in ("previous_word", "induction"):
        assert name in METRICS and say(f"training.metric_{name}", language) in shown


def test_every_step_reads_what_the_end_wrote() -> None:
    history, found = get_history(SMALL_GPT), get_replay(TEXT, model=SMALL_GPT)
    assert history is not None and found is not None and found.steps == history.steps
    end = get_model(SMALL_GPT).trace(TEXT)
    rows = len(end.target_tokens)
    for moment in found.moments:
        assert moment.maps.keys() == {"decoder"}
        assert moment.maps["decoder"].shape[-2:] == (rows, rows)
    assert found.moments[-1].text == end.output_text != found.moments[0].text
    assert {"cat", "book"} & {word.piece for word in found.words}  # as words, without their space


def test_a_step_is_the_model_of_that_step() -> None:
    history = get_history(SMALL_GPT)
    assert history is not None
    start, end = get_model(SMALL_GPT, "0"), get_model(SMALL_GPT)
    assert isinstance(start, OpenedModel) and start.name == f"{SMALL_GPT}@0"
    assert start.trace(TEXT).output_text != end.trace(TEXT).output_text
    app = opened("attention", model=SMALL_GPT, text=TEXT, step=str(history.steps[1]))
    assert not app.error and drawn(app).model_name == f"{SMALL_GPT}@{history.steps[1]}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_measured_heads_are_worth_looking_at(language: str) -> None:
    folder = CHECKPOINTS / SMALL_GPT
    card = read_json_file(folder / "metrics.json")["heads"]["words"]
    app = opened("attention", model=SMALL_GPT, text=TEXT, language=language)
    assert say("attention.worth_about_weight", language) in {each.value for each in app.caption}
    for role, scores in (("previous", "previous_word"), ("induction", "induction")):
        rows = np.array(card[scores])
        layer, head = np.unravel_index(rows.argmax(), rows.shape)
        share = format_percent(rows.max())
        told = say("attention.worth_weight", language, share=share)
        assert any(told in each.value for each in app.markdown)
        app.button(key=f"widget_worth_{role}").click().run()
        now = state_of(app)
        assert (now.kind, now.layer, now.head) == ("decoder", layer, head)
        name = say(f"attention.role_{role}", language)
        measured = say("attention.measured_weight", language, role=name, share=share)
        assert any(measured in each.value for each in app.markdown)
