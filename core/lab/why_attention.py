"""Why attention (§4): how a word travels, Table 1, and a race, in six kinds of layers."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from glassformer.core.config import ModelConfig
from glassformer.core.lab.inputs import read_whole_number
from glassformer.core.lab.parts import EVERYTHING, build_seeded
from glassformer.core.model.attention import MultiHeadAttention

Kind = Literal["recurrent", "convolution", "dilated", "attention", "connected", "restricted"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HEADS = 4
LONGEST = 32  # words of a measured gradient
WINDOW = 8  # r of restricted attention
MOST_WEIGHTS = 2**24  # of a fully connected layer in the race: (n d)²


@dataclass(frozen=True)
class Route:
    """How the last output depends on every word, in one kind of layer; words count from 0."""

    kind: Kind
    gradients: Tensor  # (n,) ‖∂ last output / ∂ word i‖ (Frobenius)
    path: Tensor  # (n,) steps between word i and the last output, by gradients that are not 0
    sequential: int  # operations that had to wait for the one before
    layers: int  # that the measured network has


@dataclass(frozen=True)
class Parts:
    """The measured layers, with the same width and starting alike."""

    recurrent: nn.RNN
    convolution: nn.Conv1d
    attention: MultiHeadAttention
    seed: int  # of all of them


def run_routes(
    length: Any = 24, width: Any = 16, kernel: Any = 3, seed: int = 0, window: Any = WINDOW
) -> tuple[Route, ...]:
    """Runs each kind on the same random words and sends gradients back from the last output (§4).

    The convolutions look at the word and those before it; as many layers are stacked as the last
    output needs to see the first word, with the same weights; `dilated` spaces the kernel k times
    wider from layer to layer. Restricted attention is stacked, too, each word looking at the
    nearest up to itself: a sparse mask.

    Args:
        length: n, 2 to 32 words.
        width: d, 4 to 16, a multiple of 4.
        kernel: k, 2 to 9.
        seed: of the weights and the words.
        window: r, 3 to 32 words that restricted attention looks at, itself one of them.

    Returns:
        One a kind, in the order of `KINDS`.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    words, span = (
        read_whole_number("length", length, 2, LONGEST),
        read_whole_number("kernel", kernel, 2, 9),
    )
    wide = read_whole_number("width", width, 4, 16, multiple_of=HEADS)
    layers = untrained_layers(wide, span, seed)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(words, wide, generator=generator, dtype=torch.float64)  # (n, d)
    near = read_whole_number("window", window, 3, LONGEST)
    spans = dict.fromkeys(KINDS, span) | {"restricted": near}
    return tuple(_route(kind, layers, x, spans[kind]) for kind in KINDS)


@lru_cache(maxsize=8)
def untrained_layers(
    width: int, kernel: int, seed: int, dtype: torch.dtype = torch.float64
) -> Parts:
    """The untrained layers; attention has 4 heads.

    Args:
        width: d, a multiple of 4.
        kernel: k, of the convolution.
        seed: of the weights.
        dtype: of the weights.

    Returns:
        The layers, shared by all who ask for them: not to be written to.
    """
    config = ModelConfig(vocabulary_size=1, d_model=width, n_heads=HEADS)
    return Parts(
        build_seeded(lambda: nn.RNN(width, width, batch_first=True), seed).to(dtype),
        build_seeded(lambda: nn.Conv1d(width, width, kernel), seed).to(dtype),
        build_seeded(lambda: MultiHeadAttention(config), seed).to(dtype),
        seed,
    )


def connected_layer(length: int, width: int, seed: int, dtype: torch.dtype) -> nn.Linear:
    """An untrained fully connected layer: one linear map from all numbers of all words to as many.

    Args:
        length: n words; the layer fits no other number of them.
        width: d.
        seed: of the weights.
        dtype: of the weights.

    Returns:
        The layer, with (n d)² weights.
    """
    size = length * width
    return build_seeded(lambda: nn.Linear(size, size), seed).to(dtype)


