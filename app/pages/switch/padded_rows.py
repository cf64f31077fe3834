"""The component: a padded batch as rows of words, the padding hatched where it is masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.plots.labels import visible
from app.ui.component import component

_rows = component(__file__, "padded_rows")


@dataclass(frozen=True)
class Line:
    """One sentence: its words on both sides, how many of them are no padding, its numbers."""

    source: Sequence[str]
    target: Sequence[str]
    sources: int
    targets: int
    numbers: Sequence[tuple[str, bool]]  # as written, and whether a switch moved it


@dataclass(frozen=True)
class RowTexts:
    """What stands around the rows, in the reader's language."""

    label: str
    source: str
    target: str
    numbers: Sequence[tuple[str, str]]  # head and what it says in full
    masked: str  # of padding, on hover
    seen: str


def padded_rows(
    lines: Sequence[Line],
    chosen: int,
    seen: tuple[bool, bool],
    texts: RowTexts,
    on_pick: Callable[[int], None],
    key: str = "padded_rows",
) -> None:
    """Draw the batch over the height of its place; `on_pick(row)` is called before the rerun.

    seen: whether the padding of the source, of the target, may be looked at.
    """
    data = rows_data(lines, chosen, seen, texts)
    _rows(key, data, height="stretch", pick=lambda row: on_pick(int(row)))


def rows_data(
    lines: Sequence[Line], chosen: int, seen: tuple[bool, bool], texts: RowTexts
) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON."""
    return {
        "lines": [{"sides": _sides(line), "numbers": line.numbers} for line in lines],
        "chosen": chosen,
        "seen": seen,
        "texts": vars(texts) | {"sides": [texts.source, texts.target]},
    }


def _sides(line: Line) -> list[dict[str, Any]]:
    both = (line.source, line.sources), (line.target, line.targets)
    return [{"words": [visible(word) for word in words], "real": real} for words, real in both]
