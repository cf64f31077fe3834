"""Six ways to apply a mask, on rows done by hand."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest

from glassformer.core.config import MaskFill
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.masks import WAYS, masked_scores, masks

SCORES = [[1.0, 2.0, 3.0], [2.0, 1.0, 0.0], [0.0, 1.0, 2.0]]
MASK = [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
HALF = 1 / (1 + math.exp(-1))  # softmax of 2 and 1


def softmax(scores: Any) -> Any:
    exact = np.exp(np.asarray(scores, dtype=np.float64))
    return exact / exact.sum(axis=-1, keepdims=True)


def test_the_three_ways_of_the_model_agree_where_something_is_allowed() -> None:
    found = masks(SCORES, MASK)
    for key in (*get_args(MaskFill), "add_large_negative"):
        way = found.ways[key]  # type: ignore[arg-type]
        np.testing.assert_allclose(way.weights[0], [1, 0, 0])
        np.testing.assert_allclose(way.weights[1], [HALF, 1 - HALF, 0], atol=1e-7)
        assert way.leaked.tolist()[:2] == [0, 0]
    assert found.empty.tolist() == [False, False, True]


def test_the_row_with_nothing_allowed() -> None:
    found = masks(SCORES, MASK)
    large = found.ways["large_negative"]
    np.testing.assert_allclose(large.weights[2], [1 / 3] * 3)
    assert large.leaked[2].item() == pytest.approx(1)
    assert not large.reached.any()
    for key in ("minus_infinity", "additive"):
        way = found.ways[key]
        assert way.not_numbers.tolist() == [False, False, True]
        assert way.weights[2].isnan().all()
        assert way.reached.all()  # after one more layer no word has a number
    assert found.ways["additive"].gradient_lost.tolist() == [False, False, True]


def test_multiplying() -> None:
    found = masks(SCORES, MASK)
    before, after = found.ways["multiply_before"], found.ways["multiply_after"]
    np.testing.assert_allclose(before.weights[0], softmax([1, 0, 0]), atol=1e-6)
    assert before.leaked[0].item() == pytest.approx(2 / (math.e + 2), abs=1e-6)
    np.testing.assert_allclose(after.weights[1], softmax([2, 1, 0]) * [1, 1, 0], atol=1e-6)
    assert after.totals[1].item() == pytest.approx(softmax([2, 1, 0])[:2].sum(), abs=1e-6)
    assert after.totals[2].item() == 0


def test_adding_a_large_number_keeps_the_scores_only_if_they_fit() -> None:
    single = masks(SCORES, MASK, precision="float32").ways["add_large_negative"]
    double = masks(SCORES, MASK, precision="float64").ways["add_large_negative"]
    np.testing.assert_allclose(single.weights[2], [1 / 3] * 3)  # −1e9 + 2 is −1e9
    np.testing.assert_allclose(double.weights[2], softmax([0, 1, 2]), atol=1e-6)
    half = masks(SCORES, MASK, precision="float16")
    assert masked_scores("large_negative", half.scores, half.allowed).min().item() == -65504
    assert half.ways["add_large_negative"].weights[2].isnan().all()  # −1e9 is −∞ there


def test_what_a_one_means() -> None:
    hidden = [[1 - cell for cell in row] for row in MASK]
    one, other = masks(SCORES, MASK), masks(SCORES, hidden, meaning="hidden")
    assert one.allowed.tolist() == other.allowed.tolist()
    for key in WAYS:
        np.testing.assert_array_equal(one.ways[key].weights, other.ways[key].weights)


def test_nothing_forbidden_and_other_shapes() -> None:
    found = masks([[1, 2, 3], [3, 2, 1]], [[1, 1, 1], [1, 1, 1]])
    for way in found.ways.values():
        np.testing.assert_allclose(way.weights, softmax([[1, 2, 3], [3, 2, 1]]), atol=1e-6)
    assert not found.empty.any()


@pytest.mark.parametrize(
    "call, key",
    [
        (partial(masks, SCORES, [[1]]), "lab_shape"),
        (partial(masks, SCORES, [[2, 0, 0]] * 3), "lab_whole"),
        (partial(masks, [["a"]], [[1]]), "lab_number"),
        (partial(masks, [[0] * 17] * 17, [[1]]), "lab_large"),
        (partial(masks, SCORES, MASK, meaning="maybe"), "lab_choice"),
        (partial(masks, SCORES, MASK, precision="int8"), "lab_choice"),
    ],
)
def test_refusals(call: Callable[[], Any], key: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        call()
    assert refused.value.key == key
