"""Weights times values against torch's own attention, and the two words of the notes by hand."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from glassformer import load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.weighted_values import weigh_values

WHERE = "decoder/1/cross_attention"


def test_the_sum_is_what_torch_has() -> None:
    trace = load_model().trace("I like you")
    q, k, v = (trace[f"{WHERE}/{name}"] for name in "qkv")
    z = scaled_dot_product_attention(q, k, v)[0, 2, 1, 7]
    found = weigh_values(trace[f"{WHERE}/masked"][0, 2, 1], v[0, 2, :, 7])
    assert found.total == pytest.approx(float(z), abs=1e-5)
    by_hand = [w * v for w, v in zip(found.weights.tolist(), found.values.tolist(), strict=True)]
    assert found.terms.tolist() == pytest.approx(by_hand)
    assert found.running.tolist() == pytest.approx([sum(by_hand[: at + 1]) for at in range(4)])


def test_two_words_as_in_the_notes() -> None:
    scores, values = torch.tensor([0.5, 3.0, -1e9, 2.0]), torch.tensor([9.0, 2.0, 9.0, -1.0])
    found = weigh_values(scores, values, "typed")
    assert found.places == [1, 3]
    first = 1 / (1 + math.exp((96 - 112) / math.sqrt(64)))
    assert [round(each, 2) for each in found.weights.tolist()] == [0.88, 0.12]
    assert found.total == pytest.approx(2 * first - (1 - first))
    two = weigh_values(scores, values, "two")
    assert two.weights[0].item() == pytest.approx(1 / (1 + math.exp(-1)))
    assert weigh_values(scores[:1], values[:1], "typed").total == pytest.approx(9)


@pytest.mark.parametrize("typed", [(1,), (1, 2, 3), ("x", 1)])
def test_two_scores_are_two_numbers(typed: tuple[object, ...]) -> None:
    with pytest.raises(GlassformerError):
        weigh_values(torch.ones(3), torch.ones(3), typed=typed)
