"""The formulas of layer norm, ε's two places, broadcasting, and batch norm on a padded batch."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.norms import SPREADS, beside_batch_norm, layer_norms

X = np.random.default_rng(3).normal(size=(2, 3, 5))
PADDED = np.where(np.arange(3)[None, :, None] < np.array([3, 1])[:, None, None], X, 0.0)
EPSILON = 1e-3


@pytest.mark.parametrize("ddof, deviation", [(0, "population"), (1, "sample")])
@pytest.mark.parametrize("place", ["inside", "outside"])
def test_formulas_against_numpy(ddof: int, deviation: Any, place: Any) -> None:
    gamma, beta = [1, 2, 3, 4, 5], [0, 0, 0, 0, 1]
    found = layer_norms(X, gamma, beta, EPSILON).formulas[deviation, place]
    mean, std = X.mean(-1, keepdims=True), X.std(-1, ddof=ddof, keepdims=True)
    below = np.sqrt(std**2 + EPSILON) if place == "inside" else std + EPSILON
    np.testing.assert_allclose(found.mean, mean)
    np.testing.assert_allclose(found.std, std)
    np.testing.assert_allclose(found.divisor, below)
    np.testing.assert_allclose(found.normalized, (X - mean) / below)
    np.testing.assert_allclose(found.output, np.array(gamma) * (X - mean) / below + beta)
    np.testing.assert_allclose(found.spread, ((X - mean) / below).std(-1))
    assert found.of_model == (
        (deviation, place) in {("population", "inside"), ("sample", "outside")}
    )


def test_torch_agrees_with_the_first() -> None:
    found = layer_norms(X, epsilon=EPSILON).formulas["population", "inside"].output
    torch.testing.assert_close(found, functional.layer_norm(torch.tensor(X), (5,), eps=EPSILON))


def test_epsilon_matters_where_the_words_are_flat() -> None:
    found = layer_norms(X, epsilon=EPSILON)
    word = X[0, 0]
    for row, each in zip(found.curves, found.formulas.values(), strict=True):
        ddof = 0 if each.deviation == "population" else 1
        for at, factor in enumerate(SPREADS):
            rows = word * factor
            std = rows.std(ddof=ddof)
            below = np.sqrt(std**2 + EPSILON) if each.place == "inside" else std + EPSILON
            assert float(row[at]) == pytest.approx(rows.std() / below, rel=1e-9)
    assert found.curves[0, 0] < 0.1 < 0.99 < found.curves[0, -1]


def test_forgetting_keepdim() -> None:
    assert not layer_norms(X).keepdim_missed  # (2, 3, 5) − (2, 3): torch refuses
    square = np.arange(9.0).reshape(1, 3, 3) ** 2  # (1, 3, 3) − (1, 3): no error, wrong means
    assert layer_norms(square).keepdim_missed
    wrong = square - square.mean(-1)[:, None, :]
    assert not np.allclose(wrong, square - square.mean(-1, keepdims=True))


def test_batch_norm_against_torch() -> None:
    found = beside_batch_norm(PADDED, [3, 1], EPSILON)
    flat = torch.tensor(PADDED).flatten(0, 1)
    wanted = functional.batch_norm(flat, None, None, training=True, eps=EPSILON)
    torch.testing.assert_close(found.batch.normalized.flatten(0, 1), wanted)
    layer = functional.layer_norm(torch.tensor(PADDED), (5,), eps=EPSILON)
    torch.testing.assert_close(found.layer.normalized, layer)
    assert found.real.tolist() == [[True] * 3, [True, False, False]]
    assert found.batch.mean.shape == (5,)
    assert found.layer.mean.shape == (2, 3, 1)


def test_who_moves_whom() -> None:
    found = beside_batch_norm(PADDED, [3, 1], EPSILON)

    def batch_norm(rows: Any) -> Any:
        return (rows - rows.mean(0)) / np.sqrt(rows.var(0) + EPSILON)

    whole = batch_norm(PADDED.reshape(-1, 5)).reshape(2, 3, 5)
    neighbours = np.abs(batch_norm(PADDED[0]) - whole[0]).max()
    real = found.real.numpy()
    padding = np.abs(batch_norm(PADDED[real]) - whole[real]).max()
    assert found.layer.moved_by_neighbours == found.layer.moved_by_padding == 0
    assert found.batch.moved_by_neighbours == pytest.approx(neighbours)
    assert found.batch.moved_by_padding == pytest.approx(padding)
    assert min(neighbours, padding) > 0.1
    assert beside_batch_norm(PADDED).batch.moved_by_padding == 0  # all counted as words


@pytest.mark.parametrize(
    "call, key",
    [
        (partial(layer_norms, [[[1]]]), "lab_shape"),
        (partial(layer_norms, [[1, 2]]), "lab_number"),
        (partial(layer_norms, X, gamma=[1]), "lab_shape"),
        (partial(layer_norms, X, beta=["a"]), "lab_number"),
        (partial(layer_norms, X, epsilon=-1), "lab_range"),
        (partial(layer_norms, np.zeros((9, 9, 16))), "lab_large"),
        (partial(beside_batch_norm, X, lengths=[1]), "lab_shape"),
        (partial(beside_batch_norm, X, lengths=[1, 4]), "lab_whole"),
    ],
)
def test_refusals(call: Callable[[], Any], key: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        call()
    assert refused.value.key == key
