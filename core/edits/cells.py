"""Cells of a mask: what a stroke of the brush covers, and a set of them as short spans."""

from __future__ import annotations

from collections.abc import Collection, Iterable

Cell = tuple[int, int]  # row (query), column (key), from 0
Span = tuple[int, int, int]  # row, first column, last column


def rectangle(first: Cell, last: Cell) -> tuple[Cell, ...]:
    """What a drag from one cell to another covers, in any direction."""
    rows, columns = sorted((first[0], last[0])), sorted((first[1], last[1]))
    return tuple(
        (row, column)
        for row in range(rows[0], rows[1] + 1)
        for column in range(columns[0], columns[1] + 1)
    )


def row_cells(row: int, columns: int) -> tuple[Cell, ...]:
    """A whole row of a mask with so many columns."""
    return tuple((row, column) for column in range(columns))


def column_cells(column: int, rows: int) -> tuple[Cell, ...]:
    """A whole column of a mask with so many rows."""
    return tuple((row, column) for row in range(rows))


def band_cells(rows: int, columns: int, low: int, high: int) -> tuple[Cell, ...]:
    """The cells whose column − row is `low` … `high`."""
    return tuple(
        (row, column)
        for row in range(rows)
        for column in range(columns)
        if low <= column - row <= high
    )


def cells_of(spans: Iterable[Span]) -> set[Cell]:
    """The cells that spans cover."""
    return {(row, column) for row, first, last in spans for column in range(first, last + 1)}


def spans_of(cells: Collection[Cell]) -> tuple[Span, ...]:
    """The fewest spans that cover the cells, in reading order: equal sets, equal spans."""
    spans: list[Span] = []
    for row, column in sorted(cells):
        if spans and spans[-1][0] == row and spans[-1][2] == column - 1:
            spans[-1] = (row, spans[-1][1], column)
        else:
            spans.append((row, column, column))
    return tuple(spans)
