"""The formula of a step with this sentence's numbers, one maker for each kind of step.

`worked(trace, step, {"head": 0, "query": 3, "key": 1}, weights)` works out one cell. The weights
are the model's own (`model.transformer.state_dict()`): a trace records a run, not the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.analysis.positions import wave_of
from core.config import ModelConfig
from core.explain import formula
from core.explain.equations import Line, SymbolRole
from core.explain.steps.steps import Kind, Step
from core.explain.steps.wires import Cell, Wire, cell, tensor
from core.explain.steps.worked import Exact, Form, Operand, Weights, Worked, constant
from core.trace.address import Address
from core.trace.sites import site_at
from core.trace.tables import exact
from core.trace.trace import Trace

Index = tuple[int | None, ...]  # None takes an axis whole


@dataclass(frozen=True)
class CellContext:
    """All that a maker needs: the run, the step, the cell; and the way to read operands."""

    trace: Trace
    weights: Weights
    step: Step
    line: Line
    output: Cell

    @property
    def config(self) -> ModelConfig:
        return self.trace.config

    @property
    def index(self) -> tuple[int, ...]:
        return self.output.index

    @property
    def at(self) -> Address:
        """Where what comes out is recorded."""
        return Address.of(self.output.wire.address)

    def enters(self, index: Index, which: int = 0) -> Operand:
        """Numbers of what goes into the step."""
        return self._read(self.step.inputs[which], index)

    def beside(self, name: str, index: Index) -> Operand:
        """Numbers that are recorded at the same place of the model."""
        return self._read(Wire(self.at.sibling(name)), index)

    def has(self, name: str) -> bool:
        """Whether this model has a parameter of that name here; a bias it may lack."""
        return f"{self.at.module}.{name}" in self.weights

    def parameter(self, name: str, index: Index) -> Operand:
        """Numbers of a parameter used here."""
        full = f"{self.at.module}.{name}"
        known = next((each for each in self.line.symbols if each.parameter == full), None)
        role: SymbolRole = site_at(self.output.wire.address).role
        values = exact(self.weights[full][_place(index)])
        return Operand(known.latex if known else name, role, values, None, full, index)

    def result(
        self, form: Form, value: float, summed: Exact | None = None,
        factors: tuple[Operand, ...] = (), chosen: int | None = None, detail: str = "",
        **scalars: Operand | None,
    ) -> Worked:  # fmt: skip
        """The cell, worked out; an operand that is None is one that this model lacks."""
        recorded = float(tensor(self.trace, self.output.wire)[self.index])
        symbol = self._symbol(self.output.wire)
        terms = np.zeros(0) if summed is None else summed
        given = {name: operand for name, operand in scalars.items() if operand is not None}
        return Worked(
            form, self.output, symbol, recorded, value, terms, factors, given, chosen, detail
        )

    def copied(self, source: Operand, word: Operand | None = None) -> Worked:
        """What is passed on as it is; of a look-up with the word that it is of."""
        return self.result("copy", source.value, source=source, id=word)

    def dot(self, first: Operand, second: Operand) -> Worked:
        """The products of two rows, summed."""
        products = first.values * second.values
        return self.result("dot", float(products.sum()), products, (first, second))

    def _read(self, wire: Wire, index: Index) -> Operand:
        values = exact(tensor(self.trace, wire)[_place(index)])
        return Operand(self._symbol(wire), site_at(wire.address).role, values, wire, index=index)

    def _symbol(self, wire: Wire) -> str:
        known = next((each.latex for each in self.line.symbols if each.wire == wire), "")
        return known or site_at(wire.address).symbol


def worked(
    trace: Trace, step: Step, at: Mapping[str, int], weights: Weights, line: int = 0
) -> Worked:
    """One cell of a step's output, worked out.

    Args:
        trace: the run.
        step: one of its steps.
        at: places by axis name, from 0; an axis that is not named is held at 0.
        weights: the model's parameters by name.
        line: which of the step's outputs.

    Raises `GlassformerError`: `unknown_axis`, or `out_of_range` for a place beyond the end.
    """
    chosen = step.lines[line]
    return _MAKERS[step.kind](
        CellContext(trace, weights, step, chosen, cell(trace, chosen.output, at))
    )


def _lookup(here: CellContext) -> Worked:
    """A row of the embedding table, §3.4."""
    batch, place, feature = here.index
    word = here.beside("ids", (batch, place))
    return here.copied(here.parameter("table.weight", (int(word.value), feature)), word)


def _embedding_scale(here: CellContext) -> Worked:
    """Times √d_model, §3.4, or times 1 in a model that does not scale."""
    scales = here.config.embedding_scale
    root = constant(r"\sqrt{d_{model}}", math.sqrt(here.config.d_model)) if scales else _ONE
    word = here.enters(here.index)
    return here.result("product", root.value * word.value, scale=root, source=word)


def _positions(here: CellContext) -> Worked:
    """A sine or a cosine of the position, §3.5, or a row of a learned table."""
    place, feature = here.index
    if here.config.positions == "learned":
        return here.copied(here.parameter("position_table.weight", (place, feature)))
    wave, dimension = wave_of(here.config.d_model, feature, here.config.positions)
    angle = place * formula.frequency(here.config, dimension)
    return here.result(
        "wave", math.sin(angle) if wave == "sine" else math.cos(angle),
        detail="sin" if wave == "sine" else "cos", position=constant("t", place),
        dimension=constant("2i + 1" if dimension % 2 else "2i", dimension),
        width=constant("D", here.config.d_model), angle=constant(r"\varphi", angle),
    )  # fmt: skip


def _sum_of_two(here: CellContext) -> Worked:
    """Two summands: embedding and position, or stream and sub-layer (§3.1)."""
    left = here.enters(here.index)
    positions = Address.of(here.step.inputs[1].address).name == "positions"
    right = here.enters(here.index[1:] if positions else here.index, 1)  # positions are (S, D)
    summed = np.array([left.value, right.value])
    return here.result("sum", left.value + right.value, summed, left=left, right=right)


def _dropout(here: CellContext) -> Worked:
    """§5.4: kept or not, and what is left of a number."""
    rate = constant("p", here.config.dropout)
    kept = here.beside("kept", here.index)
    if here.at.name == "kept" and not here.output.wire.form:
        return here.result("draw", kept.value, rate=rate)  # by chance: nothing to work out
    before = here.enters(here.index)
    value = before.value * kept.value / (1 - rate.value)
    return here.result("dropout", value, kept=kept, source=before, rate=rate)


def _norm(here: CellContext) -> Worked:
    """§5.4, Ba et al. 2016: mean, deviation, normalised, scaled and shifted."""
    *row, feature = here.index
    name, sample = here.at.name, here.config.norm_formula == "sample"
    if name == "mean":
        x = here.enters((*row, None))
        count = constant("D", x.values.size)
        return here.result("mean", float(x.values.mean()), x.values, (x,), count=count)
    mean = here.beside("mean", (*row, 0))
    if name == "std":
        x = here.enters((*row, None))
        squares = np.square(x.values - mean.value)
        count = constant("D - 1" if sample else "D", x.values.size - sample)
        value = float(np.sqrt(formula.quotient(squares.sum(), count.value)))
        return here.result("deviation", value, squares, (x,), mean=mean, count=count)
    if name == "normalized":
        x, std = here.enters(here.index), here.beside("std", (*row, 0))
        value = formula.quotient(x.value - mean.value, formula.spread(here.config, std.value))
        small = constant(r"\varepsilon", here.config.norm_epsilon)
        return here.result("normalize", value, detail=here.config.norm_formula, source=x, mean=mean,
                           std=std, epsilon=small)  # fmt: skip
    hat = here.beside("normalized", here.index)
    gamma, beta = (here.parameter(name, (feature,)) for name in ("gamma", "beta"))
    value = gamma.value * hat.value + beta.value
    return here.result("affine", value, gamma=gamma, source=hat, beta=beta)


def _linear(here: CellContext, module: str, which: int = 0) -> Worked:
    """A row of what enters times a column of a matrix, plus a bias where the model has one."""
    *row, column = here.index
    prefix = f"{module}." if module else ""  # the generator's map has no name
    x, w = here.enters((*row, None), which), here.parameter(f"{prefix}weight", (column, None))
    products = x.values * w.values
    has_bias = here.has(f"{prefix}bias")
    b = here.parameter(f"{prefix}bias", (column,)) if has_bias else None
    value = float(products.sum()) + (b.value if b else 0.0)
    return here.result("linear", value, products, (x, w), bias=b)


def _project(here: CellContext) -> Worked:
    """Q, K or V of all heads, before they are split (§3.2.2)."""
    return _linear(here, f"w_{here.at.name}", 0 if here.at.name == "q" else -1)


def _split(here: CellContext) -> Worked:
    """One head's share of a row of Q, K or V."""
    batch, head, place, feature = here.index
    joined = (batch, place, head * here.config.d_k + feature)
    return here.copied(here.enters(joined, "qkv".index(here.at.name)))


