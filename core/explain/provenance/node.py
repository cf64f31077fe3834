"""One number of a run and what it was made of.

A node's number is `outer` of the contributions of its terms: their sum, or what is said at `Outer`.
Terms stand as columns of numbers, a group for each kind of term, so that a sum over a vocabulary
costs little. The contribution of a term is the product of its factors.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glassformer.core.trace.address import Address

Numbers = NDArray[np.float64]
Index = tuple[int, ...]
ALL = slice(None)

Role = Literal[
    "id", "table", "root", "embedding", "position", "time", "frequency", "copied", "stream",
    "branch", "state", "fraction", "centred", "mean", "inverse_spread", "gain", "normalized",
    "shift", "matrix", "bias", "query", "key", "score", "inverse_root", "scaled", "fill",
    "not_padding", "not_future", "exponential", "weight", "value", "pre_activation", "gate",
    "activation", "dropout", "token_type", "rotation", "position_bias", "up",
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
        """The address of what else is recorded at the same place.

        Args:
            name: of the other tensor, such as `scores`.

        Returns:
            The address; whether this run has it is not asked.
        """
        return self.at.sibling(name)


@dataclass(frozen=True)
class Lane:
    """A line of numbers in a tensor: `index` with the term's number put at `axis` (None: fixed)."""

    name: str  # an address, a wire's key or a parameter's name
    index: Index
    axis: int | None = None

    def at(self, term: int) -> Cell:
        """Where the number of a term stands.

        Args:
            term: its place in the group, counted from 0.

        Returns:
            The cell; the same for every term where the lane has no axis.
        """
        index = (term if axis == self.axis else at for axis, at in enumerate(self.index))
        return Cell(self.name, tuple(index))

    @property
    def whole(self) -> tuple[int | slice, ...]:
        """What all numbers of the line stand at."""
        return tuple(ALL if axis == self.axis else at for axis, at in enumerate(self.index))


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

    def term(self, place: int) -> "Term":
        """The term at a place of this group.

        Args:
            place: counted from 0.

        Returns:
            The term, with its factors and their product.
        """
        factors = tuple(_factor(column, place) for column in self.columns)
        contribution = math.prod(factor.value for factor in factors)
        text = self.words[place] if self.words else ""
        head = place // self.head_width if self.head_width else None
        return Term(self.kind, place, text, head, factors, contribution, own=self.own == place)


@dataclass(frozen=True)
class Factor:
    """One number that is multiplied into a term, and where to go on from it."""

    role: Role
    value: float
    sources: tuple[Cell, ...]  # to unfold next; empty for a constant or a learned number
    parameter: Cell | None  # of a learned number: the parameter's name, as torch has it


@dataclass(frozen=True)
class Term:
    """One summand of a node, and what it stands for: a `part` is named by its factors' roles."""

    kind: LabelKind
    index: int
    text: str
    head: int | None
    factors: tuple[Factor, ...]
    contribution: float
    own: bool


def _factor(column: Column, term: int) -> Factor:
    value = float(column.values[term if len(column.values) > 1 else 0])
    sources = tuple(source.at(term) for source in column.sources)
    parameter = None if column.parameter is None else column.parameter.at(term)
    return Factor(column.role, value, sources, parameter)


TOLERANCE = 1e-5  # recorded and recomputed may differ by this much
_ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of the magnitudes that were added up

Note = Literal[
    "forbidden",  # the mask does not let this query look at this key
    "nowhere",  # the query may look at no key at all: its weights are uniform or NaN
    "dropped",  # dropout zeroed it
    "inactive",  # the ReLU let nothing through
    "given",  # the word was not chosen by the model: forced, or the mark a sentence begins with
]

FactKey = Literal[
    "maximum", "numerator", "denominator", "allowed_keys", "variance", "mean", "std", "epsilon",
    "spread", "angle", "wavelength", "mean_square",
]  # fmt: skip

Outer = Literal[
    "sum",
    "sqrt",  # the root of the sum
    "sin",  # the sine of the sum
    "cos",
    "share",  # the own term's part of the sum
]
_OUTER: dict[Outer, Any] = {"sum": np.float64, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos}
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
    operation: str  # what made it; `trail.operation_<name>` says it on screen
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
        with np.errstate(all="ignore"):
            total = self.contributions.sum()
            if self.outer == "share":
                return float(self.contributions[self._own_place] / total)
            return float(_OUTER[self.outer](total))

    @property
    def difference(self) -> float:
        """Recorded − exact; 0 where both are NaN or the same infinity."""
        both = (self.recorded, self.exact)
        same = self.recorded == self.exact or np.isnan(both).all()
        return 0.0 if same else self.recorded - self.exact

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

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The places of the terms by |contribution|, the largest (and any NaN) first: (n,)."""
        size = np.abs(self.contributions)
        return np.argsort(-np.where(np.isnan(size), np.inf, size), kind="stable")

    def ranked(self) -> Iterator[Term]:
        """All terms by |contribution|, the largest (and any NaN) first, made as they are asked for.

        Returns:
            The terms, one after another.
        """
        return (self._term(int(place)) for place in self.order)

    @property
    def own(self) -> Term | None:
        """The term that belongs to this very cell; None in a plain sum."""
        return None if self._own_place is None else self._term(self._own_place)

    def shown(self, count: int) -> tuple[tuple[Term, ...], int, float]:
        """The `count` largest terms, the cell's own first; how many others, and their sum.

        Args:
            count: how many terms to give.

        Returns:
            The terms by |contribution|, the number of the others, and what they add up to.
        """
        first = [] if self._own_place is None else [self._own_place]
        others = [int(place) for place in self.order if place not in first]
        cut = count - len(first)
        with np.errstate(all="ignore"):
            rest = float(self.contributions[others[cut:]].sum())
        shown = tuple(self._term(place) for place in (*first, *others[:cut]))
        return shown, len(others[cut:]), rest

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
