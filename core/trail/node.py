"""One number of a run and what it was made of.

A node's number is `outer` of the contributions of its terms: their sum, or what is said at `Outer`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.trail.terms import Cell, Group, Numbers, Rest, Term

TOLERANCE = 1e-5  # recorded and recomputed may differ by this much
_ROUNDING = 8 * float(np.finfo(np.float32).eps)  # of the magnitudes that were added up
_TURNS = {"sin": np.sin, "cos": np.cos}

Operation = Literal[
    "token", "look_up", "scale", "position", "learned_position", "no_position", "input", "copy",
    "residual", "mean", "std", "normalize", "gain", "project", "dot", "divide", "mask",
    "mask_keep", "mask_fill", "mask_add", "softmax", "mix", "join", "relu", "gelu", "gelu_tanh",
    "draw", "choose",
]  # fmt: skip
OPERATIONS: tuple[Operation, ...] = get_args(Operation)

Note = Literal[
    "forbidden",  # the mask does not let this query look at this key
    "nowhere",  # the query may look at no key at all: its weights are uniform or NaN
    "dropped",  # dropout zeroed it
    "inactive",  # the ReLU let nothing through
    "given",  # the word was not chosen by the model: forced, or the mark a sentence begins with
    "guarded",  # the repetition guard forbade the most probable word
    "excluded",  # the most probable word is one that is never written here
]
NOTES: tuple[Note, ...] = get_args(Note)

FactKey = Literal[
    "maximum", "numerator", "denominator", "allowed_keys", "variance", "mean", "std", "epsilon",
    "spread", "angle", "wavelength", "rank",
]  # fmt: skip
FACTS: tuple[FactKey, ...] = get_args(FactKey)

Outer = Literal[
    "sum",
    "sqrt",  # the root of the sum
    "sin",  # the sine of the sum
    "cos",
    "share",  # the own term's part of the sum
    "own",  # the own term alone: the others are what it was compared with
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
    """One recorded number, recomputed from the recorded numbers that it was made of.

    `exact` is float64 throughout; `single` rounds factors, products and sums to float32, as the
    reader's own calculation would. (Sines are taken in float64 and rounded, as in the model.)
    """

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
        return np.concatenate([group.contributions() for group in self.groups] or [np.empty(0)])

    @cached_property
    def exact(self) -> float:
        return self._recomputed(np.float64)

    @cached_property
    def single(self) -> float:
        return self._recomputed(np.float32)

    @property
    def difference(self) -> float:
        """Recorded − exact; 0 where both are NaN or the same infinity."""
        return _difference(self.recorded, self.exact)

    @property
    def single_difference(self) -> float:
        return _difference(self.recorded, self.single)

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

    def top(self, count: int) -> tuple[tuple[Term, ...], Rest]:
        """The `count` largest terms, and the others summed."""
        left = self.order[count:]
        with np.errstate(all="ignore"):
            rest = Rest(len(left), float(self.contributions[left].sum()))
        return tuple(islice(self.ranked(), count)), rest

    def shown(self, count: int) -> tuple[tuple[Term, ...], Rest]:
        """As `top`, with the term that belongs to this cell first, however small it is."""
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

    @property
    def by_head(self) -> tuple[float, ...]:
        """What each head adds, (H,); empty where the terms are not the features of heads."""
        wide = [group for group in self.groups if group.head_width]
        return tuple(
            float(head.sum())
            for group in wide
            for head in group.contributions().reshape(-1, group.head_width or 1)
        )

    def _term(self, place: int) -> Term:
        for group in self.groups:
            if place < group.size:
                break
            place -= group.size
        return group.term(place)

    def _recomputed(self, dtype: Any) -> float:
        if not self.groups:
            return self.recorded
        terms = [group.contributions(dtype) for group in self.groups]
        pairs = zip(terms, self.groups, strict=True)
        own = [each[group.own] for each, group in pairs if group.own is not None]
        if self.outer in ("sin", "cos"):
            return float(dtype(_TURNS[self.outer](self.contributions.sum())))
        with np.errstate(all="ignore"):
            total = np.sum([each.sum(dtype=dtype) for each in terms], dtype=dtype)
            if self.outer == "sqrt":
                return float(np.sqrt(total))
            if self.outer == "own":
                return float(own[0])
            return float(own[0] / total if self.outer == "share" else total)


def _difference(recorded: float, recomputed: float) -> float:
    same = recorded == recomputed or (np.isnan(recorded) and np.isnan(recomputed))
    return 0.0 if same else recorded - recomputed
