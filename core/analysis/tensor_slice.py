"""Two axes of a recorded tensor laid out as a sheet of numbers: what a heat map draws.

`plan_sheet` decides which axes lie on the sheet and where the others are held, `cut_sheet` takes
the numbers, `sheet_window`, `pool_sheet` and `largest_lines` make a long axis fit a screen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from torch import Tensor

from glassformer.core.analysis.measure import informative_mask
from glassformer.core.trace.sites import Axis
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

Side = Literal["rows", "columns"]
NOT_OFFERED = ("batch", "one")  # the app runs one sentence; a statistic has one number a position


@dataclass(frozen=True)
class Plan:
    """Which axes lie on the sheet (`columns` None: one axis), and where each other is held."""

    rows: Axis
    columns: Axis | None
    held: tuple[tuple[Axis, int], ...] = ()

    @property
    def pins(self) -> dict[str, int]:
        """The held axes by name, as `Trace.pick` takes them."""
        return {axis.name: index for axis, index in self.held}


@dataclass(frozen=True)
class Lines:
    """The rows or the columns of a sheet: for each its index along the axis.

    With a `step` above 1 a line stands for `step` neighbours, the first of which is given.
    """

    axis: Axis | None
    indices: np.ndarray  # (n,) integers
    step: int = 1

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The words of the lines, None where the axis has no words or neighbours were pooled."""
        if self.axis is None or self.axis.labels is None or self.step > 1:
            return None
        return tuple(self.axis.labels[index] for index in self.indices)


@dataclass(frozen=True)
class Sheet:
    """Numbers of two axes. `allowed` is False in cells that the attention mask forbids."""

    values: np.ndarray  # (rows, columns) float32
    allowed: np.ndarray | None  # (rows, columns) bool
    rows: Lines
    columns: Lines

    def turned(self) -> "Sheet":
        """The same with rows and columns exchanged."""
        allowed = None if self.allowed is None else self.allowed.T
        return Sheet(self.values.T, allowed, self.columns, self.rows)


def sheet_axes(trace: Trace, address: str) -> tuple[Axis, ...]:
    """The axes of a tensor that can lie on a sheet: all but the batch and a statistic's one number.

    Args:
        trace: the run that is read.
        address: of the tensor.

    Returns:
        In the order of the tensor.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    return tuple(axis for axis in trace.axes(address) if axis.name not in NOT_OFFERED)


def plan_sheet(
    trace: Trace,
    address: str,
    names: tuple[str, str] | None = None,
    pins: Mapping[str, int] | None = None,
) -> Plan:
    """The axes to draw: those named, else the last two (a vocabulary as rows).

    Names that the tensor does not have fall back to the last two axes, an index beyond the end to
    the last one: a choice made for one tensor stays usable for the next.

    Args:
        trace: the run that is read.
        address: of the tensor.
        names: the axes that are rows and columns; None for the last two.
        pins: where the other axes are held, by name, from 0; they are held at 0 where it says
            nothing.

    Returns:
        Rows, columns (None for a tensor of one axis), and what is held.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    axes = {axis.name: axis for axis in sheet_axes(trace, address)}
    rows, columns = _pair(tuple(axes), names)
    wanted = pins or {}
    held = tuple(
        (axis, min(max(wanted.get(name, 0), 0), axis.size - 1))
        for name, axis in axes.items()
        if name not in (rows, columns)
    )
    return Plan(axes[rows], axes[columns] if columns else None, held)  # type: ignore[index]


def _pair(known: tuple[str, ...], names: tuple[str, str] | None) -> tuple[str, str | None]:
    if len(known) == 1:
        return known[0], None
    if names is not None and names[0] != names[1] and set(names) <= set(known):
        return names
    if known[-1] == "vocabulary":  # words read well as rows
        return known[-1], known[-2]
    return known[-2], known[-1]


