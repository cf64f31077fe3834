"""What a lecture says of a run is what the run recorded; expectations are read off the tensors."""

import math
from dataclasses import replace

import pytest
import torch

from glassformer.app.plots.labels import format_number, format_percent
from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.check import check_lecture
from glassformer.core.lectures.lecture import Question, Scene, Truth
from glassformer.core.lectures.read import read_lecture
from glassformer.core.lectures.truth import answer_of, fill_texts, find_truth, format_value, truth
from glassformer.core.trace.trace import Trace
from tests.example_trace import CROSS, example_trace
from tests.lectures.lectures import GOOD

TRACE = example_trace()
WEIGHTS = TRACE[CROSS][0].double()
WORD = Truth("output/probabilities", {"position": 1}, "argmax", "vocabulary")


def of(scene: Scene, language: str) -> Trace:
    return TRACE


def test_each_reading_against_the_tensor() -> None:
    cell = {"head": 1, "query": "喜欢", "key": "likes"}
    row = {"head": 1, "query": 2}
    assert TRACE.target_tokens[2] == "喜欢" and TRACE.source_tokens[1] == "likes"
    cases = {
        float(WEIGHTS[1, 2, 1]): Truth(CROSS, cell),
        float(WEIGHTS[1, 2].max()): Truth(CROSS, row, "max"),
        float(WEIGHTS[1, 2].min()): Truth(CROSS, row, "min"),
        float(WEIGHTS[:, 2, 1].mean()): Truth(CROSS, {"query": 2, "key": 1}, "mean"),
        float(WEIGHTS[:, 2, 1].sum()): Truth(CROSS, {"query": 2, "key": 1}, "sum"),
        float(((WEIGHTS[1, 2] - WEIGHTS[1, 2].mean()) ** 2).mean().sqrt()): Truth(
            CROSS, row, "std"
        ),
        float((WEIGHTS[1] > 0.2).sum()): Truth(CROSS, {"head": 1}, "count_above", above=0.2),
        float((WEIGHTS[1] > 0.2).float().mean()): Truth(
            CROSS, {"head": 1}, "share_above", above=0.2
        ),
        5.0: Truth(CROSS, read="size", axis="key"),
    }
    for expected, place in cases.items():
        assert find_truth(place, TRACE, "en").value == pytest.approx(expected), place
    answer = find_truth(replace(Truth(CROSS, cell), form="percent"), TRACE, "en")
    assert answer.value == pytest.approx(100 * float(WEIGHTS[1, 2, 1]))
    assert answer.text == format_percent(float(WEIGHTS[1, 2, 1]))
    assert dict(answer.place) == {"head": 1, "query": 2, "key": 1}


def test_words_are_those_of_the_sentence_and_heads_count_from_one() -> None:
    assert find_truth(WORD, TRACE, "en").value == "喜欢"
    shown = replace(WORD, at={"position": 0})
    assert find_truth(shown, TRACE, "en").value == "Zorblax", "a slot is shown as the reader's word"
    best = int(WEIGHTS[:, 2, 1].argmax()) + 1
    assert (
        find_truth(Truth(CROSS, {"query": 2, "key": 1}, "argmax", "head"), TRACE, "en").value
        == best
    )
    looked = find_truth(Truth(CROSS, {"head": 0, "query": 1}, "argmax", "key"), TRACE, "en").value
    assert looked == TRACE.source_tokens[int(WEIGHTS[0, 1].argmax())]
    by_language = Truth(CROSS, {"head": 0, "query": 1, "key": {"en": 0, "zh": "likes"}})
    assert find_truth(by_language, TRACE, "en").place["key"] == 0
    assert find_truth(by_language, TRACE, "zh").place["key"] == 1


@pytest.mark.parametrize(
    ("place", "key"),
    [
        (Truth("encoder/9/self_attention/weights"), "unknown_address"),
        (Truth("../.."), "unknown_address"),
        (Truth(CROSS, {"head": 0, "query": 0, "neuron": 3}), "unknown_axis"),
        (Truth(CROSS, {"head": 0, "query": 0, "neuron": "x"}), "unknown_axis"),
        (Truth(CROSS, {"head": 2, "query": 0, "key": 0}), "out_of_range"),
        (Truth(CROSS, {"head": 0, "query": 0, "key": "dog"}), "lecture_word"),
        (Truth(CROSS, {"head": "it", "query": 0, "key": 0}), "lecture_word"),
        (Truth(CROSS, {"head": 0}), "trail_cell"),
        (Truth(CROSS, {"head": 0}, "argmax", "key"), "trail_cell"),
        (Truth(CROSS, {}, "size", "neuron"), "trail_cell"),
    ],
)
def test_a_place_that_the_run_has_not_is_refused(place: Truth, key: str) -> None:
    with pytest.raises(GlassformerError) as caught:
        find_truth(place, TRACE, "en")
    assert caught.value.key == key


