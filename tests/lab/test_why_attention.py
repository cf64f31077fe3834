"""An RNN, convolutions and attention: paths, gradients, Table 1 and the race."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.why_attention import (
    attend_to_all,
    connected_layer,
    dilations_needed,
    layers_to_time,
    run_recurrent,
    run_routes,
    table_one,
    time_layers,
    untrained_layers,
)

N, D, K, SEED = 9, 8, 3, 2


def words() -> Tensor:
    generator = torch.Generator().manual_seed(SEED)
    return torch.randn(N, D, generator=generator, dtype=torch.float64)


def found(kind: str) -> Any:
    return next(each for each in run_routes(N, D, K, SEED, window=3) if each.kind == kind)


def test_paths_by_counting() -> None:
    back = torch.arange(N - 1, -1, -1)  # how far each word is from the last
    assert found("recurrent").path.tolist() == (back + 1).tolist()
    assert found("attention").path.tolist() == found("connected").path.tolist() == [1] * N
    contiguous = [max(1, math.ceil(each / (K - 1))) for each in back.tolist()]
    assert found("convolution").path.tolist() == contiguous
    assert found("restricted").path.tolist() == contiguous  # r = k: it reaches as far
    # one layer reaches 2 words back, two layers 2 + 2 · 3 = 8
    assert found("dilated").path.tolist() == [1 if each <= 2 else 2 for each in back.tolist()]
    assert [int(each.path.max()) for each in run_routes(N, D, K, SEED, window=3)] == [
        9,
        4,
        2,
        1,
        1,
        4,
    ]
    assert [each.sequential for each in run_routes(N, D, K, SEED, window=3)] == [9, 4, 2, 1, 1, 4]
    assert [each.layers for each in run_routes(N, D, K, SEED, window=3)] == [1, 4, 2, 1, 1, 4]


@pytest.mark.parametrize("kernel, length", [(2, 2), (2, 17), (3, 27), (3, 28), (9, 32)])
def test_the_stack_is_no_higher_than_needed(kernel: int, length: int) -> None:
    assert len(dilations_needed("convolution", length, kernel)) == math.ceil(
        (length - 1) / (kernel - 1)
    )
    layers = len(dilations_needed("dilated", length, kernel))
    assert kernel**layers >= length
    assert layers == 1 or kernel ** (layers - 1) < length


def differences(run: Callable[[Tensor], Tensor]) -> list[float]:
    """The norms of ∂ run(x) / ∂ x[i] by central differences."""
    x, step = words(), 1e-6
    norms = []
    for at in range(N):
        columns = []
        for feature in range(D):
            up, down = x.clone(), x.clone()
            up[at, feature] += step
            down[at, feature] -= step
            columns.append((run(up) - run(down)) / (2 * step))
        norms.append(float(torch.stack(columns).norm()))
    return norms


def test_gradients_by_differences() -> None:
    layers = untrained_layers(D, K, SEED)

    def dilated(x: Tensor) -> Tensor:
        rows = x.T[None]
        for spacing in (1, 3):
            rows = functional.pad(rows, (2 * spacing, 0))
            rows = torch.tanh(functional.conv1d(rows, layers.convolution.weight, dilation=spacing))
        return rows[0, :, -1]

    def nearby(x: Tensor) -> Tensor:
        """Torch's own attention of each word to itself and the two before it."""
        parts, places = layers.attention, torch.arange(N)
        apart = places[:, None] - places
        for _ in range(4):
            q, k, v = (
                w(x).view(N, 4, D // 4).transpose(0, 1) for w in (parts.w_q, parts.w_k, parts.w_v)
            )
            heads = functional.scaled_dot_product_attention(q, k, v, (apart >= 0) & (apart < 3))
            x = parts.w_o(heads.transpose(0, 1).flatten(1))
        return x[-1]

    dense = connected_layer(N, D, SEED, torch.float64)
    assert sum(each.numel() for each in dense.parameters()) == (N * D) ** 2 + N * D
    runs: dict[str, Callable[[Tensor], Tensor]] = {
        "recurrent": lambda x: layers.recurrent(x)[0][-1],
        "attention": lambda x: attend_to_all(layers.attention, x[None])[0, -1],
        "dilated": dilated,
        "restricted": nearby,
        "connected": lambda x: (x.flatten() @ dense.weight.T + dense.bias)[-D:],
    }
    for kind, run in runs.items():
        assert found(kind).gradients.tolist() == pytest.approx(differences(run), rel=1e-4, abs=1e-8)


def test_the_loop_is_the_rnn_of_torch() -> None:
    layer = untrained_layers(D, K, SEED).recurrent
    stepped = torch.stack(run_recurrent(layer, words()[None]), dim=1)
    torch.testing.assert_close(stepped, layer(words()[None])[0])


def test_what_the_figure_shows() -> None:
    rnn, _, _, attention, _, sparse = run_routes()
    assert rnn.gradients[0] < 1e-3 * rnn.gradients[-1]  # forgotten on the way
    others = attention.gradients[:-1]  # the last word also asks: its own gradient is larger
    assert others.max() < 20 * others.min()
    assert sparse.gradients[0] < others.min()  # through four layers in place of one
    full = run_routes(window=24)[-1]
    assert (full.layers, int(full.path.max())) == (1, 1)


def test_table_one() -> None:
    rows = {each.layer: each for each in table_one(512, 64, 4, 16)}
    assert list(rows) == ["attention", "recurrent", "convolution", "restricted", "connected"]
    cost, sequential, path = zip(*(each.values for each in rows.values()), strict=True)
    assert cost == (512**2 * 64, 512 * 64**2, 4 * 512 * 64**2, 16 * 512 * 64, 512**2 * 64**2)
    assert sequential == (1, 512, 1, 1, 1)
    assert path == pytest.approx([1, 512, 4.5, 32, 1])


def ticks(step: float) -> Callable[[], float]:
    times: Iterator[float] = iter(step * each for each in range(10**6))
    return lambda: next(times)


def test_the_race_with_a_clock_of_ours() -> None:
    told: list[float] = []
    done = time_layers([2, 4], width=8, limit=1, clock=ticks(0.001), report=told.append)
    assert told == [0.5, 1.0]
    assert done.lengths.tolist() == [2, 4]
    for times in done.seconds.values():
        assert times.tolist() == pytest.approx([0.001, 0.001])
    large = time_layers([2, 1024], width=8, limit=1, clock=ticks(0.001))
    assert large.seconds["connected"].isnan().tolist() == [False, True]  # 67 million weights
    assert not large.seconds["attention"].isnan().any()
    cut = time_layers([2, 4], width=8, limit=0.1, clock=ticks(0.01))
    assert not cut.seconds["recurrent"][0].isnan()
    assert cut.seconds["attention"][1].isnan()


def test_what_runs_in_the_race() -> None:
    x = torch.randn(2, 6, 8)
    for run in layers_to_time(8, 3).values():
        assert run(x).shape == (2, 6, 8)
    layer = untrained_layers(8, 3, 0, torch.float32)
    torch.testing.assert_close(
        torch.stack(run_recurrent(layer.recurrent, x), dim=1), layers_to_time(8, 3)["recurrent"](x)
    )


@pytest.mark.parametrize(
    "call, key",
    [
        (partial(run_routes, 1), "lab_whole"),
        (partial(run_routes, 33), "lab_whole"),
        (partial(run_routes, 8, 6), "lab_shape"),
        (partial(run_routes, 8, 8, "three"), "lab_number"),
        (partial(table_one, 0, 1), "lab_whole"),
        (partial(run_routes, 8, 8, window=2), "lab_whole"),
    ],
)
def test_refusals(call: Callable[[], Any], key: str) -> None:
    with pytest.raises(GlassformerError) as refused:
        call()
    assert refused.value.key == key
