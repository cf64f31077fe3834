"""What every maker of a worked number needs: the step, the cell, and a way to read operands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.trace.sites import site_at
from core.trace.trace import Trace
from core.walk.steps import Step
from core.walk.symbols import Line, SymbolRole, parameter_at
from core.walk.wires import Cell, Wire, beside, tensor
from core.walk.worked import Exact, Form, Operand, Weights, Worked, exact

Index = tuple[int | None, ...]


@dataclass(frozen=True)
class Bench:
    """All that a maker needs: the run, the step, the cell; and the way to read operands."""

    trace: Trace
    weights: Weights
    step: Step
    line: Line
    output: Cell

    @property
    def index(self) -> tuple[int, ...]:
        return self.output.index

    @property
    def name(self) -> str:
        """The site of what comes out."""
        return self.output.wire.address.rpartition("/")[2]

    def read(self, wire: Wire, index: Index) -> Operand:
        place = tuple(slice(None) if each is None else each for each in index)
        values = exact(tensor(self.trace, wire)[place])
        site = site_at(wire.address)
        symbol = next((each.latex for each in self.line.symbols if each.wire == wire), site.symbol)
        return Operand(symbol, site.role, values, wire, index=index)

    def beside(self, name: str, index: Index) -> Operand:
        return self.read(Wire(beside(self.output.wire.address, name)), index)

    def parameter(self, name: str, index: Index) -> Operand | None:
        """A parameter used here, None where this model has none of that name (a bias)."""
        full = parameter_at(self.output.wire.address.rpartition("/")[0], name)
        if full not in self.weights:
            return None
        place = tuple(slice(None) if each is None else each for each in index)
        known = next((each for each in self.line.symbols if each.parameter == full), None)
        role: SymbolRole = site_at(self.output.wire.address).role
        symbol = known.latex if known else name
        return Operand(symbol, role, exact(self.weights[full][place]), None, full, index)

    def result(
        self, form: Form, value: float, summed: Exact | None = None,
        factors: tuple[Operand, ...] = (), chosen: int | None = None, detail: str = "",
        **scalars: Operand | None,
    ) -> Worked:  # fmt: skip
        own = self.output.wire
        recorded = float(tensor(self.trace, own)[self.index])
        symbol = next((each.latex for each in self.line.symbols if each.wire == own), "")
        given = {name: operand for name, operand in scalars.items() if operand is not None}
        return Worked(
            form, self.output, symbol or site_at(own.address).symbol, recorded, value,
            np.zeros(0) if summed is None else summed, factors, given, chosen, detail,
        )  # fmt: skip
