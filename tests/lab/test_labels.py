"""Softmax and sigmoids on labels, by hand."""

import math

import pytest

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.labels import labels


def test_one_right_label() -> None:
    found = labels((0, 0, math.log(2)), ((0, 0, 1),))
    assert found.softmax.probabilities.tolist() == pytest.approx([0.25, 0.25, 0.5])
    assert found.softmax.chosen.tolist() == [False, False, True]
    assert found.softmax.loss == pytest.approx(math.log(2))
    assert found.softmax.gradients.tolist() == pytest.approx([0.25, 0.25, -0.5])
    assert found.softmax.least == 0
    assert found.sigmoid.probabilities.tolist() == pytest.approx([0.5, 0.5, 2 / 3])
    assert found.sigmoid.loss == pytest.approx(2 * math.log(2) + math.log(1.5))
    assert found.sigmoid.gradients.tolist() == pytest.approx([0.5, 0.5, -1 / 3])


def test_two_right_labels_share_what_softmax_has() -> None:
    found = labels((20, 20, -20), ((1, 1, 0),))
    assert found.softmax.loss == pytest.approx(math.log(2))
    assert found.softmax.least == pytest.approx(math.log(2))
    assert found.sigmoid.loss == pytest.approx(0, abs=1e-8)
    assert found.sigmoid.chosen.tolist() == [True, True, False]


def test_no_right_label() -> None:
    found = labels((1, -1), ((0, 0),))
    assert math.isnan(found.softmax.loss)
    assert math.isnan(found.softmax.least)
    assert found.sigmoid.loss == pytest.approx(math.log(1 + math.e) + math.log(1 + 1 / math.e))


def test_a_label_has_a_flag() -> None:
    with pytest.raises(GlassformerError, match="must be"):
        labels((1, 2), ((1,),))
