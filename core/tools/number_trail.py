"""Where a number of a run comes from, step by step back to an embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from glassformer.core.explain.provenance.node import Cell, Node
from glassformer.core.explain.provenance.unfold import largest_path
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.results import Result
from glassformer.core.trace.trace import Trace, index_at

if TYPE_CHECKING:
    import pandas as pd

ROWS = ("query", "position")  # axes that `row` may stand for


@dataclass(frozen=True, repr=False)
class NumberTrail(Result):
    """A recorded number and what it was made of, the largest contribution at each step.

    It shows one way of many, that along the largest summand; it does not establish that the number
    would be another one without it.
    """

    trace: Trace
    nodes: tuple[Node, ...]

    def headline(self) -> str:
        """The number, its address, and how many steps the way has."""
        first = self.nodes[0]
        return f"{first.recorded:.4g} at {first.cell.address}, {len(self.nodes)} steps"

    def table(self) -> pd.DataFrame:
        """A row a step, the number itself first.

        Returns:
            `address`, `place` (axis by axis, with the word where there is one), the recorded
            `value`, the `operation` that made it, and the `largest` of its summands.
        """
        import pandas as pd  # slow to import, and not always wanted

        rows = [
            (each.cell.address, self._place(each.cell), each.recorded, each.operation,
             next((term.contribution for term in each.ranked()), None))
            for each in self.nodes
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["address", "place", "value", "operation", "largest"])

    def _place(self, cell: Cell) -> str:
        found = []
        for axis, index in zip(self.trace.axes(cell.address), cell.index, strict=True):
            if axis.name != "batch":
                word = f" {axis.labels[index]}" if axis.labels else ""
                found.append(f"{axis.name} {index}{word}")
        return ", ".join(found)


def number_trail(
    trace: Trace, transformer: Transformer, address: str, **at: int | str
) -> NumberTrail:
    """Follows a number of a run back to an embedding, along the largest contribution.

    Args:
        trace: the run.
        transformer: whose weights made it.
        address: of a recorded tensor.
        **at: places on its axes, as for `Trace.pick`; `row` stands for a query or a position.
            On an axis that is not named the largest number of all is taken.

    Returns:
        The way, the number itself first.

    Raises:
        GlassformerError: as `Trace.pick`, and as `largest_path`.
    """
    axes = trace.axes(address)
    row = next((axis.name for axis in axes if axis.name in ROWS), "row")
    held = {row if name == "row" else name: place for name, place in at.items()}
    values = trace.sel(address, **held).values
    free = iter(np.unravel_index(int(np.abs(values).argmax()), values.shape))
    index = [
        0 if axis.name == "batch" else index_at(address, axis, held[axis.name])
        if axis.name in held else int(next(free))
        for axis in axes
    ]  # fmt: skip
    return NumberTrail(trace, largest_path(trace, transformer, Cell(address, tuple(index))))