def choice(place: Truth, options: int = 3) -> Question:
    return Question("choice", {"en": "?"}, place, tuple({"en": f"o{i}"} for i in range(options)))


def test_a_choice_is_answered_by_bounds_or_words() -> None:
    chance = Truth("output/probabilities", {"position": 1, "vocabulary": "喜欢"})
    for bounds, option in (((0.1, 0.3), 2), ((0.3, 0.5), 1), ((0.5, 0.6), 0)):
        answer = truth(choice(replace(chance, bounds=bounds)), TRACE, "en")
        assert (answer.value, answer.text) == (option, f"o{option}"), bounds
    words = (("爱",), (), ("喜欢", "like"))
    assert truth(choice(replace(WORD, words=words)), TRACE, "en").value == 2
    assert truth(choice(replace(WORD, words=(("爱",), (), ("x",)))), TRACE, "en").value == 1
    with pytest.raises(GlassformerError, match="None of the options"):
        truth(choice(replace(WORD, words=(("爱",), ("b",), ("c",)))), TRACE, "en")
    broken = {**TRACE.tensors, "output/probabilities": torch.full((1, 4, 13), math.nan)}
    with pytest.raises(GlassformerError, match="None of the options"):
        truth(choice(replace(chance, bounds=(0.1, 0.2))), example_trace(tensors=broken), "en")


def test_texts_are_filled_from_the_run_of_the_scene_that_is_named() -> None:
    lecture = read_lecture(GOOD)
    first = lecture.scenes[0]
    asked: list[tuple[str, str]] = []

    def trace_of(scene: Scene, language: str) -> Trace:
        asked.append((scene.name, language))
        return TRACE

    texts = fill_texts(lecture, first, "en", trace_of)
    assert texts.title == f"One {format_value(float(TRACE['source/input'][0, 1, 0]), 'number')}"
    share = format_percent(float(WEIGHTS[0, 0, 1]))
    assert texts.notes == f"Braces like {{this one}} and {{}} are no places; {share} is."
    answer = answer_of(lecture, first, "zh", trace_of)
    assert answer is not None and (answer.value, answer.text) == (1, "喜欢")
    assert asked[-1] == ("two", "zh")
    assert answer_of(lecture, lecture.scenes[1], "en", trace_of) is None


def test_numbers_are_written_as_the_pages_write_them() -> None:
    for power in range(-9, 9):
        for number in (1.0, 1.5, -2.345678, 9.9996):
            assert format_value(number * 10**power, "number") == format_number(number * 10.0**power)
    for share in (0.0, 0.0002, 0.5, 0.97149, 0.99951, 1.0, math.nan):
        assert format_value(100 * share, "percent") == format_percent(share)
    for number in (math.nan, math.inf, -math.inf, 0.0):
        assert format_value(number, "number") == format_number(number)
    assert format_value(12.0, "whole") == "12" and format_value(-3.0, "whole") == "−3"


def test_check_names_scene_language_and_line() -> None:
    lecture = read_lecture(GOOD)
    assert check_lecture(lecture, lambda page, query: (), of) == ()
    first = lecture.scenes[0]
    bad = replace(first, key=Truth("nowhere"), facts={})
    found_wrong = check_lecture(lecture.having(bad, lecture.scenes[1]), lambda page, query: (), of)
    assert [(each.scene, each.language, each.line) for each in found_wrong] == [
        ("one", "en", first.line), ("one", "zh", first.line)
    ]  # fmt: skip
    assert {each.error.key for each in found_wrong} == {"unknown_address"}

    def link(page: str, query: object) -> tuple[str, ...]:
        return ("head=99",) if page == "attention" else ()

    wrong = check_lecture(lecture, link, of)
    assert {(each.scene, each.error.key) for each in wrong} == {("one", "lecture_parameters")}
    assert "head=99" in str(wrong[0].error)

    def no_run(scene: Scene, language: str) -> Trace:
        raise GlassformerError("empty_text")

    assert {each.error.key for each in check_lecture(lecture, lambda page, query: (), no_run)} == {
        "empty_text"
    }
