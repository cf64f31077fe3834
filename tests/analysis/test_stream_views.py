"""How far the blocks moved the stream: against numbers worked out by hand or another way."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from glassformer.core.analysis.blocks import (
    block_at,
    blocks_of_model,
    change_by_block,
    count_firing,
    feature_spread,
    head_entropies,
    highest_entropy,
    ratios,
)
from glassformer.core.trace.trace import Trace
from tests.traces import small_trace


def with_tensors(trace: Trace, **tensors: torch.Tensor) -> Trace:
    named = {name.replace("__", "/"): tensor for name, tensor in tensors.items()}
    return dataclasses.replace(trace, tensors={**trace.tensors, **named})


def block(trace: Trace, block_id: str):  # type: ignore[no-untyped-def]
    found = block_at(trace.config, block_id)
    assert found is not None
    return found


def test_lengths_ratio_and_cosine_by_hand() -> None:
    trace = with_tensors(
        small_trace(),
        source__scaled=torch.tensor([[[3.0, 4.0], [1.0, 0.0]]]),
        source__input=torch.tensor([[[3.0, 9.0], [0.0, 1.0]]]),
    )
    found = change_by_block(trace, block(trace, "source/positions"))
    assert found is not None
    assert found.before.tolist() == [5.0, 1.0]
    assert found.moved == pytest.approx([5.0, math.sqrt(2)])
    assert found.after == pytest.approx([math.sqrt(90), 1.0])
    assert found.cosine == pytest.approx([(9 + 36) / (5 * math.sqrt(90)), 0.0])
    assert found.ratio == pytest.approx((1 + math.sqrt(2)) / 2)


def test_a_sublayer_moves_the_stream_by_its_own_output() -> None:
    for place in ("post", "pre"):
        trace = small_trace(norm_place=place)
        where = "decoder/1/cross_attention"
        stream, output = trace[f"{where}_residual/stream"][0], trace[f"{where}/output"][0]
        expected = (output.norm(dim=1) / stream.norm(dim=1)).mean().item()
        assert ratios(trace)[where] == pytest.approx(expected, rel=1e-4)


def test_every_block_with_a_stream_has_a_finite_ratio() -> None:
    for config in ({}, {"norm_place": "pre", "final_norm": True}):
        trace = small_trace(**config)
        found = ratios(trace)
        assert set(found) == {each.id for each in blocks_of_model(trace.config) if each.stream}
        assert all(math.isfinite(value) and value > 0 for value in found.values())


def test_a_vector_of_length_zero_has_no_ratio() -> None:
    trace = with_tensors(
        small_trace(),
        source__scaled=torch.tensor([[[0.0, 0.0], [1.0, 0.0]]]),
        source__input=torch.tensor([[[1.0, 0.0], [2.0, 0.0]]]),
    )
    found = change_by_block(trace, block(trace, "source/positions"))
    assert found is not None
    assert math.isnan(found.ratios[0])
    assert found.ratios[1] == 1.0
    assert math.isnan(found.ratio)


def test_the_embedding_has_nothing_to_compare() -> None:
    trace = small_trace()
    assert change_by_block(trace, block(trace, "source/embedding")) is None


def test_spread_is_the_norms_own_mean_and_deviation() -> None:
    trace = small_trace()
    where = "encoder/0/feed_forward_norm"
    found = feature_spread(trace, "encoder/0/feed_forward_residual/summed")
    assert found.mean == pytest.approx(trace[f"{where}/mean"][0, :, 0].numpy(), abs=1e-6)
    assert found.std == pytest.approx(trace[f"{where}/std"][0, :, 0].numpy(), abs=1e-6)


def test_neurons_that_fired_and_that_never_did() -> None:
    fired = torch.tensor([[[0.5, 0.0, 0.0, 2.0], [0.0, 0.0, -0.1, 1.0]]])
    trace = with_tensors(small_trace(), encoder__0__feed_forward__activation=fired)
    found = count_firing(trace, block(trace, "encoder/0/feed_forward"))
    assert found.active.tolist() == [0.5, 0.25]
    assert (found.silent, found.width) == (2, 4)


def test_entropy_lies_between_nothing_and_all_words_alike() -> None:
    trace = small_trace()
    masked = block(trace, "decoder/0/self_attention")
    found = head_entropies(trace, masked)
    most = highest_entropy(trace, masked)
    assert found.shape == (4,)
    assert most == pytest.approx(np.mean([math.log(n) for n in range(1, 11)]))
    assert (found > 0).all()
    assert (found <= most).all()