def connect_all(layer: nn.Linear, x: Tensor) -> Tensor:
    """All words as one long vector through a fully connected layer.

    Args:
        layer: as `connected_layer` makes it.
        x: (B, n, d).

    Returns:
        (B, n, d).
    """
    found: Tensor = layer(x.flatten(1)).view(x.shape)
    return found


def run_recurrent(layer: nn.RNN, x: Tensor) -> list[Tensor]:
    """h_t = tanh(W x_t + b + U h_{t−1} + c), step by step from an empty state.

    Args:
        layer: gives W, U and the biases.
        x: (B, n, d).

    Returns:
        n states, (B, d) each.
    """
    names = ("weight_ih_l0", "bias_ih_l0", "weight_hh_l0", "bias_hh_l0")
    w, b, u, c = (layer.get_parameter(name) for name in names)
    state, states = torch.zeros_like(x[:, 0]), []
    for word in x.unbind(dim=1):
        state = torch.tanh(functional.linear(word, w, b) + functional.linear(state, u, c))
        states.append(state)
    return states


def run_convolutions(layer: nn.Conv1d, x: Tensor, spacings: list[int]) -> list[Tensor]:
    """Causal convolutions stacked, tanh after each.

    Args:
        layer: its kernel and bias, the same in every layer.
        x: (B, n, d).
        spacings: the dilation of each layer, from the lowest on.

    Returns:
        Every layer's output, (B, n, d) each.
    """
    rows, outputs = x.mT, []  # (B, d, n)
    for spacing in spacings:
        padded = functional.pad(rows, ((layer.kernel_size[0] - 1) * spacing, 0))
        rows = torch.tanh(functional.conv1d(padded, layer.weight, layer.bias, dilation=spacing))
        outputs.append(rows.mT)
    return outputs


def attend_to_all(layer: MultiHeadAttention, x: Tensor) -> Tensor:
    """The model's self-attention, every word looking at all.

    Args:
        layer: the attention.
        x: (B, n, d).

    Returns:
        (B, n, d).
    """
    found: Tensor = layer(x, x, EVERYTHING.to(x.device))
    return found


def attend_nearby(layer: MultiHeadAttention, x: Tensor, window: int, times: int) -> list[Tensor]:
    """Self-attention with a sparse mask, stacked: each word looks at the nearest up to itself.

    Args:
        layer: the attention, the same in every layer.
        x: (B, n, d).
        window: r, words that a word looks at, itself one of them.
        times: layers.

    Returns:
        Every layer's output, (B, n, d) each.
    """
    rows, outputs = x, []
    mask = x.new_ones(x.size(1), x.size(1), dtype=torch.bool).tril().triu(1 - window)
    for _ in range(times):
        rows = layer(rows, rows, mask[None, None])
        outputs.append(rows)
    return outputs


def dilations_needed(kind: Kind, length: int, kernel: int) -> list[int]:
    """The dilation of each convolution that the last word needs to reach the first.

    Args:
        kind: "convolution", contiguous ones, or "restricted" attention, which reaches as far; any
            other is read as "dilated".
        length: n words.
        kernel: k, or r, at least 2.

    Returns:
        One a layer, from the lowest on.
    """
    if kind in ("convolution", "restricted"):
        return [1] * math.ceil((length - 1) / (kernel - 1))
    found, reach = [1], kernel  # dilated: k words, then k², k³, …
    while reach < length:
        found.append(reach)
        reach *= kernel
    return found


def _route(kind: Kind, layers: Parts, words: Tensor, kernel: int) -> Route:
    waits = _waits(kind, words.size(0), kernel)
    seen, home = _gradients(kind, layers, words, kernel, waits)
    if kind == "recurrent":
        path = seen.sum(dim=0)  # each later state passes the word on
    else:
        first = seen.int().argmax(dim=0) + 1  # the smallest stack that sees it
        path = torch.where(seen.any(dim=0), first, 0)
    return Route(
        kind=kind,
        gradients=home.norm(dim=(0, 2)),
        path=path,
        sequential=waits,
        layers=1 if kind == "recurrent" else waits,
    )


