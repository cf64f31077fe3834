"""One number of a run and what it was made of.

A node's number is `outer` of the contributions of its terms: their sum, or what is said at `Outer`.
Terms stand as columns of numbers, a group for each kind of term, so that a sum over a vocabulary
costs little. The contribution of a term is the product of its factors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.trace.address import Address

Numbers = NDArray[np.float64]
Index = tuple[int, ...]

Role = Literal[
    "id", "table", "root", "embedding", "position", "time", "frequency", "copied", "stream",
    "branch", "state", "fraction", "centred", "mean", "inverse_spread", "gain", "normalized",
    "shift", "matrix", "bias", "query", "key", "score", "inverse_root", "scaled", "fill",
    "not_padding", "not_future", "exponential", "weight", "value", "pre_activation", "gate",
    "activation", "dropout",
]  # fmt: skip

LabelKind = Literal["token", "word", "feature", "head_feature", "hidden", "part"]


@dataclass(frozen=True)
class Cell:
    """One recorded number: an index for each axis of the tensor, the batch too."""

    address: str
    index: Index

    @property
    def at(self) -> Address:
        return Address.of(self.address)

    def beside(self, name: str) -> str:
        """The address of what else is recorded at the same place."""
        return self.at.sibling(name)


@dataclass(frozen=True)
class Weight:
    """One learned number: the parameter's name, as torch has it, and its place there."""

    name: str
    index: Index


@dataclass(frozen=True)
class Lane:
    """A line of numbers in a tensor: `index` with the term's number put at `axis` (None: fixed)."""

    name: str  # an address, or a parameter's name
    index: Index
    axis: int | None = None

    def at(self, term: int) -> Index:
        if self.axis is None:
            return self.index
        return (*self.index[: self.axis], term, *self.index[self.axis + 1 :])


@dataclass(frozen=True, eq=False)  # it holds arrays
class Column:
    """One factor of every term of a group."""

    role: Role
    symbol: str  # LaTeX
    values: Numbers  # (n,), or (1,) for a factor that all terms share
    sources: tuple[Lane, ...] = ()  # recorded numbers that it was made of
    parameter: Lane | None = None


@dataclass(frozen=True, eq=False)  # it holds arrays
class Group:
    """Terms of one kind."""

    kind: LabelKind
    columns: tuple[Column, ...]
    words: tuple[str, ...] = ()  # of the terms, where they have any
    head_width: int | None = None  # K, where the terms are the features of all heads in a row
    own: int | None = None  # the term that belongs to this very cell, see `Outer`

    @property
    def size(self) -> int:
        return max(len(column.values) for column in self.columns)

    @cached_property
    def contributions(self) -> Numbers:
        """The product of the factors of each term, (n,)."""
        product = np.ones(self.size)
        with np.errstate(all="ignore"):
            for column in self.columns:
                product = product * column.values
        return product

    def term(self, place: int) -> Term:
        """The term at a place of this group."""
        text = self.words[place] if self.words else ""
        head = place // self.head_width if self.head_width else None
        factors = tuple(_factor(column, place) for column in self.columns)
        contribution = math.prod(factor.value for factor in factors)
        label = Label(self.kind, place, text, head)
        return Term(label, factors, contribution, own=self.own == place)


@dataclass(frozen=True)
class Factor:
    """One number that is multiplied into a term, and where to go on from it."""

    role: Role
    symbol: str
    value: float
    sources: tuple[Cell, ...]  # to unfold next; empty for a constant or a learned number
    parameter: Weight | None


@dataclass(frozen=True)
class Label:
    """What a term stands for: a token, a feature, a word; a `part` is named by its roles."""

    kind: LabelKind
    index: int
    text: str = ""
    head: int | None = None


@dataclass(frozen=True)
class Term:
    """One summand of a node."""

    label: Label
    factors: tuple[Factor, ...]
    contribution: float
    own: bool = False


@dataclass(frozen=True)
class Rest:
    """The terms that are not shown, summed."""

    count: int
    contribution: float


def _factor(column: Column, term: int) -> Factor:
    values, lane = column.values, column.parameter
    return Factor(
        column.role,
        column.symbol,
        float(values[term if len(values) > 1 else 0]),
        tuple(Cell(source.name, source.at(term)) for source in column.sources),
        Weight(lane.name, lane.at(term)) if lane else None,
    )


TOLERANCE = 1e-5  # recorded and recomputed may differ by this much
_ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of the magnitudes that were added up
_TURNS = {"sin": np.sin, "cos": np.cos}

Operation = Literal[
    "token", "look_up", "scale", "position", "learned_position", "no_position", "input", "copy",
    "residual", "mean", "std", "normalize", "gain", "project", "dot", "divide", "mask",
    "mask_keep", "mask_fill", "mask_add", "softmax", "mix", "join", "relu", "gelu", "gelu_tanh",
    "draw",
]  # fmt: skip