def cut_sheet(trace: Trace, address: str, chosen: Plan) -> Sheet:
    """The numbers of a plan, rows first.

    Args:
        trace: the run that is read, its first sentence.
        address: of the tensor.
        chosen: what `plan_sheet` found for this tensor.

    Returns:
        (R, C) float32, whole numbers and truth values too; a tensor of one axis has one column.

    Raises:
        KeyError: an address that no run can have.
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    allowed = informative_mask(trace, address)
    return Sheet(
        values=_laid_out(trace, address, trace[address], chosen).astype(np.float32),
        allowed=None if allowed is None else _laid_out(trace, address, allowed, chosen),
        rows=_all_lines(chosen.rows),
        columns=_all_lines(chosen.columns),
    )


def _laid_out(trace: Trace, address: str, tensor: Tensor, chosen: Plan) -> np.ndarray:
    """What is held is cut off before the rest is copied to the host."""
    pins = chosen.pins
    names = [axis.name for axis in trace.axes(address)]
    whole = slice(None)
    place = tuple(0 if name in NOT_OFFERED else pins.get(name, whole) for name in names)
    values = as_numpy(tensor[place])
    left = [name for name in names if name not in NOT_OFFERED and name not in pins]
    if chosen.columns is None:
        return values[:, None]
    return values if left[0] == chosen.rows.name else values.T


def _all_lines(axis: Axis | None) -> Lines:
    return Lines(axis, np.arange(axis.size if axis else 1))


def sheet_window(sheet: Sheet, side: Side, first: int, last: int) -> Sheet:
    """The lines of a sheet from one to another, both included.

    Args:
        sheet: the whole sheet.
        side: the side that is cut.
        first: the first line, from 0.
        last: the last line, from 0; beyond the end it is the last one.

    Returns:
        The other side is whole.
    """
    lines = sheet.rows if side == "rows" else sheet.columns
    return _take(sheet, side, np.arange(first, min(last + 1, len(lines))))


def largest_lines(sheet: Sheet, side: Side, count: int) -> Sheet:
    """The lines with the largest value: next words of a sentence make a staircase.

    Args:
        sheet: the whole sheet; NaN is less than any number.
        side: whose lines are chosen.
        count: how many lines, at most.

    Returns:
        These lines in the order of `staircase`; the other side is whole.
    """
    known = np.where(np.isnan(sheet.values), -np.inf, sheet.values)
    return _take(sheet, side, staircase(known if side == "rows" else known.T, count))


def staircase(values: np.ndarray, count: int) -> np.ndarray:
    """The rows with the largest value, by the column where they peak, the larger first.

    Args:
        values: (R, C), none of them NaN.
        count: how many rows, at most.

    Returns:
        Indices of rows, from 0.
    """
    peaks = values.max(axis=1)
    best = np.argsort(-peaks, kind="stable")[:count]
    return best[np.lexsort((-peaks[best], values.argmax(axis=1)[best]))]


def _take(sheet: Sheet, side: Side, lines: np.ndarray) -> Sheet:
    if side == "rows":
        return _take(sheet.turned(), "columns", lines).turned()
    return replace(
        sheet,
        values=sheet.values[:, lines],
        allowed=None if sheet.allowed is None else sheet.allowed[:, lines],
        columns=replace(sheet.columns, indices=sheet.columns.indices[lines]),
    )


def pool_sheet(sheet: Sheet, limit: int = 256) -> Sheet:
    """A sheet that is small enough: each cell the entry of largest magnitude, with its sign.

    A sharp peak does not vanish, nor does a NaN; a pooled cell is forbidden only where all are.

    Args:
        sheet: the whole sheet; a number that the mask forbids counts as 0 where cells are pooled.
        limit: rows and columns, at most.

    Returns:
        The sheet, whose `step` says how many lines each line stands for.
    """
    return _pool_columns(_pool_columns(sheet, limit).turned(), limit).turned()


def index_of(
    axes: Sequence[Axis], plan: Plan, sheet: Sheet, drawn: Sheet, row: int, column: int
) -> tuple[int, ...]:
    """The place of the number that a cell of the drawn (perhaps pooled) sheet shows.

    Args:
        axes: all axes of the tensor, in order.
        plan: which of them lie on the sheet, and where the others are held.
        sheet: the sheet before it was pooled.
        drawn: the sheet as it is drawn.
        row: of the drawn sheet, from 0.
        column: of the drawn sheet, from 0.

    Returns:
        One index for each axis of the tensor, from 0.

    Raises:
        IndexError: the cell lies beyond the sheet.
    """
    top, left = row * drawn.rows.step, column * drawn.columns.step
    said = sheet.values if sheet.allowed is None else np.where(sheet.allowed, sheet.values, 0)
    block = said[top : top + drawn.rows.step, left : left + drawn.columns.step]
    if min(row, column) < 0 or not block.size:
        raise IndexError(f"no cell {row}, {column}")
    size = np.where(np.isnan(block), np.inf, np.abs(block))
    down, right = np.unravel_index(int(size.argmax()), block.shape)
    at = plan.pins | {plan.rows.name: int(sheet.rows.indices[top + down])}
    if plan.columns is not None:
        at[plan.columns.name] = int(sheet.columns.indices[left + right])
    return tuple(at.get(axis.name, 0) for axis in axes)


def _pool_columns(sheet: Sheet, limit: int) -> Sheet:
    step = -(-len(sheet.columns) // limit)
    if step <= 1:
        return sheet
    allowed = np.ones(sheet.values.shape, bool) if sheet.allowed is None else sheet.allowed
    said = _blocks(np.where(allowed, sheet.values, 0), step)  # (R, C / step, step)
    size = np.where(np.isnan(said), np.inf, np.abs(said))
    strongest = np.take_along_axis(said, size.argmax(axis=-1, keepdims=True), axis=-1)[..., 0]
    return replace(
        sheet,
        values=strongest,
        allowed=None if sheet.allowed is None else np.any(_blocks(allowed, step), axis=-1),
        columns=replace(sheet.columns, indices=sheet.columns.indices[::step], step=step),
    )


def _blocks(values: np.ndarray, step: int) -> np.ndarray:
    rows, columns = values.shape
    filled = np.zeros((rows, -(-columns // step) * step), values.dtype)
    filled[:, :columns] = values
    return filled.reshape(rows, -1, step)
