"""Masks drawn by hand: one stroke more, a preset, the mask as it was.

What is drawn at an attention is kept as one `Painted` for all heads that are drawn alike, so that
every cell of every head is decided once, whatever was painted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from core.config import ModelConfig
from core.edits.attentions import OfHeads
from core.edits.cells import (
    Cell,
    band_cells,
    cells_of,
    column_cells,
    rectangle,
    row_cells,
    spans_of,
)
from core.edits.experiment import Experiment
from core.edits.masks import Band, Lines, Painted
from core.edits.switch import Switch

Stroke = Literal["hide", "show", "clear"]
Brush = Literal["cell", "row", "column", "band"]
Heads = tuple[int, ...]  # () for all of them


def covered(brush: Brush, first: Cell, last: Cell, size: tuple[int, int]) -> tuple[Cell, ...]:
    """The cells of a drag from one cell to another, in a mask of `size` rows and columns.

    cell: their rectangle. row, column: all lines between. band: all diagonals between.
    """
    rows, columns = size
    if brush == "cell":
        return rectangle(first, last)
    if brush == "row":
        low, high = sorted((first[0], last[0]))
        return tuple(cell for row in range(low, high + 1) for cell in row_cells(row, columns))
    if brush == "column":
        low, high = sorted((first[1], last[1]))
        return tuple(cell for each in range(low, high + 1) for cell in column_cells(each, rows))
    low, high = sorted((first[1] - first[0], last[1] - last[0]))
    return band_cells(rows, columns, low, high)


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
    parts = [part for each in without.switches for part in _apart(each, config, place, heads)]
    return replace(without, switches=tuple(parts))


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


def _apart(switch: Switch, config: ModelConfig, place: str, heads: Heads) -> Iterator[Switch]:
    """The parts of a band or of lines that do not concern these heads of an attention."""
    places = switch.holds_at(config) if isinstance(switch, Band | Lines) else ()
    if not isinstance(switch, OfHeads) or place not in places:
        yield switch
        return
    chosen = switch.chosen(config)
    others = tuple(head for head in chosen if heads and head not in heads)
    if len(others) == len(chosen):
        yield switch
        return
    for each in places:
        if each != place:
            yield replace(switch, where=each)
        elif others:
            yield replace(switch, where=place, heads=others)


def _cut(painted: Painted, size: tuple[int, int]) -> Painted:
    rows, columns = size

    def inside(cells: set[Cell]) -> list[Cell]:
        return [cell for cell in cells if cell[0] < rows and cell[1] < columns]

    return replace(
        painted,
        hidden=spans_of(inside(cells_of(painted.hidden))),
        shown=spans_of(inside(cells_of(painted.shown))),
    )
