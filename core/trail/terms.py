"""The terms of one number of a run: their factors, their labels, their signed contributions.

Terms stand as columns of numbers, a group for each kind of term, so that a sum over a vocabulary
costs little. The contribution of a term is the product of its factors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Index = tuple[int, ...]

Role = Literal[
    "id", "table", "root", "embedding", "position", "time", "frequency", "copied", "stream",
    "branch", "state", "fraction", "centred", "mean", "inverse_spread", "gain", "normalized",
    "shift", "matrix", "bias", "query", "key", "score", "inverse_root", "scaled", "fill",
    "not_padding", "not_future", "exponential", "weight", "value", "pre_activation", "gate",
    "activation", "dropout", "probability",
]  # fmt: skip
ROLES: tuple[Role, ...] = get_args(Role)

LabelKind = Literal["token", "word", "feature", "head_feature", "hidden", "part"]


@dataclass(frozen=True)
class Cell:
    """One recorded number: an index for each axis of the tensor, the batch too."""

    address: str
    index: Index


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

    def contributions(self, dtype: Any = np.float64) -> NDArray[Any]:
        """The product of the factors of each term, (n,), every step rounded to `dtype`."""
        product = np.ones(self.size, dtype)
        with np.errstate(all="ignore"):
            for column in self.columns:
                product = product * column.values.astype(dtype)
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
