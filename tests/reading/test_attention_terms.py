"""One cell spelled out agrees with the recorded tensors."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from core.errors import GlassformerError
from core.reading.attention_terms import Terms, head_weights, terms
from core.reading.attention_views import Kind, attention_at
from tests.traces import OUTPUT, small_trace

KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fill", ["large_negative", "minus_infinity", "additive"])
def test_every_cell_agrees_with_the_tensors(kind: Kind, fill: str) -> None:
    trace = small_trace(mask_fill=fill)
    recorded = trace[f"{attention_at(kind, 1)}/scores"][0].numpy()
    heads, rows, columns = recorded.shape
    for head, query, key in itertools.product(range(heads), range(rows), range(columns)):
        cell = terms(trace, kind, 1, head, query, key)
        assert cell.score == recorded[head, query, key]
        assert cell.products.sum() == pytest.approx(cell.score, abs=1e-5)
        assert cell.scaled == pytest.approx(cell.score / 2, abs=1e-6)  # d_k is 4
        assert cell.root == 2
        assert cell.weight == pytest.approx(cell.numerator / cell.denominator, abs=1e-6)
        if cell.allowed:
            assert cell.masked == cell.scaled
        else:
            assert kind == "decoder"
            assert key > query
            assert cell.weight == 0
            assert cell.masked == (-1e9 if fill == "large_negative" else -math.inf)


def test_order_of_the_products() -> None:
    cell = terms(small_trace(), "cross", 0, 1, 2, 3)
    assert cell.order("dimension") == [0, 1, 2, 3]
    sizes = np.abs(cell.products)[cell.order("largest")]
    assert (np.diff(sizes) <= 0).all()
    assert sorted(cell.order("largest")) == [0, 1, 2, 3]


def test_a_huge_score_has_no_finite_numerator_and_says_so() -> None:
    cell = terms(small_trace(), "encoder", 0, 0, 0, 0)
    huge = dataclasses.replace(cell, masked=1000.0)
    assert huge.numerator == math.inf


def test_a_row_that_may_look_nowhere() -> None:
    nowhere = np.full(3, -np.inf, np.float32)
    vector = np.ones(2, np.float32)
    cell = Terms(vector, vector, 2.0, 1.4, False, -math.inf, math.nan, nowhere)
    assert cell.denominator == 0


@pytest.mark.parametrize(
    ("query", "key", "name"), [(10, 0, "query"), (-1, 0, "query"), (0, 12, "key")]
)
def test_a_cell_beyond_the_sentence_is_refused(query: int, key: int, name: str) -> None:
    with pytest.raises(GlassformerError) as caught:
        terms(small_trace(), "cross", 0, 0, query, key)
    assert caught.value.key == "out_of_range"
    assert caught.value.values["name"] == name


def test_the_weight_of_a_cell_in_every_head() -> None:
    trace = small_trace()
    found = head_weights(trace, "cross", 1, len(OUTPUT), 3)
    expected = [terms(trace, "cross", 1, head, len(OUTPUT), 3).weight for head in range(4)]
    assert found.tolist() == expected
