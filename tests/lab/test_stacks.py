"""One matrix for all heads, positions added, copies of a layer, skips: by other means."""

import numpy as np
import pytest
import torch

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.lab.added import join_positions
from glassformer.core.lab.clones import clones
from glassformer.core.lab.one_matrix import both_ways, one_matrix
from glassformer.core.lab.parts import build_seeded
from glassformer.core.lab.skips import follow_skips, skips
from glassformer.core.model.attention import MultiHeadAttention
from glassformer.core.model.encoder import Encoder


def test_added_by_hand() -> None:
    found = join_positions([[1, 2]], [0], [[1, 0], [3, 4]], 8, 16)
    assert found.a.tolist() == [[7, 8]]
    assert found.e.tolist() == [[0, 1]]  # sin 0, cos 0
    assert found.stacked.tolist() == found.added.tolist() == [[7, 9]]
    assert found.one_hot.tolist() == [[1, 0, 0, 0]]
    assert found.beside.tolist() == [[7, 8, 0, 1]]
    for cost, width in zip(found.costs, (8, 24), strict=True):
        linear = 4 * (width * width + width) + 2 * 4 * width * width + 4 * width + width
        assert (cost.width, cost.parameters) == (width, linear + 4 * width)  # and two norms


@pytest.mark.parametrize(
    "given", [([[1, 2]], [4], [[1, 0], [3, 4]]), ([[1, 2]], [0, 1], [[1, 0], [3, 4]]),
              ([[1, 2]], [0], [[1, 0, 1], [3, 4, 1]]), ([[1]], [0], [[1, 0], [3, 4]])],
)  # fmt: skip
def test_added_refuses_what_does_not_fit(given: tuple[object, ...]) -> None:
    with pytest.raises(GlassformerError):
        join_positions(*given)


def test_small_matrices_are_columns_of_the_large_one() -> None:
    found = one_matrix(2, 6, 3, seed=4)
    x, large = found.x.numpy(), found.large.numpy()
    for head in range(3):
        columns = large[:, 2 * head : 2 * head + 2]
        np.testing.assert_array_equal(found.small[head].numpy(), columns)
        np.testing.assert_allclose(found.split[head].numpy(), x @ columns, rtol=1e-5, atol=1e-6)
    assert found.difference < 1e-6
    with pytest.raises(GlassformerError, match="3 × n"):
        one_matrix(2, 8, 3)


def test_biases_are_shared_out_among_the_heads() -> None:
    config = ModelConfig(vocabulary_size=1, d_model=4, n_heads=2)
    attention = build_seeded(lambda: MultiHeadAttention(config))
    attention.w_q.bias.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    found = both_ways(attention, torch.zeros(1, 4))
    assert found.apart.tolist() == found.split.tolist() == [[[1, 2]], [[3, 4]]]


def test_one_object_moves_alike_and_copies_do_not() -> None:
    found = clones(3, 8, 2)
    shared, copied, drawn = found["shared"], found["copied"], found["drawn"]
    assert (shared.objects, copied.objects, drawn.objects) == (1, 3, 3)
    one = 4 * (8 * 8 + 8) + (8 * 32 + 32) + (32 * 8 + 8) + 4 * 8
    assert (shared.parameters, copied.parameters) == (one, 3 * one)
    assert shared.apart == shared.apart_before == copied.apart_before == 0
    assert torch.equal(shared.moved[0], shared.moved[2])
    assert copied.apart > 1e-4
    assert drawn.apart_before > 0.1
    assert shared.losses[0] == copied.losses[0]  # nothing tells them apart before
    assert all(each.losses[1] < each.losses[0] for each in found.values())


def test_a_shared_layer_gets_the_sum_of_the_copies_gradients() -> None:
    """The first step from one start: the shared layer moves by all the copies' moves together."""
    found = clones(4, 8, 1)
    total = found["copied"].moved.sum(dim=0)
    torch.testing.assert_close(found["shared"].moved[0], total, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("place", ["post", "pre"])
def test_parts_of_the_stream_sum_to_it(place: str) -> None:
    found = skips(6, 32, 1, place)
    assert found.place == place
    assert found.shares.shape == (13, 14)
    torch.testing.assert_close(found.shares.sum(dim=1), torch.ones(13, dtype=torch.float64))
    assert found.rest < 1e-5
    assert found.shares[0].tolist() == [1] + [0] * 13
    assert found.shares[1, 3:].abs().max() == 0  # nothing of what comes later


def test_a_share_recomputed_for_pre_norm() -> None:
    """Without norms on the stream a share is (f · x) / (x · x) for each word."""
    config = ModelConfig(vocabulary_size=1, d_model=8, n_heads=2, encoder_layers=1, d_ff=16,
                         norm_place="pre")  # fmt: skip
    model = build_seeded(lambda: Encoder(config))
    x = torch.randn(1, 3, 8, generator=torch.Generator().manual_seed(1))
    found = follow_skips(model, x)
    end = model(x, torch.ones(1, 1, 1, 3, dtype=torch.bool))[0].double()
    share = ((x[0].double() * end).sum(-1) / (end * end).sum(-1)).mean()
    assert float(found.shares[-1, 0]) == pytest.approx(float(share), rel=1e-5)


@pytest.mark.parametrize("formula", ["population", "sample"])
def test_norms_with_gains_and_shifts_are_followed(formula: str) -> None:
    config = ModelConfig(vocabulary_size=1, d_model=8, n_heads=2, encoder_layers=2, d_ff=16,
                         norm_formula=formula, norm_initial_shift=0.5)  # type: ignore[arg-type] # fmt: skip
    model = build_seeded(lambda: Encoder(config))
    for name, each in model.named_parameters():
        if name.endswith("gamma"):
            each.mul_(torch.linspace(0.5, 2, 8))
    found = follow_skips(model, torch.randn(1, 3, 8, generator=torch.Generator().manual_seed(2)))
    assert found.rest < 1e-5
    assert float(found.shares[-1, 1]) != 0  # β has its share
