"""How sure one may be of a translation, and why not."""

import math
from dataclasses import replace
from typing import Any

import pytest

from glassformer.core.analysis.confidence import (
    DEFAULT,
    SEEN_FROM,
    SURE_FROM,
    Calibration,
    QualityFeatures,
    Reason,
    confidence,
    quality_features,
    unseen_places,
)
from glassformer.core.decoding.step import Step
from glassformer.core.trace.trace import Trace
from tests.example_trace import CROSS, example_trace
from tests.example_trace import probabilities as example_probabilities

CALM = QualityFeatures(
    unknown=(), names=0, lost=(), dropped=(), doubled=(), unseen=(), repeated=None, guarded=0,
    ended=True, chances=(0.95, 0.97), entropy=0.2, seen=0.9, longer=0.0,
)  # fmt: skip


def calm_trace(**changes: Any) -> Trace:
    """Every word known, sure and looked at."""
    trace = example_trace(source_unknown=(), source_pieces=("爱", "likes", "<s>", ",", "<eos>"))
    rows = example_probabilities()
    for row, piece in enumerate(trace.output_pieces):
        rows[0, row] = 0.02 / (rows.shape[-1] - 1)
        rows[0, row, trace.vocabulary.index(piece)] = 0.98
    tensors = dict(trace.tensors)
    cross = tensors[CROSS].clone()
    cross[:] = 0.0
    for row in range(cross.shape[2]):
        cross[0, :, row, row] = 1.0
    tensors |= {"output/probabilities": rows, CROSS: cross}
    return replace(trace, **{"tensors": tensors, **changes})


def keys(trace: Trace) -> list[str]:
    return [reason.key for reason in confidence(trace).reasons]


def test_nothing_speaks_against_a_calm_run() -> None:
    trust = confidence(calm_trace())
    assert trust.level == "sure" and trust.reasons == ()
    assert SURE_FROM < trust.score < 1 and trust.measured


def test_unknown_words_are_named_and_names_count_less() -> None:
    trust = confidence(example_trace())
    assert Reason("unknown", ("Zorblax",), 1) in trust.reasons
    assert (trust.weakest, trust.probability) == (1, pytest.approx(0.4))
    found = quality_features(example_trace())
    assert (found.unknown, found.names) == (("Zorblax",), 1)
    listed = example_trace(surfaces={"<name1>": "佐布拉克斯"})
    assert quality_features(listed).unknown == ()
    name, noun = replace(CALM, unknown=("x",), names=1), replace(CALM, unknown=("x",))
    assert DEFAULT.score(noun) < DEFAULT.score(name) < DEFAULT.score(CALM)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"output_pieces": ("<name1>", "喜欢", "，", "，")}, "cut"),
        ({"output_tokens": ("你", "你", "你", "<eos>")}, "repeated"),
        ({"source_pieces": ("<name2>", "likes", "<s>", ",", "<eos>")}, "dropped"),
        ({"source_pieces": ("<unk>", "likes", "<s>", ",", "<eos>")}, "lost"),
    ],
)
def test_what_is_grave_is_never_sure(changes: dict[str, Any], key: str) -> None:
    trace = calm_trace(**changes)
    trust = confidence(trace)
    assert key in keys(trace) and trust.level == "unsure" and not trust.measured


def test_a_word_that_is_said_again_and_again_is_named() -> None:
    circling = calm_trace(output_tokens=("你", "你", "你", "<eos>"))
    assert Reason("repeated", ("你",), 3) in confidence(circling).reasons
    assert quality_features(circling).repeated == Reason("repeated", ("你",), 3)


def test_a_slot_that_comes_too_often_is_named() -> None:
    output = ("<name1>", "<name1>", "<name1>", "<eos>")
    source = ("<name1>", "likes", "<s>", ",", "<eos>")
    assert quality_features(example_trace(source_pieces=source, output_pieces=output)).doubled == (
        "Zorblax",
    )


def test_a_word_that_nothing_looks_at_is_unseen() -> None:
    trace = calm_trace()
    cross = trace.tensors[CROSS].clone()
    cross[0, :, :, 1], first = 0.0, trace.tensors["decoder/0/cross_attention/weights"].clone()
    first[0, :, :, 1] = SEEN_FROM / 2
    tensors = {**trace.tensors, CROSS: cross, "decoder/0/cross_attention/weights": first}
    unseen = replace(trace, tensors=tensors)
    assert unseen_places(unseen) == {1}
    assert Reason("unseen", ("likes",), 1) in confidence(unseen).reasons
    assert quality_features(unseen).seen == pytest.approx(SEEN_FROM / 2)
    assert unseen_places(trace) == set()


def test_the_guard_is_told() -> None:
    step = Step(1, 0.9, 0.1, ((1, 0.9),))
    steps = (step, replace(step, guarded=7), replace(step, guarded=7), step)
    assert Reason("guarded", count=2) in confidence(calm_trace(steps=steps)).reasons


def test_undecided_steps_are_counted_and_no_number_counts_as_one() -> None:
    rows = example_probabilities()
    rows[0, 2] = math.nan
    trace = example_trace(tensors={**example_trace().tensors, "output/probabilities": rows})
    trust = confidence(trace)
    assert Reason("undecided", count=2) in trust.reasons
    assert trust.weakest == 2 and math.isnan(trust.probability)
    assert trust.level == "unsure" and 0 <= trust.score <= 1


def test_a_run_without_numbers_is_not_sure_whatever_its_calibration_says() -> None:
    kind = Calibration(intercept=5.0, weights={}).to_dict()
    assert confidence(calm_trace(calibration=kind)).level == "sure"
    trace = calm_trace(calibration=kind)
    rows = trace["output/probabilities"].clone()
    rows[0, 2] = math.nan
    lost = replace(trace, tensors={**trace.tensors, "output/probabilities": rows})
    assert confidence(lost).level == "unsure"


def test_the_calibration_of_the_trace_decides() -> None:
    harsh = Calibration(intercept=-5.0, weights={})
    trust = confidence(calm_trace(calibration=harsh.to_dict()))
    assert trust.score == pytest.approx(1 / (1 + math.exp(5)))
    assert trust.level == "unsure" and trust.reasons == (Reason("unusual"),)


def test_a_calibration_survives_a_file_and_a_damaged_one_is_refused() -> None:
    assert Calibration.from_dict(DEFAULT.to_dict()) == DEFAULT
    for table in ({}, {"intercept": 1, "weights": []}, {"weights": {"a": None}}):
        with pytest.raises(ValueError, match="calibration"):
            Calibration.from_dict(table)


@pytest.mark.parametrize(
    "worse",
    [
        {"unknown": ("x",)},
        {"dropped": ("x",)},
        {"seen": 0.1},
        {"chances": (0.3, 0.9)},
        {"entropy": 1.5},
        {"longer": -1.0},
    ],
)
def test_every_signal_lowers_the_score(worse: dict[str, Any]) -> None:
    assert DEFAULT.score(replace(CALM, **worse)) < DEFAULT.score(CALM)
