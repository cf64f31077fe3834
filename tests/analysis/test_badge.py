"""The badge on sentences that people type: what it says, and how often that is so."""

import json
from dataclasses import dataclass

import pytest

from glassformer import load_model
from glassformer.core.analysis.confidence import GRAVE, SURE_FROM, Confidence, confidence
from glassformer.core.analysis.unsaid import NOUNS, find_nouns, unsaid_nouns
from glassformer.core.training.evaluation.typed import (
    OPEN_JUDGEMENTS,
    RIGHT,
    read_judgements,
    read_sentences,
    verdict_on,
)

MODELS = ("translator", "translator-plain")
EVERY = 3  # sentences: one of so many


@dataclass(frozen=True)
class Case:
    trust: Confidence
    right: bool


@pytest.fixture(scope="module", params=MODELS)
def cases(request: pytest.FixtureRequest) -> list[Case]:
    """Typed sentences with verdicts; none of them is sealed."""
    model, judgements = load_model(request.param), read_judgements(files=[OPEN_JUDGEMENTS])
    found = []
    for sentence in [each for name in ("open", "daily") for each in read_sentences(name)][::EVERY]:
        trace = model.trace(sentence.text, direction=sentence.direction)
        verdict, _ = verdict_on(sentence, trace.full_text, judgements)
        found.append(Case(confidence(trace), verdict in RIGHT))
    return found


def share_right(cases: list[Case]) -> float:
    return sum(case.right for case in cases) / len(cases)


def test_sure_ones_are_right_and_unsure_ones_are_not_to_be_relied_on(cases: list[Case]) -> None:
    sure = [case for case in cases if case.trust.level == "sure"]
    unsure = [case for case in cases if case.trust.level == "unsure"]
    assert len(sure) > 3 * len(unsure) > 30
    assert share_right(sure) > 0.9 > SURE_FROM > share_right(unsure) + 0.1


def test_the_number_and_the_badge_say_one_thing(cases: list[Case]) -> None:
    measured = [case for case in cases if case.trust.measured]
    for case in measured:
        assert (case.trust.level == "sure") == (case.trust.score >= SURE_FROM)
    assert {case.trust.level for case in measured} == {"sure", "unsure"}
    grave = [case for case in cases if GRAVE & {each.key for each in case.trust.reasons}]
    assert all(case.trust.level == "unsure" for case in grave)


def test_the_number_is_the_share_that_is_right(cases: list[Case]) -> None:
    """Within ten points where there are enough of them."""
    measured = [case for case in cases if case.trust.measured]
    for low, high in ((0.8, 0.95), (0.95, 1.0)):
        inside = [case for case in measured if low <= case.trust.score < high]
        mean = sum(case.trust.score for case in inside) / len(inside)
        assert len(inside) > 15 and abs(share_right(inside) - mean) < 0.1


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("asdfgh qwerty", "unknown"),
        ("blorf the zint", "unknown"),
        ("我爱苹果手机", "unsaid"),
        ("我喜欢苹果手机", "unsaid"),
    ],
)
def test_gibberish_and_what_is_left_out_are_not_sure(name: str, text: str, reason: str) -> None:
    trust = confidence(load_model(name).trace(text))
    assert trust.level == "unsure"
    if trust.measured:  # the plain model doubts its apples by its own numbers
        assert trust.score < 0.1 and reason == "unsaid"
    else:
        assert reason in [each.key for each in trust.reasons]


def test_a_noun_that_is_said_is_not_missing() -> None:
    model = load_model("translator")
    assert unsaid_nouns(model.trace("我爱苹果手机")) == ("手机",)
    for text in ("我爱手机", "I love machine learning", "The cats and dogs are friends."):
        assert unsaid_nouns(model.trace(text)) == ()


def test_the_nouns_are_those_of_the_word_lists() -> None:
    written = json.loads(NOUNS.read_text(encoding="utf-8"))
    assert written == find_nouns(), "core.analysis.unsaid.write_nouns() writes them anew"
