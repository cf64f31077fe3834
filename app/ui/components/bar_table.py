"""Rows of numbers with bars between them; a row may be clicked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from glassformer.app.ui.component import component

_table = component(__file__, "bar_table")


@dataclass(frozen=True)
class Column:
    """One column: of texts, or of numbers each with a bar."""

    title: str
    width: str  # of a CSS grid: "auto", "1fr", "4rem"
    end: float | None = None  # where the bars end; None: no bars
    signed: bool = False  # bars to both sides of the middle
    mark: float | None = None  # a line at this number, on both sides where signed
    colour: str = "data"  # its role
    help: str = ""
    links: bool = False  # each of its texts is a button of its own


@dataclass(frozen=True)
class Row:
    """One row: a text for each column, and the numbers of those that have bars."""

    key: int
    texts: Sequence[str]
    values: Sequence[float | None]
    title: str = ""  # when the mouse rests on it
    chosen: bool = False
    head: bool = False  # stands out: the name of a group


def bar_table(
    key: str,
    columns: Sequence[Column],
    rows: Sequence[Row],
    on_pick: Callable[[int], None] | None = None,
    on_link: Callable[[int, int], None] | None = None,
) -> None:
    """Draw it; `on_pick(row.key)` or `on_link(row.key, column)` is called before the rerun."""

    def picked(value: dict[str, Any]) -> None:
        if on_pick is not None:
            on_pick(int(value["key"]))

    def followed(value: dict[str, Any]) -> None:
        if on_link is not None:
            on_link(int(value["key"]), int(value["column"]))

    data = {"columns": list(columns), "rows": list(rows), "clicks": on_pick is not None}
    _table(key, data, pick=picked, link=followed)
