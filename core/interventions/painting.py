"""Masks drawn by hand: one stroke more, a preset, the mask as it was.

What is drawn at an attention is kept as one `Painted` for all heads that are drawn alike, so that
every cell of every head is decided once, whatever was painted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from core.config import ModelConfig
from core.interventions.experiment import Experiment
from core.interventions.heads import released
from core.interventions.masks import (
    Band,
    Cell,
    Lines,
    Painted,
    cells_of,
    spans_of,
)
from core.interventions.switch import Switch

Stroke = Literal["hide", "show", "clear"]
Brush = Literal["cell", "row", "column", "band"]
Heads = tuple[int, ...]  # () for all of them


def covered(brush: Brush, first: Cell, last: Cell, size: tuple[int, int]) -> tuple[Cell, ...]:
    """The cells of a drag from one cell to another, in a mask of `size` rows and columns.

    cell: their rectangle. row, column: all lines between. band: all diagonals between.
    """
    rows, columns = (range(min(ends), max(ends) + 1) for ends in zip(first, last, strict=True))
    if brush in ("column", "band"):
        rows = range(size[0])
    if brush in ("row", "band"):
        columns = range(size[1])
    low, high = sorted((first[1] - first[0], last[1] - last[0]))
    cells = ((row, column) for row in rows for column in columns)
    return tuple(each for each in cells if brush != "band" or low <= each[1] - each[0] <= high)


def stroked(
    experiment: Experiment, config: ModelConfig, place: str, heads: Heads,
    cells: Sequence[Cell], stroke: Stroke, size: tuple[int, int],
) -> Experiment:  # fmt: skip
    """One stroke over cells (row, column) of some heads of an attention such as `encoder/0/…`.

    size: rows and columns; what was painted beyond them, for a longer sentence, is dropped.
    """
    drawn = _drawn(experiment, config, place)
    inside = [cell for cell in cells if cell[0] < size[0] and cell[1] < size[1]]
    for head in heads or range(config.n_heads):
        drawn[head] = _cut(drawn[head].brushed(inside, stroke), size)
    return _with_drawn(experiment, config, place, drawn)


def restored(experiment: Experiment, config: ModelConfig, place: str, heads: Heads) -> Experiment:
    """Without what is drawn for some heads of an attention: paint, lines and bands."""
    drawn = _drawn(experiment, config, place)
    for head in heads or range(config.n_heads):
        drawn[head] = Painted(place)
    without = _with_drawn(experiment, config, place, drawn)
    return released(without, config, (Band, Lines), place, heads or range(config.n_heads))


def with_band(experiment: Experiment, config: ModelConfig, band: Band) -> Experiment:
    """A band in place of whatever is drawn for its heads of its attention."""
    return restored(experiment, config, band.where, band.heads).having(band)


def is_drawn(experiment: Experiment, config: ModelConfig, place: str, heads: Heads) -> bool:
    """Whether `restored` has something to do."""
    return restored(experiment, config, place, heads) != experiment


def _drawn(experiment: Experiment, config: ModelConfig, place: str) -> dict[int, Painted]:
    """What is painted at an attention, head by head; later strokes win."""
    drawn = {head: Painted(place) for head in range(config.n_heads)}
    for each in experiment.switches:
        if isinstance(each, Painted) and place in each.holds_at(config):
            for head in each.chosen(config):
                hidden, shown = cells_of(each.hidden), cells_of(each.shown)
                drawn[head] = drawn[head].brushed([*hidden], "hide").brushed([*shown], "show")
    return drawn


def _with_drawn(
    experiment: Experiment, config: ModelConfig, place: str, drawn: dict[int, Painted]
) -> Experiment:
    """The experiment with other paint at an attention, where the first paint of it was."""
    kept: list[Switch] = []
    first = None
    for each in experiment.switches:
        if isinstance(each, Painted) and place in (places := each.holds_at(config)):
            first = len(kept) if first is None else first
            kept += [replace(each, where=other) for other in places if other != place]
        else:
            kept.append(each)
    at = len(kept) if first is None else first
    return replace(experiment, switches=(*kept[:at], *_alike(drawn), *kept[at:]))


def _alike(drawn: dict[int, Painted]) -> Iterator[Painted]:
    """One switch for all heads that are painted alike; none for those that are not painted."""
    groups: dict[Painted, list[int]] = {}
    for head, each in drawn.items():
        if each.hidden or each.shown:
            groups.setdefault(each, []).append(head)
    for each, heads in groups.items():
        yield replace(each, heads=() if len(heads) == len(drawn) else tuple(heads))


def _cut(painted: Painted, size: tuple[int, int]) -> Painted:
    rows, columns = size

    def inside(cells: set[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell[0] < rows and cell[1] < columns]

    return replace(
        painted,
        hidden=spans_of(inside(cells_of(painted.hidden))),
        shown=spans_of(inside(cells_of(painted.shown))),
    )