def _gradients(
    kind: Kind, layers: Parts, words: Tensor, kernel: int, waits: int
) -> tuple[Tensor, Tensor]:
    """Which words (n, d) each stage sees, bool (stages, n), and ∂ last output / ∂ words, (d, n, d).

    One pass over as many copies of the sentence as gradients are asked for: each has its own.
    """
    width = words.size(1)
    with torch.enable_grad():
        x = words.expand(waits + width, *words.shape).clone().requires_grad_()  # (copies, n, d)
        stages = _stages(kind, layers, x, kernel)  # each (copies, d)
        reached = torch.stack([stage[at].sum() for at, stage in enumerate(stages)]).sum()
        last = stages[-1][waits:].diagonal().sum()  # copy i asks for feature i
        (found,) = torch.autograd.grad(reached + last, x)
    return (found[:waits] != 0).any(dim=-1), found[waits:]


def _waits(kind: Kind, length: int, kernel: int) -> int:
    """How many stages the last output waits for."""
    if kind == "recurrent":
        return length
    return 1 if kind in ("attention", "connected") else len(dilations_needed(kind, length, kernel))


def _stages(kind: Kind, layers: Parts, x: Tensor, kernel: int) -> list[Tensor]:
    """What the last output of (B, n, d) waits for, in order: (B, d) each."""
    if kind == "recurrent":
        return run_recurrent(layers.recurrent, x)
    if kind == "attention":
        return [attend_to_all(layers.attention, x)[:, -1]]
    if kind == "connected":
        joined = connected_layer(x.size(1), x.size(2), layers.seed, x.dtype)
        return [connect_all(joined, x)[:, -1]]
    spacings = dilations_needed(kind, x.size(1), kernel)
    if kind == "restricted":
        stack = attend_nearby(layers.attention, x, kernel, len(spacings))
    else:
        stack = run_convolutions(layers.convolution, x, spacings)
    return [rows[:, -1] for rows in stack]


REPEATS = 3


@dataclass(frozen=True)
class Race:
    """Seconds of one layer for each length; NaN where the time was up before, or memory."""

    lengths: Tensor  # (N,) whole numbers
    seconds: dict[Kind, Tensor]  # (N,) each, the best of three

    @property
    def overtaken(self) -> int | None:
        """The length from which on attention was slower than the RNN at all lengths reached."""
        attention, recurrent = self.seconds["attention"], self.seconds["recurrent"]
        reached = ~(attention + recurrent).isnan()
        slower = zip(self.lengths[reached], (attention > recurrent)[reached], strict=True)
        lost = takewhile(lambda pair: pair[1], reversed(list(slower)))
        return min((int(length) for length, _ in lost), default=None)


def time_layers(
    lengths: Sequence[int],
    width: int,
    kernel: int = 3,
    limit: float = 0.8,
    clock: Callable[[], float] = time.perf_counter,
    report: Callable[[float], object] = lambda _share: None,
) -> Race:
    """Runs a layer of each kind over random words, shorter ones first, until the time is up.

    The RNN is torch's own (`torch.nn.RNN`), not a loop in Python; attention is the model's.

    Args:
        lengths: n of each race, from short to long.
        width: d, a multiple of 4.
        kernel: k, of the convolution.
        limit: seconds; one more run may be under way when they are over.
        clock: gives seconds.
        report: is told what share of the lengths is done, 0 to 1, after each.

    Returns:
        The best time of three for each kind and length; NaN where the time was up before, and for
        a fully connected layer of more than `MOST_WEIGHTS`.
    """
    until, runs = clock() + limit, layers_to_time(width, kernel)
    seconds: dict[Kind, list[float]] = {kind: [] for kind in runs}
    generator = torch.Generator().manual_seed(0)
    with torch.inference_mode():
        for run in runs.values():
            run(torch.zeros(1, 2, width))  # the first run of anything is slow
        for done, size in enumerate(lengths, start=1):
            x = torch.randn(1, size, width, generator=generator)  # (1, n, d)
            for kind, run in runs.items():
                fits = kind != "connected" or (size * width) ** 2 <= MOST_WEIGHTS
                seconds[kind].append(_best(run, x, until, clock) if fits else float("nan"))
            report(done / len(lengths))
    times = {kind: torch.tensor(found, dtype=torch.float64) for kind, found in seconds.items()}
    return Race(torch.tensor(lengths), times)


