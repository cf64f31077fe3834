"""The lens, against norm, generator and softmax written out in numpy from the weights."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from glassformer.core.analysis.logit_lens import best_words, first_settled_state, lens
from glassformer.core.errors import GlassformerError
from tests.seeded_runs import CONVENTIONS, RUN_NAMES, all_runs, bundled_run, seeded_run


def distribution(trace: Any, model: Any, place: Any) -> np.ndarray:
    """(T, V) in float64, from the recorded state and the weights alone."""
    x = trace[place.state.address][0].double().numpy()
    config = trace.config
    if config.final_norm:
        centred = x - x.mean(-1, keepdims=True)
        if config.norm_formula == "sample":
            scale = x.std(-1, ddof=1, keepdims=True) + config.norm_epsilon
        else:
            scale = np.sqrt(x.var(-1, keepdims=True) + config.norm_epsilon)
        gamma, beta = (each.double().numpy() for each in model.decoder.norm.parameters())
        x = gamma * centred / scale + beta
    logits = x @ model.generator.weight.double().numpy().T
    if model.generator.bias is not None:
        logits = logits + model.generator.bias.double().numpy()
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@pytest.mark.parametrize("sublayers", [False, True])
@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
def test_every_number(run: Any, sublayers: bool) -> None:
    trace, model = run()
    found = lens(trace, model, 4, sublayers)
    layers = trace.config.decoder_layers
    assert len(found.states) == 1 + layers * (3 if sublayers else 1)
    final = trace["output/probabilities"][0].double().numpy()
    ids = [trace.vocabulary.index(piece) for piece in trace.output_pieces]
    for n, place in enumerate(found.states):
        expected = distribution(trace, model, place)
        for t, word in enumerate(ids):
            row = expected[t]
            assert found.chosen[n, t] == pytest.approx(row[word], abs=3e-5)
            order = np.argsort(-row, kind="stable")
            assert found.probabilities[n, t] == pytest.approx(row[order[:4]], abs=3e-5)
            assert row[found.best[n, t]] == pytest.approx(row[order[:4]], abs=3e-5)
            close = np.isclose(row, row[word], rtol=1e-4, atol=1e-9).sum()  # near ties
            assert abs(found.rank[n, t] - (1 + (row > row[word]).sum())) < close
            divergence = np.sum(final[t] * (np.log(final[t] + 1e-300) - np.log(row)))
            assert found.divergence[n, t] == pytest.approx(divergence, rel=5e-6, abs=1e-4)
            entropy = -np.sum(row * np.log(row))
            assert found.entropy[n, t] == pytest.approx(entropy, abs=1e-4)


@pytest.mark.parametrize("run", all_runs(), ids=RUN_NAMES)
def test_the_last_state_is_the_run_itself(run: Any) -> None:
    trace, model = run()
    found = lens(trace, model)
    assert found.error <= 1e-5
    assert found.divergence[-1] == pytest.approx(0, abs=1e-6)
    for row in range(len(trace.output_pieces)):
        own = trace.candidates(row, 5)
        read = best_words(trace, found, len(found.states) - 1, row)
        assert [each.probability for each in read] == pytest.approx(
            [each.probability for each in own], abs=1e-5
        )
    assert len(found.read) == len(found.written) == found.chosen.shape[1]


def test_which_norm_is_used() -> None:
    def used(name: str) -> list[str]:
        return [each.norm for each in lens(*seeded_run(**CONVENTIONS[name])).states]

    assert used("post") == ["none", *["own"] * 3]
    assert used("pre") == used("post, final norm") == ["final"] * 4
    assert used("pre, no end") == ["none"] * 4


def test_a_words_surface_is_shown() -> None:
    trace, model = seeded_run()
    shown = dataclasses.replace(trace, surfaces={"we": "Zorblax"})
    words = best_words(shown, lens(shown, model, 99), 0, 0)
    assert len(words) == len(trace.vocabulary)  # k ends at V
    assert {each.token for each in words if each.piece == "we"} == {"Zorblax"}


def test_settled() -> None:
    seen = lens(*seeded_run())
    ranks = np.array([[1, 2, 1, 5], [2, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 2]])
    assert first_settled_state(dataclasses.replace(seen, rank=ranks)).tolist() == [2, 1, 0, 4]


def test_no_number_has_no_rank() -> None:
    trace, model = seeded_run()
    address = "decoder/2/feed_forward_norm/output"
    broken = trace[address].clone()
    broken[0, 1] = torch.nan
    found = lens(dataclasses.replace(trace, tensors={**trace.tensors, address: broken}), model)
    assert found.rank[-1].tolist()[1] == 0 and np.isnan(found.chosen[-1, 1])
    assert found.rank[-1, 0] > 0


def test_refusals() -> None:
    trace, model = bundled_run("猫")
    seen = lens(trace, model)
    for state, row in ((3, 0), (0, len(trace.output_pieces)), (-1, 0)):
        with pytest.raises(GlassformerError, match="does not exist"):
            best_words(trace, seen, state, row)
