"""One number that a step puts out, worked out from the numbers that went in.

Every operand says what it is and where it stands, so that a screen can print it, colour it by role
and lead to it. The result is computed again in float64 from the operands alone and stands beside
what the run recorded in float32.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core.explain.equations import SymbolRole
from core.explain.steps.wires import Cell, Wire

Exact = NDArray[np.float64]
Weights = Mapping[
    str, Tensor
]  # the parameters by name, as `model.transformer.state_dict()` has them
# How the operands make the result; a screen has one template for each.
Form = Literal[
    "copy", "product", "wave", "sum", "draw", "dropout", "mean", "deviation", "normalize",
    "affine", "linear", "dot", "divide", "allow", "fill", "softmax", "activate", "choice", "given",
]  # fmt: skip


@dataclass(frozen=True)
class Operand:
    """A number that goes in, or a row of them, one a term.

    It stands at `index` of a wire or of a parameter (in torch's layout: a weight is (out, in)),
    where None runs along the terms; a constant stands nowhere.
    """

    symbol: str  # LaTeX
    role: SymbolRole
    values: Exact  # () or (n,)
    wire: Wire | None = None
    parameter: str = ""
    index: tuple[int | None, ...] = ()

    @property
    def value(self) -> float:
        """The number of an operand that is one."""
        return float(self.values)

    def at(self, term: int) -> tuple[int, ...]:
        """Where the number of one term stands."""
        return tuple(term if place is None else place for place in self.index)


@dataclass(frozen=True)
class Short:
    """The few largest terms, the largest first, and the sum of all others."""

    largest: tuple[int, ...]
    rest: float
    rest_count: int


@dataclass(frozen=True)
class Worked:
    """One number and how it came about.

    `terms` are what is summed (or, by a softmax, compared); `factors` are their operands, one or
    two rows as long as `terms`. `scalars` are the other operands by name: `bias`, `mean`, `root`, …
    `chosen` is the term that a softmax or a choice is about; `detail` the variant of a form: `sin`
    or `cos`, the activation, the formula of the norm.
    """

    form: Form
    output: Cell
    symbol: str  # LaTeX of what comes out
    recorded: float  # as the run has it
    value: float  # worked out again, in float64
    terms: Exact = field(default_factory=lambda: np.zeros(0))  # (n,)
    factors: tuple[Operand, ...] = ()
    scalars: Mapping[str, Operand] = field(default_factory=dict)
    chosen: int | None = None
    detail: str = ""

    @property
    def difference(self) -> float:
        """How far recording and recomputation are apart; 0 for two equal infinities or two NaN."""
        if self.value == self.recorded or (math.isnan(self.value) and math.isnan(self.recorded)):
            return 0.0
        return abs(self.value - self.recorded)

    @property
    def agrees(self) -> bool:
        """Whether they are the same but for float32's rounding; not where an edit reached in."""
        return self.difference <= 1e-5 * max(1.0, abs(self.recorded))

    def order(self) -> list[int]:
        """The terms, the largest in size first."""
        return [int(at) for at in np.argsort(-np.abs(self.terms), kind="stable")]

    def short(self, shown: int = 4) -> Short:
        """The largest terms and the sum of the rest; what a softmax is about is always shown."""
        order = self.order()
        largest = order[:shown]
        if self.chosen is not None and self.chosen not in largest and shown:
            largest[-1:] = [self.chosen]
        rest = np.delete(self.terms, largest)
        return Short(tuple(largest), float(rest.sum()), rest.size)


def constant(symbol: str, value: float, role: SymbolRole = "constant") -> Operand:
    """A number of the config, or one that the step itself makes on the way."""
    return Operand(symbol, role, np.asarray(value, np.float64))
