"""What the number trail reads: a trace, and the model whose weights made it."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from torch import Tensor

from glassformer.core.config import ModelConfig
from glassformer.core.errors import GlassformerError
from glassformer.core.explain.provenance.node import (
    ALL,
    Cell,
    Column,
    Fact,
    Group,
    Lane,
    Node,
    Note,
    Numbers,
    Outer,
    Role,
)
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import inputs
from glassformer.core.trace.tables import exact_numbers
from glassformer.core.trace.trace import Trace

Place = tuple[int | slice, ...]


@dataclass(frozen=True)
class Run:
    """A trace beside its model. Numbers come out in float64; nothing is written to either."""

    trace: Trace
    model: Transformer
    _held: dict[str, Tensor] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.trace.config != self.model.config:
            raise GlassformerError("trail_model", name=self.trace.model_name)

    @property
    def config(self) -> ModelConfig:
        return self.trace.config

    def tensor(self, address: str) -> Tensor:
        """As recorded; an attention map left out of the trace is recomputed once.

        Args:
            address: of a tensor of this run.

        Returns:
            The tensor with all its axes, the batch too.

        Raises:
            GlassformerError: `unknown_address`.
        """
        if address not in self._held:
            self._held[address] = self.trace[address]
        return self._held[address]

    def inputs(self, cell: Cell) -> tuple[str, ...]:
        """The addresses of what the tensor of a cell is computed from.

        Args:
            cell: any cell of the tensor.

        Returns:
            The addresses in the order of the equation.

        Raises:
            KeyError: for an address no run can have.
        """
        return inputs(self.config, cell.address)

    def row(self, address: str, place: Place) -> Numbers:
        """Recorded numbers, at least one.

        Args:
            address: of a tensor of this run.
            place: an index for each axis, `ALL` for the axis that is read along.

        Returns:
            (n,) float64; (1,) where every axis has an index.

        Raises:
            GlassformerError: `unknown_address`.
        """
        return np.atleast_1d(exact_numbers(self.tensor(address)[place]))

    def number(self, address: str, place: tuple[int, ...]) -> float:
        """One recorded number.

        Args:
            address: of a tensor of this run.
            place: an index for each axis, from 0.

        Returns:
            The number in float64.

        Raises:
            GlassformerError: `unknown_address`.
        """
        return float(self.row(address, place)[0])

    def has_parameter(self, name: str) -> bool:
        """Whether the model has learned such numbers: it need not have every bias.

        Args:
            name: of the parameter, as torch has it.

        Returns:
            False where its module has no such parameter, or None in its place.

        Raises:
            AttributeError: the model has no such module.
        """
        module, _, leaf = name.rpartition(".")
        return getattr(self.model.get_submodule(module), leaf, None) is not None

    def learned(self, name: str, place: Place) -> Numbers:
        """Learned numbers, at least one.

        Args:
            name: of the parameter, as torch has it.
            place: an index for each axis, `ALL` for the axis that is read along.

        Returns:
            (n,) float64; (1,) where every axis has an index.

        Raises:
            AttributeError: the model has no such parameter.
        """
        return np.atleast_1d(exact_numbers(self.model.get_parameter(name)[place]))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The vocabulary as shown: a copy slot as the word that travels in it, (V,)."""
        shown = self.trace.surfaces
        if not shown:
            return self.trace.vocabulary
        return tuple(shown.get(piece, piece) for piece in self.trace.vocabulary)

    def recorded(self, role: Role, symbol: str, address: str, place: Place) -> Column:
        """A factor that is a recorded number, or a line of them along the axis of `ALL`.

        Args:
            role: what the factor is.
            symbol: its LaTeX.
            address: of a tensor of this run.
            place: an index for each axis, `ALL` for the axis of the terms.

        Returns:
            The factor, with the line that it was read from as its source.

        Raises:
            GlassformerError: `unknown_address`.
        """
        return Column(role, symbol, self.row(address, place), (_lane(address, place),))

    def parameter(self, role: Role, symbol: str, name: str, place: Place) -> Column:
        """A factor that is a learned number, or a line of them along the axis of `ALL`.

        Args:
            role: what the factor is.
            symbol: its LaTeX.
            name: of the parameter, as torch has it.
            place: an index for each axis, `ALL` for the axis of the terms.

        Returns:
            The factor, with its place in the parameter.

        Raises:
            AttributeError: the model has no such parameter.
        """
        values = self.learned(name, place)
        return Column(role, symbol, values, parameter=_lane(name, place))

    def dropout(self, address: str, place: Place, letters: str) -> tuple[Column, ...]:
        """What dropout multiplies by beside an address (§5.4): nothing in a run without it.

        Args:
            address: its neighbour `kept` says what dropout kept.
            place: an index for each axis of `kept`, `ALL` for the axis of the terms.
            letters: the indices of the factor m, in LaTeX.

        Returns:
            One factor, 0 or 1 / (1 − p), or () where the run dropped nothing there.
        """
        kept = Address.of(address).sibling("kept")
        if kept not in self.trace:
            return ()
        symbol = rf"\frac{{m_{{{letters}}}}}{{1 - p}}"
        found = self.recorded("dropout", symbol, kept, place)
        return (replace(found, values=found.values / (1 - self.config.dropout)),)

    def node(
        self, cell: Cell, operation: str, formula: str, *groups: Group,
        outer: Outer = "sum", facts: tuple[Fact, ...] = (), notes: tuple[Note, ...] = (),
    ) -> Node:  # fmt: skip
        """The node of a cell; what is recorded there is read here.

        Args:
            cell: the number that is taken apart.
            operation: what made it.
            formula: as LaTeX, of one cell.
            *groups: its terms; none where there is nothing to recompute it from.
            outer: what is done to the sum of the contributions.
            facts: numbers on the way that are no terms.
            notes: what is special about this number.

        Returns:
            The node; it knows whether the run was edited.

        Raises:
            GlassformerError: `unknown_address`.
        """
        recorded = self.number(cell.address, cell.index)
        edited = bool(self.trace.edits)
        return Node(cell, operation, formula, recorded, groups, outer, facts, notes, edited)


def _lane(name: str, place: Place) -> Lane:
    index = tuple(0 if isinstance(each, slice) else each for each in place)
    axis = place.index(ALL) if ALL in place else None
    return Lane(name, index, axis)


def constant_column(
    role: Role, symbol: str, value: float, sources: tuple[Lane, ...] = ()
) -> Column:
    """A factor that is no recorded number itself, such as 1 / √d_k.

    Args:
        role: what the factor is.
        symbol: its LaTeX.
        value: the number.
        sources: the recorded numbers that it was worked out from.

    Returns:
        The factor, (1,): all terms of a group share it.
    """
    return Column(role, symbol, np.array([value], np.float64), sources)


def single_term(*columns: Column) -> Group:
    """A term that is the only one of its kind.

    Args:
        *columns: its factors, one number each.

    Returns:
        A group of kind `part` with one term.
    """
    return Group("part", columns)


def dropout_notes(columns: tuple[Column, ...]) -> tuple[Note, ...]:
    """Says so where dropout zeroed the one number that its columns multiply.

    Args:
        columns: as `Run.dropout` gives them.

    Returns:
        `dropped` alone, or () where the number was kept or the run drops nothing.
    """
    return ("dropped",) if columns and not columns[0].values.any() else ()
