"""Scaling, what could stand in softmax's place, and the soft dictionary."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.dictionary import TEMPERATURES, look_up
from glassformer.core.lab.parts import jacobian
from glassformer.core.lab.softmax import measure_scaling, normalisers, normalize_scores, one_row


def softmax(scores: Any) -> Any:
    exact = np.exp(np.asarray(scores, dtype=np.float64))
    return exact / exact.sum(axis=-1, keepdims=True)


def test_scaling_against_numpy() -> None:
    found = measure_scaling(9, 3, widths=(2,), queries=5, seed=4)
    assert found.widths == (2, 9)
    generator = torch.Generator().manual_seed(4)
    q = torch.randn(5, 1, 9, generator=generator).double().numpy()
    k = torch.randn(5, 3, 9, generator=generator).double().numpy()
    for at, width in enumerate((2, 9)):
        raw = (q[..., :width] * k[..., :width]).sum(-1)  # (5, 3)
        for side, scores in ((found.raw, raw), (found.scaled, raw / math.sqrt(width))):
            w = softmax(scores)
            entropy = -(w * np.log(w)).sum(-1).mean()
            jacobian = np.einsum("qi,ij->qij", w, np.eye(3)) - w[:, :, None] * w[:, None, :]
            gradient = np.sqrt((jacobian**2).sum((1, 2))).mean()
            assert float(side.spread[at]) == pytest.approx(scores.std(ddof=1), rel=1e-4)
            assert float(side.entropy[at]) == pytest.approx(entropy, abs=1e-5)
            assert float(side.gradient[at]) == pytest.approx(gradient, abs=1e-5)
    assert found.most == pytest.approx(math.log(3))


def test_scaling_shows_what_the_paper_says() -> None:
    found = measure_scaling()
    roots = [math.sqrt(width) for width in found.widths]
    np.testing.assert_allclose(found.raw.spread, roots, rtol=0.12)  # variance d_k
    np.testing.assert_allclose(found.scaled.spread, 1, rtol=0.12)
    assert found.raw.entropy[-1] < 0.1 * found.most < found.scaled.entropy[-1]
    assert found.raw.gradient[-1] < 0.3 * found.scaled.gradient[-1]
    torch.testing.assert_close(measure_scaling(seed=0).raw.spread, found.raw.spread, rtol=0, atol=0)


def test_the_row_of_the_notes() -> None:
    row = one_row([112, 96], 64)
    assert row.scores.tolist() == [[112, 96], [14, 12]]
    assert row.weights[1].tolist() == pytest.approx(softmax([2, 0]))
    assert float(row.weights[1].max()) == pytest.approx(0.8808, abs=5e-5)
    w = 1 / (1 + math.exp(16))
    assert float(row.made.gradient[0]) == pytest.approx(2 * w * (1 - w), rel=1e-6)
    assert float(row.made.entropy[0]) < 1e-5


def test_normalisers_by_hand() -> None:
    found = {each.key: each for each in normalisers([3, 1, -2], shift=1, stretch=2)}
    np.testing.assert_allclose(found["softmax"].weights, softmax([3, 1, -2]))
    np.testing.assert_allclose(found["relu"].weights, [3, 1, 0])
    np.testing.assert_allclose(found["sigmoid"].weights, 1 / (1 + np.exp([-3, -1, 2])))
    np.testing.assert_allclose(found["l2"].weights, np.array([3, 1, -2]) / math.sqrt(14))
    np.testing.assert_allclose(found["relu"].shifted, [4, 2, 0])
    np.testing.assert_allclose(found["relu"].stretched, [6, 2, 0])
    w = softmax([3, 1, -2])
    row = torch.tensor([3.0, 1, -2], dtype=torch.float64)
    slopes = {how: jacobian(partial(normalize_scores, how=how), row) for how in ("softmax", "relu")}
    np.testing.assert_allclose(slopes["softmax"], np.diag(w) - np.outer(w, w), atol=1e-12)
    np.testing.assert_allclose(slopes["relu"], np.diag([1.0, 1.0, 0.0]))
    assert found["l2"].weights.norm() == pytest.approx(1)
    kept = ("sums_to_one", "never_negative", "competes", "unmoved_by_shift", "unmoved_by_stretch")
    assert {key: tuple(each.keeps[name] for name in kept) for key, each in found.items()} == {
        "softmax": (True, True, True, True, False),
        "relu": (False, True, False, False, False),
        "sigmoid": (False, True, False, False, False),
        "l2": (False, False, True, False, True),
    }


def test_look_up_against_numpy() -> None:
    keys, values, query = [[1, 2, 0], [0, -1, 1], [2, 2, 2]], [[1, 0], [0, 1], [5, 5]], [1, 1, 0]
    found = look_up(query, keys, values, temperature=0.75)
    scores = np.array(keys) @ np.array(query)
    np.testing.assert_allclose(found.scores, scores)
    np.testing.assert_allclose(found.scaled, scores / math.sqrt(3))
    w = softmax(scores / math.sqrt(3) / 0.75)
    np.testing.assert_allclose(found.weights, w)
    np.testing.assert_allclose(found.soft, w @ np.array(values))
    np.testing.assert_allclose(found.terms, w[:, None] * np.array(values))
    heats = sorted([*TEMPERATURES, 0.75])
    curve = softmax(scores / math.sqrt(3) / np.array(heats)[:, None])
    assert found.temperatures.tolist() == heats
    np.testing.assert_allclose(found.by_temperature, curve)
    np.testing.assert_allclose(found.answers, curve @ np.array(values))
    assert found.nearest == 2
    assert found.exact is None
    assert found.hard.tolist() == [5, 5]


def test_hard_is_the_cold_end_and_the_mean_the_hot_one() -> None:
    cold, hot = look_up(temperature=0.01), look_up(temperature=1000)
    torch.testing.assert_close(cold.soft, cold.hard, atol=1e-6, rtol=0)
    torch.testing.assert_close(hot.soft, hot.mean, atol=0.02, rtol=0)
    assert look_up(query=[2.4, 0.4]).exact == 1  # the very key of banana: but not the best score
    assert look_up(query=[2.4, 0.4]).nearest == 0


@pytest.mark.parametrize(
    "call, key",
    [
        (partial(measure_scaling, 0), "lab_whole"),
        (partial(measure_scaling, 513), "lab_whole"),
        (partial(measure_scaling, keys=1), "lab_whole"),
        (partial(one_row, [1, "x"], 4), "lab_number"),
        (partial(one_row, [1, 2], 0), "lab_range"),
        (partial(normalisers, []), "lab_empty"),
        (partial(normalisers, [0] * 33), "lab_large"),
        (partial(look_up, query=[1]), "lab_shape"),
        (partial(look_up, values=[[1]]), "lab_shape"),
        (partial(look_up, temperature=0), "lab_range"),
    ],
)
def test_refusals(call: Callable[[], Any], key: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        call()
    assert refused.value.key == key
