"""The run of a scene without a session is the one that its page draws."""

import pytest

from glassformer.app.runs import scenes
from glassformer.app.runs.traces import get_run, get_trace, trace_bytes
from glassformer.core.errors import GlassformerError
from glassformer.core.interventions import Experiment, masks
from glassformer.core.lectures.lecture import Lecture, Scene

CAT, DOG = "I have a cat", "I have a dog"
CAUSAL = Experiment((masks.Causal(),))


def scene(**query: str) -> Scene:
    return Scene("one", "attention", query, {"en": "One"})


def test_plain_and_second_sentences() -> None:
    assert scenes.trace_of(scene(text=CAT), "en") is get_trace(CAT)
    both = {"text": CAT, "second": DOG}
    assert scenes.trace_of(scene(**both), "en") is get_trace(CAT)
    assert scenes.trace_of(scene(**both, run="second"), "en") is get_trace(DOG)


def test_what_is_switched() -> None:
    switched = {"text": CAT, "edits": CAUSAL.text}
    assert scenes.trace_of(scene(**switched), "en") is get_run(CAUSAL, CAT)
    assert scenes.trace_of(scene(**switched, run="first"), "en") is get_trace(CAT)
    assert scenes.trace_of(scene(**switched, run="second"), "en") is get_run(CAUSAL, CAT)
    with pytest.raises(GlassformerError):
        scenes.trace_of(scene(text=CAT, edits="nonsense"), "en")


def test_another_model_and_step_and_link_of_a_language() -> None:
    early = {"text": CAT, "model": "translator-plain", "step": "400"}
    assert scenes.trace_of(scene(**early), "en") is get_trace(
        CAT, "auto", "translator-plain", "400"
    )
    linked = Scene("one", "", {"text": CAT}, {"en": "One"}, links={"zh": ("", {"text": "我爱你"})})
    assert scenes.trace_of(linked, "en") is get_trace(CAT)
    assert scenes.trace_of(linked, "zh") is get_trace("我爱你")


def test_runs_are_computed_beforehand_and_one_that_fails_stops_none() -> None:
    text = "The teacher gives the student a book"
    lecture = Lecture("l", {"en": "L"}, {}, (scene(text=""), scene(text="!?"), scene(text=text)))
    thread = scenes.warm_scenes(lecture, "en")
    thread.join()
    held = trace_bytes()
    get_trace(text)
    assert trace_bytes() == held  # it was there
