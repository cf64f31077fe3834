r"""The formula of one number with its numbers put in, as LaTeX.

Long sums are printed short: the largest terms first, then the sum of all others above how many
they are, `\underbrace{0.031}_{124}`.
"""

import math
from collections.abc import Callable
from typing import get_args

import numpy as np

from glassformer.core.analysis.positions import wave_of
from glassformer.core.config import Activation
from glassformer.core.explain import formula
from glassformer.core.explain.equations import SymbolRole
from glassformer.core.explain.provenance.node import ALL, Column, Lane, Node, Numbers
from glassformer.core.explain.provenance.run import Run
from glassformer.core.explain.steps.wires import Wire
from glassformer.core.model.activation import ACTIVATIONS
from glassformer.core.model.layer_norm import NORM_DIVISORS
from glassformer.core.trace.sites import site_at

Number = Callable[[float], str]
Mark = Callable[[SymbolRole, str], str]  # what to print for a number, given what it is of


def in_numbers(run: Run, node: Node, shown: int, number: Number, mark: Mark) -> str:
    """The right side of the formula, as LaTeX; "" where the number was made of nothing.

    Args:
        run: the trace, and the model whose weights made it.
        node: the number whose formula is printed.
        shown: how many terms of a sum stand by themselves.
        number: prints a number.
        mark: called for every printed number that went in, so that it can be coloured.

    Returns:
        The LaTeX; the terms beyond `shown` stand as their sum above how many they are.
    """
    write = _TEMPLATES.get(node.operation, _sum_of_products)
    return write(_Writer(run, node, shown, number, mark))


def role_of(node: Node, column: Column) -> SymbolRole:
    """What a factor is of; a learned number belongs to what is made with it.

    Args:
        node: the number that is taken apart.
        column: one factor of its terms.

    Returns:
        The role of the tensor that the factor was read from; `constant` for one read from
        nowhere.
    """
    if column.parameter:
        return site_at(node.cell.address).role
    return _recorded_role(column.sources[0].name) if column.sources else "constant"


def _recorded_role(key: str) -> SymbolRole:
    return site_at(Wire.of(key).address).role


class _Writer:
    """Prints factors and sums of one node."""

    def __init__(self, run: Run, node: Node, shown: int, number: Number, mark: Mark) -> None:
        self.run, self.node, self.shown, self.number, self.mark = run, node, shown, number, mark
        self.config = run.config.of(node.cell.address)

    def __call__(self, term: int, factor: int = 0, signed: bool = False) -> str:
        """One factor of one term that is the only one of its kind."""
        column = self.node.groups[term].columns[factor]
        return self.of(role_of(self.node, column), float(column.values[0]), signed)

    def of(self, role: SymbolRole, value: float, signed: bool = False) -> str:
        """A number, marked; with `signed` in parentheses where it is negative."""
        return self.mark(role, self.guarded(value) if signed else self.number(value))

    def guarded(self, value: float) -> str:
        return f"({self.number(value)})" if value < 0 else self.number(value)

    def row(self, lane: Lane) -> Numbers:
        """The recorded numbers along a lane, (n,)."""
        return self.run.row(lane.name, lane.whole)

    def sum_of(self, terms: Numbers, term: Callable[[int], str], own: int | None = None) -> str:
        """The largest terms, and `own`, each printed by `term`, and the rest in one."""
        largest = self.largest(terms, own)
        rest = np.delete(terms, largest)
        parts = [term(place) for place in largest]
        if rest.size:
            parts.append(rf"\underbrace{{{self.guarded(float(rest.sum()))}}}_{{{rest.size}}}")
        return " + ".join(parts)

    def largest(self, terms: Numbers, own: int | None = None) -> list[int]:
        """The places of the largest terms, `own` always among them."""
        found = [int(at) for at in np.argsort(-np.abs(terms), kind="stable")[: self.shown]]
        if own is not None and own not in found and found:
            found[-1] = own
        return found

    def products(self, group: int = 0) -> str:
        """The sum of products in a group; what dropout multiplies by is not told apart."""
        factors: list[tuple[SymbolRole, Numbers]] = []
        for column in self.node.groups[group].columns:
            if column.role == "dropout":
                role, values = factors.pop()
                factors.append((role, values * column.values))
            elif column.role != "fraction":
                factors.append((role_of(self.node, column), column.values))

        def product(place: int) -> str:
            printed = (self.of(role, float(row[place]), signed=True) for role, row in factors)
            return r" \cdot ".join(printed)

        return self.sum_of(np.prod([row for _, row in factors], axis=0), product)


def _wave(w: _Writer) -> str:
    feature, width = w.node.cell.index[-1], w.config.d_model
    _, dimension = wave_of(width, feature, w.config.positions)
    place = w.node.cell.index[0] + w.config.position_offset
    position, *exponent = (
        w.of("constant", value) for value in (place, dimension, formula.wave_width(w.config))
    )
    return rf"\{w.node.outer}({position} / 10000^{{{'/'.join(exponent)}}})"


def _sum(w: _Writer) -> str:
    columns = [group.columns[-1] for group in w.node.groups]  # dropout's is the last
    return " + ".join(
        w.of(role_of(w.node, column), float(each), signed=place > 0)
        for place, (column, each) in enumerate(zip(columns, w.node.contributions, strict=True))
    )


def _dropout(w: _Writer) -> str:
    share = w.node.groups[0].columns[1]
    kept = w.of(role_of(w.node, share), float(share.values.any()))
    rate = w.of("constant", w.config.dropout)
    return rf"\frac{{{kept} \cdot {w(0, signed=True)}}}{{1 - {rate}}}"


