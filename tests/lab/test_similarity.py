"""The dot product against the distance, by hand."""

import math

import pytest

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.similarity import KEYS, QUERY, UNIT, compare_measures


def test_a_long_key_wins_the_product_and_the_near_one_the_distance() -> None:
    found = compare_measures((1, 0), ((1, 0), (2, 3)))
    assert found.product.scores.tolist() == [1, 2]
    assert found.product.weights[1].item() == pytest.approx(math.e / (1 + math.e))
    assert found.distance.scores.tolist() == pytest.approx([0, -math.sqrt(10)])
    assert (found.product.best, found.distance.best) == (1, 0)
    assert not found.same_length
    squared = compare_measures((1, 0), ((1, 0), (2, 3)), "squared")
    assert squared.distance.scores.tolist() == pytest.approx([0, -5])


def test_of_one_length_the_weights_are_the_same() -> None:
    found = compare_measures(QUERY, UNIT, "squared")
    assert found.same_length
    assert found.identical
    other = compare_measures(QUERY, UNIT)
    assert not other.identical
    assert other.product.scores.argsort().tolist() == other.distance.scores.argsort().tolist()


def test_the_example_picks_differently() -> None:
    found = compare_measures(QUERY, KEYS)
    assert found.product.best != found.distance.best


def test_keys_lie_in_the_plane() -> None:
    with pytest.raises(GlassformerError, match="must be"):
        compare_measures((1, 0), ((1, 0, 1),))
