"""What padding does, against the tensors of the padded batch and of the runs alone."""

import pytest
import torch

from glassformer import load_model
from glassformer.core.interventions import Experiment
from glassformer.core.interventions.masks import PaddingOff
from glassformer.core.interventions.padding import (
    InBatch,
    in_batch,
    padded_runs,
    word_probabilities,
)

MODEL = load_model()
PLAIN = tuple(
    MODEL.trace(each)
    for each in ("I have a cat", "The animal didn't cross the street because it was too tired")
)
SOURCE, TARGET = Experiment((PaddingOff(),)), Experiment((PaddingOff("target"),))


@pytest.mark.parametrize("experiment", [None, SOURCE])
def test_the_numbers_are_those_of_the_batch(experiment: Experiment | None) -> None:
    padded = padded_runs(MODEL, PLAIN, experiment)
    for found, trace, alone in zip(in_batch(MODEL, PLAIN, experiment), padded, PLAIN, strict=True):
        rows = len(alone.target_tokens)
        assert (found.sources, found.targets) == (len(alone.source_tokens), rows)
        assert found.source_tokens == trace.source_tokens
        weights = trace["decoder/1/cross_attention/weights"][0, :, :rows]
        assert torch.equal(found.weights["decoder/1/cross_attention"], weights)
        beyond = weights[2, :, found.sources :].sum(dim=-1)
        torch.testing.assert_close(found.to_padding("decoder/1/cross_attention", 2), beyond)
        two = (trace["output/probabilities"][0, :rows], alone["output/probabilities"][0])
        assert found.largest == pytest.approx((two[0] - two[1]).abs().max().item())
        for row in range(rows):
            p, q = (x[0, row].double().log_softmax(-1) for x in (
                alone["output/logits"], trace["output/logits"]
            ))  # fmt: skip
            expected = float((p.exp() * (p - q)).sum())
            assert float(found.divergence[row]) == pytest.approx(expected, abs=1e-9)
            word = alone.vocabulary.index(alone.output_pieces[row])
            assert float(found.chances[row]) == pytest.approx(float(two[0][row, word]))
            assert float(word_probabilities(alone, rows)[row]) == pytest.approx(
                float(two[1][row, word])
            )


def most(found: InBatch) -> float:
    return found.most_to_padding


def test_padding_gets_nothing_until_it_is_let_in() -> None:
    short, long = in_batch(MODEL, PLAIN)
    assert most(short) == most(long) == 0.0
    assert max(short.largest, long.largest) < 1e-4
    short, long = in_batch(MODEL, PLAIN, SOURCE)
    assert most(short) > 0.1 and most(long) == 0.0
    assert short.largest > 0.1 and long.largest < 1e-4


def test_in_the_target_the_causal_mask_hides_it_already() -> None:
    short, _ = in_batch(MODEL, PLAIN, TARGET)
    assert most(short) == 0.0 and short.largest < 1e-4