def _mean(w: _Writer) -> str:
    return rf"\frac{{{w.products()}}}{{{w.of('constant', w.node.groups[0].size)}}}"


def _std(w: _Writer) -> str:
    centred, _, share = w.node.groups[0].columns
    features, means = centred.sources
    row, mean = w.row(features), float(w.row(means)[0])
    role, less = _recorded_role(features.name), w.of(_recorded_role(means.name), mean, signed=True)

    def square(place: int) -> str:
        return rf"({w.of(role, float(row[place]))} - {less})^2"

    count = w.of("constant", round(1 / share.values[0]))
    return rf"\sqrt{{\frac{{{w.sum_of(np.square(centred.values), square)}}}{{{count}}}}}"


def _normalize(w: _Writer) -> str:
    facts = {fact.key: fact.value for fact in w.node.facts}
    std, epsilon = w.of("norm", facts["std"]), w.of("constant", facts["epsilon"])
    below = NORM_DIVISORS[w.config.norm_formula].of(std, epsilon)
    return rf"\frac{{{w(0)} - {w.of('norm', facts['mean'], signed=True)}}}{{{below}}}"


def _product(w: _Writer) -> str:
    return rf"{w(0)} \cdot {w(0, 1, signed=True)}"


def _mean_square(w: _Writer) -> str:
    x = w.node.groups[0].columns[0]
    role, count = role_of(w.node, x), w.of("constant", len(x.values))

    def square(place: int) -> str:
        return f"{w.of(role, float(x.values[place]), signed=True)}^2"

    return rf"\frac{{{w.sum_of(np.square(x.values), square)}}}{{{count}}}"


def _over_root(w: _Writer) -> str:
    """Of a norm: the number over a root; of a head: its gain before it."""
    facts = {fact.key: fact.value for fact in w.node.facts}
    square, epsilon = w.of("norm", facts["mean_square"]), w.of("constant", facts["epsilon"])
    gained = w.node.operation == "normalize_head"
    above = _product(w) if gained else w(0)
    return rf"\frac{{{above}}}{{\sqrt{{{square} + {epsilon}}}}}"


def _gain(w: _Writer) -> str:
    shift = f" + {w(1, signed=True)}" if len(w.node.groups) > 1 else ""
    return rf"{w(0)} \cdot {w(0, 1, signed=True)}{shift}"


def _rotate(w: _Writer) -> str:
    parts = (rf"{w(at, signed=at > 0)} \cdot {w(at, 1, signed=True)}" for at in (0, 1))
    return " + ".join(parts)


def _sum_of_products(w: _Writer) -> str:
    return " + ".join(w.products(group) for group in range(len(w.node.groups)))


def _mask(w: _Writer) -> str:
    word, *future = w.node.groups[0].columns
    _, _, query, key = (w.of("constant", place) for place in w.node.cell.index)
    id = float(w.row(word.sources[0])[0])
    if id == w.config.pad_id and w.node.exact:  # the begin token
        said = rf"[{key} \le 0]"
    else:
        said = rf"[{w.of('data', id)} \neq {w.of('constant', w.config.pad_id)}]"
    return said + (rf" \cdot [{key} \le {query}]" if future else "")


def _softmax(w: _Writer) -> str:
    group, lane = w.node.groups[0], w.node.groups[0].columns[0].sources[0]
    row, role, own = w.row(lane), _recorded_role(lane.name), group.own or 0

    def power(place: int) -> str:
        return rf"e^{{{w.of(role, float(row[place]))}}}"

    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(row)  # as the formula has them; ∞ beyond 709
    return rf"\frac{{{power(own)}}}{{{w.sum_of(powers, power, own)}}}"


def _choice(w: _Writer) -> str:
    source = w.node.groups[0].columns[0].sources[0]
    row, taken = w.run.row(source.name, (*source.index[:-1], ALL)), source.index[-1]
    printed = [
        w.mark(
            "weights", (r"\mathbf{%s}" if place == taken else "%s") % w.number(float(row[place]))
        )
        for place in w.largest(row, taken)
    ]
    return rf"\arg\max({', '.join(printed)}, \dots)"


def _value(w: _Writer) -> str:
    return w.number(w.node.exact)


def _term(w: _Writer) -> str:
    return w(0)


def _activation(w: _Writer) -> str:
    return ACTIVATIONS[w.config.activation].of(w(0))


# Of what is no plain sum of products.
_TEMPLATES: dict[str, Callable[[_Writer], str]] = {
    "look_up": _term, "learned_position": _term, "copy": _term, "join": _term, "mask_keep": _term,
    "draw": _value, "token": _value, "mask_fill": _value, "mask_add": _value,
    "position": _wave, "input": _sum, "residual": _sum, "drop": _dropout, "mean": _mean,
    "std": _std, "normalize": _normalize, "mask": _mask, "softmax": _softmax,
    "choose": _choice, "scale": _product, "open_gate": _product, "rotate": _rotate, "gain": _gain,
    "mean_square": _mean_square, "normalize_rms": _over_root, "normalize_head": _over_root,
    "token_type": _term, "position_bias": _term, "add_bias": _sum,
    "scale_down": lambda w: rf"\frac{{{w(0)}}}{{{w.of('constant', math.sqrt(w.config.d_model))}}}",
    "divide": lambda w: rf"\frac{{{w(0)}}}{{{w.of('constant', math.sqrt(w.config.d_k))}}}",
    **dict.fromkeys(get_args(Activation), _activation),
}  # fmt: skip