def _concat(here: CellContext) -> Worked:
    """One head's share of the row that W^O reads."""
    batch, place, feature = here.index
    head, within = divmod(feature, here.config.d_k)
    return here.copied(here.enters((batch, head, place, within)))


def _memory(here: CellContext) -> Worked:
    """What the encoder hands over, unchanged."""
    return here.copied(here.enters(here.index))


def _scores(here: CellContext) -> Worked:
    """Q Kᵀ, §3.2.1: the products of one query's and one key's features."""
    batch, head, query, key = here.index
    return here.dot(
        here.enters((batch, head, query, None)), here.enters((batch, head, key, None), 1)
    )


def _scale(here: CellContext) -> Worked:
    """Divided by √d_k, §3.2.1."""
    score, root = here.enters(here.index), math.sqrt(here.config.d_k)
    below = constant(r"\sqrt{d_k}", root)
    return here.result("divide", score.value / root, source=score, divisor=below)


def _mask(here: CellContext) -> Worked:
    """§3.2.3: whether the query may look at the key, and what stands in the map then."""
    batch, _, query, key = here.index
    config, causal = here.config, here.at.is_causal
    if here.at.name == "mask":
        word = here.enters((batch, key), 1)
        allowed = formula.is_word(config, word.value, key, causal) and (not causal or key <= query)
        return here.result(
            "allow", float(allowed), detail="causal" if causal else "padding",
            id=word, pad=constant(r"\mathrm{pad}", config.pad_id), query=constant("t", query),
            key=constant("s", key),
        )  # fmt: skip
    scaled, may = here.enters(here.index), here.beside("mask", here.index)
    fill = constant(*formula.fill(config, tensor(here.trace, here.output.wire).dtype))
    value = scaled.value if may.value else fill.value
    return here.result("fill", value, detail=config.mask_fill, source=scaled, mask=may, fill=fill)


