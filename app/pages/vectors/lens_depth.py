"""A row a state along depth: its best words, the rank of the final one, how spread the row is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.ui.component import component

_depth = component(__file__, "lens_depth")


@dataclass(frozen=True)
class LensRow:
    """One state, read by the generator."""

    group: str  # its layer
    name: str
    words: Sequence[tuple[str, str, float, bool]]  # word, percent, probability, the final one
    rank: str
    place: float | None  # of the rank on the axis, 0..1
    entropy: str
    spread: float  # entropy over the largest one, 0..1
    title: str


@dataclass(frozen=True)
class LensAxis:
    """The axis of the ranks, and the ranks of all other rows."""

    ticks: Sequence[tuple[float, str]]
    others: Sequence[Sequence[float | None]]  # a line a row of the decoder, N places each


@dataclass(frozen=True)
class LensTexts:
    """What stands around the rows."""

    label: str
    words: str
    rank: str
    entropy: str
    rank_help: str
    entropy_help: str


def lens_depth(
    key: str, rows: Sequence[LensRow], axis: LensAxis, chosen: int, texts: LensTexts,
    on_pick: Callable[[int], None],
) -> None:  # fmt: skip
    """Draw it over the full height of its place; `on_pick(state)` is called before the rerun."""
    data = {"rows": list(rows), "axis": axis, "chosen": chosen, "texts": texts}
    _depth(key, data, height="stretch", pick=lambda sent: on_pick(int(sent["row"])))
