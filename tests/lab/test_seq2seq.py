"""An LSTM by hand, against torch's own, and what is left of a word that is taken out."""

import math

import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.seq2seq import (
    LONGEST,
    attention_weights,
    decoder_inputs,
    lstm,
    read_words,
    run_lstm,
)

WORDS = "The animal didn't cross the street".split()


def test_the_steps_are_those_of_torchs_own_lstm() -> None:
    layer = lstm(4, 1.5, 3)
    x = torch.randn(7, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    own, (last, cell) = layer(x[None])
    gates = run_lstm(layer, x)
    torch.testing.assert_close(gates.hidden, own[0])
    torch.testing.assert_close(gates.hidden[-1], last[0, 0])
    torch.testing.assert_close(gates.cell[-1], cell[0, 0])


def test_without_weights_only_the_biases_speak() -> None:
    layer = lstm(2, math.log(3), 0)  # σ(ln 3) is 3/4
    layer.weight_ih_l0.zero_()
    layer.weight_hh_l0.zero_()
    gates = run_lstm(layer, torch.ones(3, 2, dtype=torch.float64))
    assert gates.forget.flatten().tolist() == pytest.approx([0.75] * 6)
    assert gates.input.flatten().tolist() == pytest.approx([0.5] * 6)
    assert gates.cell.abs().max() == 0  # tanh 0 is what goes in
    assert gates.kept[:, 0].tolist() == pytest.approx([0.75**2, 0.75, 1])


def test_attention_looks_back_alone() -> None:
    states = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    weights = attention_weights(states)
    high = math.exp(1 / math.sqrt(2))
    assert weights.flatten().tolist() == pytest.approx([1, 0, 1 / (1 + high), high / (1 + high)])
    torch.testing.assert_close(decoder_inputs(states)["attention"], weights @ states)


def test_shares_are_those_of_a_sentence_without_the_word() -> None:
    found, step = read_words(WORDS, 3, 0, 5, 4)
    assert step == 3
    layer = lstm(3, 0.0, 5)
    shorter, _ = read_words(WORDS[:-1], 3, 0, 5)
    whole = found.gates.hidden[-1]
    without = (shorter.gates.hidden[-1] - whole).norm() / whole.norm()
    assert found.by_word["vector"][-1].item() == pytest.approx(without.item())
    assert found.by_length["vector"][-1].item() == pytest.approx(found.by_word["vector"][0].item())
    assert found.by_length["attention"][0].item() == 1  # of one word nothing is left
    assert shorter.by_length["vector"].tolist() == pytest.approx(
        found.by_length["vector"][:-1].tolist()
    )
    assert torch.equal(layer.bias_hh_l0, torch.zeros(12, dtype=torch.float64))


def test_early_words_are_lost_and_a_forget_bias_keeps_them() -> None:
    words = [f"word{at}" for at in range(LONGEST)]
    for seed in range(5):
        leaky, kept = (read_words(words, 4, bias, seed)[0] for bias in (0, 4))
        first = leaky.by_word["vector"][0], leaky.by_word["attention"][0]
        assert first[0] < first[1] / 10
        assert kept.by_word["vector"][0] > 3 * first[0]


def test_equal_words_have_equal_vectors_and_the_step_is_one_of_them() -> None:
    found, step = read_words(["the", "The"], 2, 0, 0, 9)
    assert step == 1
    assert len(found.words) == 2
    with pytest.raises(GlassformerError, match="must be"):
        read_words(["one"])
    with pytest.raises(GlassformerError, match="may be"):
        read_words(WORDS, forget=9)
