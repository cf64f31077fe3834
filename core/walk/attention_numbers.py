"""Worked numbers of the attention map, of activations and of the choice, one maker for each."""

from __future__ import annotations

import math

import numpy as np

from core.config import Activation
from core.walk.bench import Bench
from core.walk.worked import Form, Operand, Worked, constant

_FILLS = {"large_negative": -1e9, "minus_infinity": -math.inf, "additive": -math.inf}


def scores(bench: Bench) -> Worked:
    """Q Kᵀ, §3.2.1: the products of one query's and one key's features."""
    batch, head, query, key = bench.index
    q = bench.read(bench.step.inputs[0], (batch, head, query, None))
    k = bench.read(bench.step.inputs[1], (batch, head, key, None))
    products = q.values * k.values
    return bench.result("dot", float(products.sum()), products, (q, k))


def scale(bench: Bench) -> Worked:
    """Divided by √d_k, §3.2.1."""
    score, root = bench.read(bench.step.inputs[0], bench.index), math.sqrt(bench.trace.config.d_k)
    below = constant(r"\sqrt{d_k}", root)
    return bench.result("divide", score.value / root, source=score, divisor=below)


def mask(bench: Bench) -> Worked:
    """§3.2.3: whether the query may look at the key, and what stands in the map then."""
    batch, _, query, key = bench.index
    config = bench.trace.config
    if bench.name == "mask":
        word, pad = bench.read(bench.step.inputs[1], (batch, key)), config.pad_id
        begins = _is_causal(bench) and key == 0  # the begin token, never padding
        real = word.value != pad or begins
        allowed = real and (not _is_causal(bench) or key <= query)
        return bench.result(
            "allow", float(allowed), detail="causal" if _is_causal(bench) else "padding",
            id=word, pad=constant(r"\mathrm{pad}", pad), query=constant("t", query),
            key=constant("s", key),
        )  # fmt: skip
    scaled, may = bench.read(bench.step.inputs[0], bench.index), bench.beside("mask", bench.index)
    fill = constant("-10^9" if config.mask_fill == "large_negative" else r"-\infty",
                    _FILLS[config.mask_fill])  # fmt: skip
    value = scaled.value if may.value else fill.value
    return bench.result("fill", value, detail=config.mask_fill, source=scaled, mask=may, fill=fill)


def softmax(bench: Bench) -> Worked:
    """§3.2.1: e to the score, beside all of the row's."""
    *_, key = bench.index
    row = bench.read(bench.step.inputs[0], (*bench.index[:-1], None))
    return _softmax(bench, row, key)


def probabilities(bench: Bench) -> Worked:
    """§3.4: the logits of a row, made to sum to 1."""
    *place, word = bench.index
    return _softmax(bench, bench.read(bench.step.inputs[0], (*place, None)), word)


def context(bench: Bench) -> Worked:
    """A V, §3.2.1: the values, each as much as its weight says."""
    batch, head, query, feature = bench.index
    weights = bench.read(bench.step.inputs[0], (batch, head, query, None))
    v = bench.read(bench.step.inputs[1], (batch, head, None, feature))
    products = weights.values * v.values
    return bench.result("dot", float(products.sum()), products, (weights, v))


def activation(bench: Bench) -> Worked:
    """§3.3's non-linearity of one hidden number."""
    x, name = bench.read(bench.step.inputs[0], bench.index), bench.trace.config.activation
    return bench.result("activate", _activated(x.value, name), detail=name, source=x)


def choice(bench: Bench) -> Worked:
    """The word of a row: chosen by its probability, or given; `better` were more probable.

    What was more probable and not taken is a word that may not be written here.
    """
    batch, place = bench.index
    row = bench.read(bench.step.inputs[0], (batch, place, None))
    steps = bench.trace.steps
    known = bench.trace.vocabulary.index(bench.trace.output_pieces[place])
    taken = steps[place].chosen if steps else known
    own = row.values[taken]
    better = constant("n", float((row.values > own).sum()))
    form: Form = "choice" if steps else "given"
    return bench.result(form, float(taken), row.values, (row,), taken, better=better,
                        probability=constant("p", float(own), row.role))  # fmt: skip


def _is_causal(bench: Bench) -> bool:
    return bench.step.stage == "decoder" and bench.step.sublayer == "self_attention"


def _softmax(bench: Bench, row: Operand, at: int) -> Worked:
    with np.errstate(over="ignore", invalid="ignore"):
        shifted = np.exp(row.values - row.values.max())
        value = float(shifted[at] / shifted.sum())
        powers = np.exp(row.values)  # as the formula has them; ∞ beyond 709
    total = constant(r"\textstyle\sum", float(powers.sum()))
    return bench.result("softmax", value, powers, (row,), at, total=total)


def _activated(x: float, name: Activation) -> float:
    if name == "relu":
        return max(0.0, x)
    if name == "gelu":
        return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