Note = Literal[
    "forbidden",  # the mask does not let this query look at this key
    "nowhere",  # the query may look at no key at all: its weights are uniform or NaN
    "dropped",  # dropout zeroed it
    "inactive",  # the ReLU let nothing through
    "given",  # the word was not chosen by the model: forced, or the mark a sentence begins with
]

FactKey = Literal[
    "maximum", "numerator", "denominator", "allowed_keys", "variance", "mean", "std", "epsilon",
    "spread", "angle", "wavelength",
]  # fmt: skip

Outer = Literal[
    "sum",
    "sqrt",  # the root of the sum
    "sin",  # the sine of the sum
    "cos",
    "share",  # the own term's part of the sum
]
Verdict = Literal[
    "agrees",  # recorded and recomputed differ by no more than the tolerance
    "edited",  # they differ, and the run was edited
    "differs",  # they differ in a run without edits: other weights than those given made it
    "given",  # nothing to recompute it from
]


@dataclass(frozen=True)
class Fact:
    """A number on the way that is no term, such as the maximum that the softmax subtracts."""

    key: FactKey
    symbol: str
    value: float


@dataclass(frozen=True, eq=False)  # it holds arrays
class Node:
    """One recorded number, recomputed from the recorded numbers that it was made of."""

    cell: Cell
    operation: Operation
    formula: str  # LaTeX, of one cell
    recorded: float  # a truth value as 0 or 1
    groups: tuple[Group, ...] = ()
    outer: Outer = "sum"
    facts: tuple[Fact, ...] = ()
    notes: tuple[Note, ...] = ()
    run_edited: bool = False

    @cached_property
    def contributions(self) -> Numbers:
        """Of all terms, in the order in which they are computed."""
        return np.concatenate([group.contributions for group in self.groups] or [np.empty(0)])

    @cached_property
    def exact(self) -> float:
        """The number recomputed in float64 throughout."""
        if not self.groups:
            return self.recorded
        terms = [group.contributions for group in self.groups]
        own = [
            each[group.own]
            for each, group in zip(terms, self.groups, strict=True)
            if group.own is not None
        ]
        if self.outer in ("sin", "cos"):
            return float(_TURNS[self.outer](self.contributions.sum()))
        with np.errstate(all="ignore"):
            total = np.sum([each.sum() for each in terms])
            if self.outer == "sqrt":
                return float(np.sqrt(total))
            return float(own[0] / total if self.outer == "share" else total)

    @property
    def difference(self) -> float:
        """Recorded − exact; 0 where both are NaN or the same infinity."""
        return _difference(self.recorded, self.exact)

    @property
    def tolerance(self) -> float:
        """1e-5, more where numbers so large cancel that float32 cannot hold that."""
        magnitude = float(np.abs(self.contributions).sum()) if self.outer == "sum" else 0.0
        return max(TOLERANCE, _ROUNDING * magnitude) if np.isfinite(magnitude) else TOLERANCE

    @property
    def verdict(self) -> Verdict:
        if not self.groups:
            return "given"
        if abs(self.difference) <= self.tolerance:  # False for NaN
            return "agrees"
        return "edited" if self.run_edited else "differs"

    @property
    def edited(self) -> bool:
        return self.verdict == "edited"

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The places of the terms by |contribution|, the largest (and any NaN) first: (n,)."""
        size = np.abs(self.contributions)
        return np.argsort(-np.where(np.isnan(size), np.inf, size), kind="stable")

    def ranked(self) -> Iterator[Term]:
        """All terms by |contribution|, made as they are asked for."""
        return (self._term(int(place)) for place in self.order)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, by |contribution|."""
        return tuple(self.ranked())

    @property
    def own(self) -> Term | None:
        """The term that belongs to this very cell; None in a plain sum."""
        for group in self.groups:
            if group.own is not None:
                return group.term(group.own)
        return None

    def shown(self, count: int) -> tuple[tuple[Term, ...], Rest]:
        """The `count` largest terms, and the others summed; the cell's own first, if small."""
        own = self._own_place
        first = [] if own is None else [own]
        others = [int(place) for place in self.order if place != own]
        cut = count - len(first)
        with np.errstate(all="ignore"):
            rest = Rest(len(others[cut:]), float(self.contributions[others[cut:]].sum()))
        return tuple(self._term(place) for place in (*first, *others[:cut])), rest

    @property
    def _own_place(self) -> int | None:
        before = 0
        for group in self.groups:
            if group.own is not None:
                return before + group.own
            before += group.size
        return None

    def _term(self, place: int) -> Term:
        for group in self.groups:
            if place < group.size:
                break
            place -= group.size
        return group.term(place)


def _difference(recorded: float, recomputed: float) -> float:
    same = recorded == recomputed or (np.isnan(recorded) and np.isnan(recomputed))
    return 0.0 if same else recorded - recomputed
