"""The component: a padded batch as rows of words, the padding hatched where it is masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app import state
from app.figures.colours import faded
from app.figures.labels import visible
from app.figures.theme import Look
from app.widgets.component import component

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
    look: Look,
    on_pick: Callable[[int], None],
    key: str = "padded_rows",
) -> None:
    """Draw the batch over the height of its place; `on_pick(row)` is called before the rerun.

    seen: whether the padding of the source, of the target, may be looked at.
    """

    def picked() -> None:
        value = state.trigger(key, "pick")
        if value is not None:
            on_pick(int(value))

    data = rows_data(lines, chosen, seen, texts, look)
    _rows(key=key, data=data, on_pick_change=picked, height="stretch")


def rows_data(
    lines: Sequence[Line], chosen: int, seen: tuple[bool, bool], texts: RowTexts, look: Look
) -> dict[str, Any]:
    """What is sent to the browser, as plain JSON."""
    return {
        "lines": [
            {
                "sides": [
                    {"words": [visible(word) for word in words], "real": real}
                    for words, real in (
                        (line.source, line.sources),
                        (line.target, line.targets),
                    )
                ],
                "numbers": [[text, int(moved)] for text, moved in line.numbers],
            }
            for line in lines
        ],
        "chosen": chosen,
        "seen": [int(each) for each in seen],
        "texts": {
            "label": texts.label,
            "sides": [texts.source, texts.target],
            "numbers": [list(each) for each in texts.numbers],
            "masked": texts.masked,
            "seen": texts.seen,
        },
        "colours": {
            "line": look.colour("line"),
            "faint": look.colour("faint"),
            "changed": look.colour("changed"),
            "hatch": faded(look.colour("faint"), 0.55),
            "panel": look.colour("panel"),
        },
    }
