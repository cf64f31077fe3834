"""What one row of logits says of its step."""

import math

import pytest
import torch

from glassformer.core.decoding.step import step_from


def test_evenly_spread_is_as_unsure_as_between_all_words() -> None:
    step = step_from(torch.zeros(8), keep=3)
    assert step.entropy == pytest.approx(math.log(8))
    assert step.alike == pytest.approx(8)
    assert step.rest == pytest.approx(5 / 8)  # three of eight are candidates


def test_a_sure_step_is_as_between_one_word() -> None:
    step = step_from(torch.tensor([0.0, 50.0, 0.0]), keep=3)
    assert step.alike == pytest.approx(1)
    assert step.rest == pytest.approx(0, abs=1e-6)
    assert step.rest >= 0
