"""Opening a file: run, experiment and model come on screen; anything else changes nothing."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from glassformer import load_model
from glassformer.app.runs import kept_models
from glassformer.app.runs import opened_files as run_files
from glassformer.app.runs.kept_models import plain_name
from glassformer.app.session.languages import LANGUAGES
from glassformer.app.ui.text import literal
from glassformer.app.words import say
from glassformer.core.analysis.export import run_bytes
from glassformer.core.errors import GlassformerError
from glassformer.core.explain.steps.steps import list_steps
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import Causal
from tests.opened_app import drawn, memory, opened, state_of
from tests.opened_files import SENTENCE, experiment_file, model_file, open_in, run_file, with_header
from tests.sent import data_of

PAGES = (
    "translate", "walkthrough", "attention", "vectors", "decoding", "switch", "training", "lab",
    "tensors",
)  # fmt: skip


def texts(app: AppTest) -> str:
    html = [each.proto.body for each in app.get("html")]
    said = (*app.markdown, *app.caption, *app.info, *app.warning)
    return "\n".join([*(each.value for each in said), *html])


def told(app: AppTest) -> list[str]:
    return [each.value for each in app.error]


def away(**about: Any) -> bytes:
    """A run of a model that is not on this server."""
    return with_header(run_file(), model_name="elsewhere", **about)


def on_screen(app: AppTest, name: str, model: str, language: str = "en") -> bool:
    said = say("opening.on_screen", language, name=literal(name), model=literal(model))
    return said in texts(app)


def test_a_run_is_shown_as_it_is_and_left_again() -> None:
    """The numbers are those of the file, also where the model would compute others."""
    trace = load_model().trace(SENTENCE)
    changed = dict(trace.tensors)
    changed["encoder/0/self_attention/q"] = changed["encoder/0/self_attention/q"] + 1
    app = opened("attention", text="I love machine learning")
    open_in(app, "a run.bin", run_bytes(replace(trace, tensors=changed)))
    assert torch.equal(
        drawn(app)["encoder/0/self_attention/q"], changed["encoder/0/self_attention/q"]
    )
    assert on_screen(app, "a run.bin", "translator")
    assert (state_of(app).text, state_of(app).direction) == (SENTENCE, "en-zh")
    assert app.query_params["text"] == SENTENCE  # the link carries the sentence
    app.button(key="widget_leave_file").click().run()
    assert not on_screen(app, "a run.bin", "translator")
    assert state_of(app).text == drawn(app).source_text == "I love machine learning"


def test_another_sentence_leaves_the_file_and_the_old_one_brings_it_back() -> None:
    app = opened("attention")
    open_in(app, "run", run_file())
    app.text_input(key="widget_sentence").set_value("I love you").run()
    assert drawn(app).source_text == "I love you"
    assert not on_screen(app, "run", "translator")
    app.text_input(key="widget_sentence").set_value(SENTENCE).run()
    assert on_screen(app, "run", "translator")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_draws_a_run_whose_model_is_not_here(page: str, language: str) -> None:
    app = opened(page, language=language)
    open_in(app, "run", away())
    assert drawn(app).model_name == "elsewhere"
    assert on_screen(app, "run", "elsewhere", language)
    if page in ("switch", "training"):
        assert say("opening.model_away", language, model="elsewhere") in texts(app)


@pytest.mark.parametrize("query", [
    {"vectors": "stream"}, {"vectors": "lens"}, {"vectors": "neurons"},
    *(
        {"vectors": "positions", "positions": part}
        for part in ("waves", "dots", "rotation", "same", "variants")
    ),
])  # fmt: skip
def test_vectors_without_the_model(query: dict[str, str]) -> None:
    app = opened("vectors", **query)
    open_in(app, "run", away())
    assert on_screen(app, "run", "elsewhere")


def test_every_step_of_the_walkthrough_without_the_model() -> None:
    """Numbers of the file are drawn; what is worked out with weights says that it needs them."""
    app = opened("walkthrough")
    open_in(app, "run", away())
    said = say("opening.model_away", model="elsewhere")
    needs = 0
    for step in list_steps(drawn(app)):
        app.query_params["walk"] = step.id
        app.run()
        assert not app.exception, step.id
        assert on_screen(app, "run", "elsewhere")
        sent = data_of(app, "ahead")
        notes = sent["steps"][step.id]["words"]["notes"]
        needs += any(said in part for note in notes for part in note)
    assert needs


@pytest.mark.parametrize("question", ["timeline", "strategies", "beam", "forcing", "cache"])
def test_decoding_further_needs_the_model(question: str) -> None:
    app = opened("decoding", decoding=question)
    open_in(app, "run", away())
    assert say("opening.model_away", model="elsewhere") in texts(app)
    open_in(app, "run", run_file())  # now the model is here: all of it works
    assert say("opening.model_away", model="elsewhere") not in texts(app)
    assert not app.warning


@pytest.mark.parametrize("page", ["switch", "training"])
def test_where_the_model_is_here_the_sentence_is_computed_anew(page: str) -> None:
    app = opened(page)
    open_in(app, "run", run_file())
    assert say("opening.model_here") in texts(app)
    app.button(key=f"widget_{page}_compute").click().run()
    assert not app.exception
    assert not on_screen(app, "run", "translator")
    assert drawn(app).source_text == state_of(app).text == SENTENCE
    assert say("opening.model_here") not in texts(app)


def test_other_weights_of_the_same_name_are_not_its_model() -> None:
    trace = load_model().trace(SENTENCE)
    tensors = dict(trace.tensors)
    tensors["source/embedding"] = tensors["source/embedding"] * 2
    app = opened("switch")
    open_in(app, "run", run_bytes(replace(trace, tensors=tensors)))
    assert say("opening.model_away", model="translator") in texts(app)


def test_a_run_that_was_let_go_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened("attention")
    open_in(app, "run", run_file())
    app.text_input(key="widget_sentence").set_value("I love you").run()
    run_files._runs.clear()
    monkeypatch.setattr(kept_models, "find_run", lambda _: None)  # a week has passed
    app.text_input(key="widget_sentence").set_value(SENTENCE).run()
    assert say("opening.let_go", name="run") in texts(app)
    assert drawn(app).source_text == SENTENCE


def test_an_experiment_sets_its_sentence_and_switches() -> None:
    app = opened("attention")
    open_in(
        app, "no name.txt", experiment_file(text=SENTENCE, direction="en-zh", second="I love you")
    )
    now = state_of(app)
    assert (now.text, now.direction, now.second) == (SENTENCE, "en-zh", "I love you")
    assert now.edits == Experiment((Causal(),)).text
    assert list(memory(app).experiments) == ["ahead"]
    app.button(key="widget_stage_undo").click().run()
    assert state_of(app).edits == ""


def test_an_experiment_chooses_its_model() -> None:
    data = Experiment((Causal(),)).to_json(load_model("translator-plain"), {"text": SENTENCE})
    app = opened("attention")
    open_in(app, "experiment.json", data.encode())
    assert state_of(app).model == "translator-plain"


def test_an_experiment_without_a_sentence_keeps_the_one_on_screen() -> None:
    about = json.loads(experiment_file())
    del about["sentence"]  # as before files had one
    app = opened("attention", text=SENTENCE)
    open_in(app, "experiment.json", json.dumps(about).encode())
    assert state_of(app).text == SENTENCE
    assert state_of(app).edits == Experiment((Causal(),)).text


def test_a_model_is_kept_and_chosen() -> None:
    app = opened("training")
    open_in(app, "model.zip", model_file())
    first = state_of(app).model
    assert re.fullmatch("mine-1~[0-9a-f]{16}", first)
    assert "mine-1" in app.selectbox(key="widget_model_en").options
    assert drawn(app).model_name == "mine-1"
    assert not app.warning
    assert "steps it writes:" in texts(app)  # its curve is there; of the steps the end is
    open_in(app, "model.zip", model_file("translator"))
    assert state_of(app).model == first  # the same, which is here
    other = opened("training")
    open_in(other, "model.zip", model_file("translator"))
    assert plain_name(state_of(other).model) == "translator-2"  # the bundled one is another


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("key", "data"), [
    ("file_foreign", b"\xff\xd8\xff\xe0 a picture"),
    ("file_damaged", run_file()[:-100]),
    ("file_damaged", model_file()[:-100]),
    ("file_damaged", experiment_file()[:-9]),
])  # fmt: skip
def test_what_cannot_be_used_is_told_and_nothing_is_lost(
    key: str, data: bytes, language: str
) -> None:
    app = opened("attention", text=SENTENCE, edits="causal", language=language)
    before = state_of(app)
    open_in(app, "run.safetensors", data)
    assert told(app) == [say(f"errors.{key}", language)]
    assert state_of(app) == before
    assert drawn(app).source_text == SENTENCE
    open_in(app, "run.safetensors", run_file())
    assert not app.error


def test_a_later_version_and_another_model_are_told() -> None:
    app = opened("attention")
    open_in(app, "run", with_header(run_file(), glassformer_trace="9"))
    assert told(app) == [say("errors.file_newer", found="9", known="1")]
    foreign = {**json.loads(experiment_file()), "model": {"name": "other", "fingerprint": "0" * 16}}
    open_in(app, "experiment", json.dumps(foreign).encode())
    assert "made on other" in told(app)[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_dialog_tells_that_other_peoples_models_open_too(language: str) -> None:
    app = opened(language=language)
    app.button(key="widget_open_file").click().run()
    for word in ("GPT-2", "python -m glassformer fetch", "GLASSFORMER_MODELS"):
        assert word in texts(app)


def test_ones_own_models_are_renamed_and_removed() -> None:
    app = opened("attention", text=SENTENCE)
    open_in(app, "model.zip", model_file())
    first = state_of(app).model
    app.button(key="widget_open_file").click().run()
    mark = first.partition("~")[2]
    app.text_input(key=f"widget_own_model_{mark}").set_value("../a <b>name</b>").run()
    app.run()
    assert state_of(app).model == f"a--b-name--b~{mark}" and drawn(app).model_name == "a--b-name--b"
    app.button(key="widget_open_file").click().run()
    app.button(key=f"widget_remove_{mark}").click().run()
    app.run()
    assert state_of(app).model == "" and drawn(app).model_name == "translator"


def test_another_visitor_does_not_see_ones_own_models_in_the_dialog() -> None:
    app = opened("attention")
    open_in(app, "model.zip", model_file())
    other = opened("attention", model=state_of(app).model)
    other.button(key="widget_open_file").click().run()
    assert not [each for each in other.text_input if "own_model" in (each.key or "")]
    kept = kept_models.find_model(state_of(app).model)
    assert kept is not None
    for act in (kept_models.remove_model, lambda it: kept_models.rename_model(it, "theirs")):
        with pytest.raises(GlassformerError) as refused:  # outside of a session: another's cookie
            act(kept)
        assert refused.value.key == "kept_foreign"


def test_a_link_opens_the_same_run_for_everybody() -> None:
    """As it stands in the file, in a session that never opened it; another sentence leaves it."""
    trace = load_model().trace(SENTENCE)
    changed = dict(trace.tensors)
    changed["encoder/0/self_attention/q"] = changed["encoder/0/self_attention/q"] + 1
    app = opened("attention", text="I love machine learning")
    open_in(app, "a~run", run_bytes(replace(trace, tensors=changed)))
    assert re.fullmatch("a-run~[0-9a-f]{16}", state_of(app).file)
    run_files._runs.clear()  # the server has been killed
    other = opened("attention", **dict(app.query_params))
    q = "encoder/0/self_attention/q"
    assert torch.equal(drawn(other)[q], changed[q]) and on_screen(other, "a-run", "translator")
    other.text_input(key="widget_sentence").set_value("I love you").run()
    assert state_of(other).file == ""
    other.text_input(key="widget_sentence").set_value(SENTENCE).run()
    assert on_screen(other, "a-run", "translator") and state_of(other).file
    other.button(key="widget_leave_file").click().run()
    assert not on_screen(other, "a-run", "translator") and state_of(other).file == ""


def test_a_link_to_a_run_that_is_gone_is_told() -> None:
    app = opened("attention", text=SENTENCE, file="a run~0123456789abcdef")
    assert state_of(app).file == "" and drawn(app).source_text == SENTENCE
    assert "file" in store_dropped(app)


def store_dropped(app: AppTest) -> str:
    return " ".join(app.session_state["dropped"])