def layers_to_time(width: int, kernel: int) -> dict[Kind, Callable[[Tensor], Tensor]]:
    """One float32 layer of each kind, ready to be timed.

    Args:
        width: d, a multiple of 4.
        kernel: k, of the convolution.

    Returns:
        By kind, a function (B, n, d) -> (B, n, d); there is no dilated one.
    """
    layers = untrained_layers(width, kernel, 0, torch.float32)
    connected = lru_cache(maxsize=1)(lambda n: connected_layer(n, width, 0, torch.float32))
    return {
        "recurrent": lambda x: layers.recurrent(x)[0],
        "convolution": lambda x: run_convolutions(layers.convolution, x, [1])[0],
        "attention": lambda x: attend_to_all(layers.attention, x),
        "connected": lambda x: connect_all(connected(x.size(1)), x),
    }


def _best(
    run: Callable[[Tensor], Tensor], x: Tensor, until: float, clock: Callable[[], float]
) -> float:
    times = []
    for _ in range(REPEATS):
        start = clock()
        if start >= until:
            break
        run(x)
        times.append(clock() - start)
    return min(times, default=float("nan"))


LayerType = Literal["attention", "recurrent", "convolution", "restricted", "connected"]


@dataclass(frozen=True)
class Bound:
    """One row: three formulas as printed, and each without its O for given n, d, k and r.

    They are the multiplications of one layer, the operations that wait for the one before, and the
    maximum path length; contiguous convolutions need n / k, dilated ones log_k n.
    """

    layer: LayerType
    formulas: tuple[str, str, str]  # LaTeX
    values: tuple[float, float, float]


def table_one(length: Any, width: Any, kernel: Any = 3, window: Any = WINDOW) -> tuple[Bound, ...]:
    """Table 1 of §4 for one size of layer, in the paper's order, and a fully connected layer.

    Args:
        length: n words, 1 to 10⁶.
        width: d, 1 to 10⁵.
        kernel: k, 2 to 1000.
        window: r, the neighbourhood of restricted attention, 1 to 10⁶; no more than n counts.

    Returns:
        A row a type of layer.

    Raises:
        GlassformerError: `lab_…`, as `core.lab.inputs`.
    """
    n, d = (
        read_whole_number("length", length, 1, 10**6),
        read_whole_number("width", width, 1, 10**5),
    )
    k = read_whole_number("kernel", kernel, 2, 1000)
    r = min(read_whole_number("window", window, 1, 10**6), n)
    return (
        Bound("attention", (r"O(n^2 \cdot d)", "O(1)", "O(1)"), (n * n * d, 1, 1)),
        Bound("recurrent", (r"O(n \cdot d^2)", "O(n)", "O(n)"), (n * d * d, n, n)),
        Bound(
            "convolution",
            (r"O(k \cdot n \cdot d^2)", "O(1)", r"O(\log_k(n))"),
            (k * n * d * d, 1, max(1.0, math.log(n, k))),
        ),
        Bound("restricted", (r"O(r \cdot n \cdot d)", "O(1)", "O(n/r)"), (r * n * d, 1, n / r)),
        Bound("connected", (r"O(n^2 \cdot d^2)", "O(1)", "O(1)"), (n * n * d * d, 1, 1)),
    )