def _softmax(here: CellContext) -> Worked:
    """§3.2.1 and §3.4: e to the score, as a share of that of all the row's scores."""
    *place, at = here.index
    row = here.enters((*place, None))
    shifted = formula.exponentials(row.values)
    with np.errstate(over="ignore", invalid="ignore"):
        value = float(shifted[at] / shifted.sum())
        powers = np.exp(row.values)  # as the formula has them; ∞ beyond 709
    total = constant(r"\textstyle\sum", float(powers.sum()))
    return here.result("softmax", value, powers, (row,), at, total=total)


def _context(here: CellContext) -> Worked:
    """A V, §3.2.1: the values, each as much as its weight says."""
    batch, head, query, feature = here.index
    return here.dot(
        here.enters((batch, head, query, None)), here.enters((batch, head, None, feature), 1)
    )


def _activation(here: CellContext) -> Worked:
    """§3.3's non-linearity of one hidden number."""
    x, name = here.enters(here.index), here.config.activation
    return here.result("activate", formula.activated(x.value, name), detail=name, source=x)


def _choice(here: CellContext) -> Worked:
    """The word of a row: chosen by its probability, or given; `better` were more probable.

    What was more probable and not taken is a word that may not be written here.
    """
    batch, place = here.index
    row = here.enters((batch, place, None))
    taken = formula.chosen_word(here.trace, place)
    own = row.values[taken]
    better = constant("n", float((row.values > own).sum()))
    form: Form = "choice" if here.trace.steps else "given"
    return here.result(form, float(taken), row.values, (row,), taken, better=better,
                       probability=constant("p", float(own), row.role))  # fmt: skip


def _place(index: Index) -> tuple[int | slice, ...]:
    return tuple(slice(None) if each is None else each for each in index)


_ONE = constant("1", 1.0)
_MAKERS: dict[Kind, Callable[[CellContext], Worked]] = {
    "lookup": _lookup,
    "embedding_scale": _embedding_scale,
    "positions": _positions,
    "sum": _sum_of_two,
    "embedding_dropout": _dropout,
    "norm": _norm,
    "project": _project,
    "split": _split,
    "scores": _scores,
    "scale": _scale,
    "mask": _mask,
    "softmax": _softmax,
    "weights_dropout": _dropout,
    "context": _context,
    "concat": _concat,
    "output": partial(_linear, module="w_o"),
    "expand": partial(_linear, module="w_1"),
    "activation": _activation,
    "hidden_dropout": _dropout,
    "contract": partial(_linear, module="w_2"),
    "sublayer_dropout": _dropout,
    "residual": _sum_of_two,
    "final_norm": _norm,
    "memory": _memory,
    "logits": partial(_linear, module=""),
    "probabilities": _softmax,
    "choice": _choice,
    "given": _choice,
}
