"""One cell spelled out agrees with the recorded tensors."""

import dataclasses
import itertools
import math
from typing import cast

import numpy as np
import pytest

from glassformer.core.analysis.attention_cell import Terms, cell_of_heads, cell_terms
from glassformer.core.analysis.attention_views import Kind, Stage, attention_at, head_map
from glassformer.core.errors import GlassformerError
from tests.traces import OUTPUT, small_trace

KINDS: tuple[Kind, ...] = ("encoder", "decoder", "cross")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fill", ["large_negative", "minus_infinity", "additive"])
def test_every_cell_agrees_with_the_tensors(kind: Kind, fill: str) -> None:
    trace = small_trace(mask_fill=fill)
    recorded = trace[f"{attention_at(kind, 1)}/scores"][0].numpy()
    heads, rows, columns = recorded.shape
    for head, query, key in itertools.product(range(heads), range(rows), range(columns)):
        cell = cell_terms(trace, kind, 1, head, query, key)
        assert cell.score == recorded[head, query, key]
        assert cell.products.sum() == pytest.approx(cell.score, abs=1e-5)
        assert cell.scaled == pytest.approx(cell.score / 2, abs=1e-6)  # d_k is 4
        assert cell.q.size == 4
        assert cell.weight == pytest.approx(cell.numerator / cell.denominator, abs=1e-6)
        if cell.allowed:
            assert cell.masked == cell.scaled
        else:
            assert kind == "decoder"
            assert key > query
            assert cell.weight == 0
            assert cell.masked == (-1e9 if fill == "large_negative" else -math.inf)


def test_order_of_the_products() -> None:
    cell = cell_terms(small_trace(), "cross", 0, 1, 2, 3)
    assert cell.order("dimension") == [0, 1, 2, 3]
    sizes = np.abs(cell.products)[cell.order("largest")]
    assert (np.diff(sizes) <= 0).all()
    assert sorted(cell.order("largest")) == [0, 1, 2, 3]


def test_a_huge_score_has_no_finite_numerator_and_says_so() -> None:
    cell = cell_terms(small_trace(), "encoder", 0, 0, 0, 0)
    huge = dataclasses.replace(cell, masked=1000.0)
    assert huge.numerator == math.inf


def test_a_row_that_may_look_nowhere() -> None:
    nowhere = np.full(3, -np.inf, np.float32)
    vector = np.ones(2, np.float32)
    cell = Terms(vector, vector, 2.0, 1.4, False, -math.inf, math.nan, nowhere)
    assert cell.denominator == 0


@pytest.mark.parametrize("positions", ["paper", "relative"])
@pytest.mark.parametrize(
    ("query", "key", "name"), [(12, 0, "query"), (-1, 0, "query"), (0, 12, "key"), (0, -1, "key")]
)
def test_a_cell_beyond_the_sentence_is_refused(
    query: int, key: int, name: str, positions: str
) -> None:
    trace = small_trace(positions=positions)
    for kind in KINDS:
        with pytest.raises(GlassformerError) as caught:
            cell_terms(trace, kind, 0, 0, query, key)
        assert caught.value.key == "out_of_range"
        assert caught.value.values["name"] == name


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights"])
def test_a_cell_at_a_stage_in_every_head(stage: Stage) -> None:
    trace, last = small_trace(), len(OUTPUT)
    found = cell_of_heads(trace, "cross", 1, stage, last, 3)
    name = {"scores": "score", "weights": "weight"}.get(stage, stage)
    cells = [cell_terms(trace, "cross", 1, head, last, 3) for head in range(4)]
    assert found.values.tolist() == [getattr(cell, name) for cell in cells]
    assert not found.forbidden.any()
    assert found.mean == pytest.approx(head_map(trace, "cross", 1, None, stage).values[last, 3])


def test_a_cell_is_forbidden_from_the_mask_on_and_has_no_mean() -> None:
    for stage, struck in (
        ("scores", False),
        ("scaled", False),
        ("masked", True),
        ("weights", True),
    ):
        found = cell_of_heads(small_trace(), "decoder", 0, cast(Stage, stage), 2, 5)
        assert found.forbidden.tolist() == [struck] * 4
        assert math.isnan(found.mean) == struck
