"""Worked numbers of all steps but those inside the attention map, one maker for each kind."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.walk.bench import Bench
from core.walk.wires import Wire, before_dropout, tensor
from core.walk.worked import Worked, constant


def lookup(bench: Bench) -> Worked:
    """A row of the embedding table, §3.4."""
    batch, place, feature = bench.index
    word = bench.beside("ids", (batch, place))
    entry = bench.parameter("table.weight", (int(word.value), feature))
    assert entry is not None
    return bench.result("copy", entry.value, source=entry, id=word)


def embedding_scale(bench: Bench) -> Worked:
    """Times √d_model, §3.4, or times 1 in a model that does not scale."""
    config = bench.trace.config
    root = math.sqrt(config.d_model) if config.embedding_scale else 1.0
    symbol = r"\sqrt{d_{model}}" if config.embedding_scale else "1"
    word = bench.read(bench.step.inputs[0], bench.index)
    return bench.result("product", root * word.value, scale=constant(symbol, root), source=word)


def positions(bench: Bench) -> Worked:
    """A sine or a cosine of the position, §3.5, or a row of a learned table."""
    place, feature = bench.index
    config = bench.trace.config
    if config.positions == "learned":
        entry = bench.parameter("position_table.weight", (place, feature))
        assert entry is not None
        return bench.result("copy", entry.value, source=entry)
    half = config.d_model // 2
    cosine = feature >= half if config.positions == "halves" else feature % 2 == 1
    dimension = 2 * (feature % half) if config.positions == "halves" else feature - feature % 2
    if cosine and config.positions == "notes":
        dimension += 1
    angle = place / 10000 ** (dimension / config.d_model)
    value = math.cos(angle) if cosine else math.sin(angle)
    return bench.result(
        "wave", value, detail="cos" if cosine else "sin", position=constant("t", place),
        dimension=constant("2i + 1" if dimension % 2 else "2i", dimension),
        width=constant("D", config.d_model), angle=constant(r"\varphi", angle),
    )  # fmt: skip


def sum_of_two(bench: Bench) -> Worked:
    """Two summands: embedding and position, or stream and sub-layer (§3.1)."""
    first, second = bench.step.inputs
    left = bench.read(first, bench.index)
    positions = second.address.endswith("/positions")  # (S, D), the same for all of a batch
    right = bench.read(second, bench.index[1:] if positions else bench.index)
    summed = np.array([left.value, right.value])
    return bench.result("sum", left.value + right.value, summed, left=left, right=right)


def dropout(bench: Bench) -> Worked:
    """§5.4: kept or not, and what is left of a number."""
    rate = bench.trace.config.dropout
    share = constant("p", rate)
    if bench.name == "kept" and not bench.output.wire.form:
        kept = float(tensor(bench.trace, bench.output.wire)[bench.index])
        return bench.result("draw", kept, rate=share)  # by chance: nothing to work out
    mask = bench.beside("kept", bench.index)
    assert mask.wire is not None
    before = bench.read(before_dropout(mask.wire), bench.index)
    value = before.value * mask.value / (1 - rate)
    return bench.result("dropout", value, kept=mask, source=before, rate=share)


def norm(bench: Bench) -> Worked:
    """§5.4, Ba et al. 2016: mean, deviation, normalised, scaled and shifted."""
    *place, feature = bench.index
    config, row = bench.trace.config, tuple(place)
    sample = config.norm_formula == "sample"
    if bench.name == "mean":
        x = bench.read(bench.step.inputs[0], (*row, None))
        count = constant("D", x.values.size)
        return bench.result("mean", float(x.values.mean()), x.values, (x,), count=count)
    mean = bench.beside("mean", (*row, 0))
    if bench.name == "std":
        x = bench.read(bench.step.inputs[0], (*row, None))
        squares = np.square(x.values - mean.value)
        count = constant("D - 1" if sample else "D", x.values.size - sample)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(np.sqrt(squares.sum() / np.float64(count.value)))
        return bench.result("deviation", value, squares, (x,), mean=mean, count=count)
    if bench.name == "normalized":
        x, std = bench.read(bench.step.inputs[0], bench.index), bench.beside("std", (*row, 0))
        small = config.norm_epsilon
        below = std.value + small if sample else math.sqrt(std.value**2 + small)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(np.float64(x.value - mean.value) / np.float64(below))
        return bench.result("normalize", value, detail=config.norm_formula, source=x, mean=mean,
                            std=std, epsilon=constant(r"\varepsilon", small))  # fmt: skip
    hat = bench.beside("normalized", bench.index)
    gamma, beta = (bench.parameter(name, (feature,)) for name in ("gamma", "beta"))
    assert gamma is not None and beta is not None
    value = gamma.value * hat.value + beta.value
    return bench.result("affine", value, gamma=gamma, source=hat, beta=beta)


def linear(bench: Bench, enters: Wire, weight: str, bias: str) -> Worked:
    """A row of what enters times a column of a matrix, plus a bias where the model has one."""
    *row, column = bench.index
    x, w = bench.read(enters, (*row, None)), bench.parameter(weight, (column, None))
    assert w is not None
    b = bench.parameter(bias, (column,))
    products = x.values * w.values
    value = float(products.sum()) + (b.value if b else 0.0)
    return bench.result("linear", value, products, (x, w), bias=b)


def project(bench: Bench) -> Worked:
    """Q, K or V of all heads, before they are split (§3.2.2)."""
    enters = bench.step.inputs[0 if bench.name == "q" else -1]
    return linear(bench, enters, f"w_{bench.name}.weight", f"w_{bench.name}.bias")


def plain_linear(weight: str) -> Callable[[Bench], Worked]:
    """The maker of a linear map of the only input; "" for the generator's nameless one."""

    def make(bench: Bench) -> Worked:
        prefix = f"{weight}." if weight else ""
        return linear(bench, bench.step.inputs[0], f"{prefix}weight", f"{prefix}bias")

    return make


def split(bench: Bench) -> Worked:
    """One head's share of a row of Q, K or V."""
    batch, head, place, feature = bench.index
    joined = bench.step.inputs["qkv".index(bench.name)]
    source = bench.read(joined, (batch, place, head * bench.trace.config.d_k + feature))
    return bench.result("copy", source.value, source=source)


def concat(bench: Bench) -> Worked:
    """One head's share of the row that W^O reads."""
    batch, place, feature = bench.index
    head, within = divmod(feature, bench.trace.config.d_k)
    source = bench.read(bench.step.inputs[0], (batch, head, place, within))
    return bench.result("copy", source.value, source=source)


def memory(bench: Bench) -> Worked:
    """What the encoder hands over, unchanged."""
    source = bench.read(bench.step.inputs[0], bench.index)
    return bench.result("copy", source.value, source=source)
