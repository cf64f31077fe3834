"""Two runs beside each other: which line stands beside which, one tensor of both, the difference.

Words are aligned, all other axes have the same lines in both. What only one run has is compared
with nothing, and what the attention mask forbids in both is no number of either.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import product, zip_longest

import numpy as np

from glassformer.core.analysis.attention_views import (
    FORBIDDEN,
    THUMBNAIL,
    Kind,
    Overview,
    attention_at,
    attention_sides,
    kinds_of,
    layers_of,
    pool_by_maximum,
)
from glassformer.core.analysis.tensor_slice import (
    Lines,
    Plan,
    Sheet,
    cut_sheet,
    plan_sheet,
    staircase,
)
from glassformer.core.trace.address import Address
from glassformer.core.trace.sites import site_at
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace

Place = tuple[int | None, int | None]  # in the first run, in the second
NONE = -1  # the index of a line that a run does not have


def pair_words(first: Sequence[str], second: Sequence[str], by_place: bool) -> tuple[Place, ...]:
    """Which word of one sentence stands beside which of the other.

    By their places, or, where the lengths differ and it is not asked for, by the words that both
    have; a stretch of other words is paired from its left.

    Args:
        first: the words of one sentence.
        second: those of the other.
        by_place: words are paired by their places, also where the lengths differ.

    Returns:
        Pairs of places, from 0; None where that sentence has no word beside the other's.
    """
    if by_place or len(first) == len(second):
        return tuple(zip_longest(range(len(first)), range(len(second))))
    found: list[Place] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for _, a, a_end, b, b_end in matcher.get_opcodes():
        found += zip_longest(range(a, a_end), range(b, b_end))
    return tuple(found)


@dataclass(frozen=True)
class Edge:
    """The rows or the columns of the pictures: for each line its index in either run, or `NONE`.

    With a `step` above 1 a line stands for `step` neighbours, the first of which is given.
    """

    name: str  # of the axis; "" where there is one number a row
    places: np.ndarray  # (2, n) integers, a row a run
    words: tuple[tuple[str, ...], ...] | None = None  # of the whole axis, in either run
    step: int = 1

    def __len__(self) -> int:
        return self.places.shape[1]

    def word(self, run: int, line: int) -> str | None:
        """The word of a line in a run.

        Args:
            run: 0 or 1.
            line: counted from 0.

        Returns:
            The word; None where the run has none: the axis has no words, or not this one, or a line
            stands for several.

        Raises:
            IndexError: no such line.
        """
        at = int(self.places[run][line])
        if self.words is None or self.step > 1 or at == NONE:
            return None
        return self.words[run][at]

    @property
    def is_worded(self) -> bool:
        """Whether every line is a word of its own."""
        return self.words is not None and self.step == 1

    def line_of(self, run: int, index: int | None) -> int | None:
        """The line that shows an index of a run.

        Args:
            run: 0 or 1.
            index: along the axis, from 0; None is shown by no line.

        Returns:
            The first such line, from 0; None where there is none.
        """
        if index is None:
            return None
        found = np.flatnonzero(self.places[run] == index)
        return int(found[0]) if len(found) else None

    def alone(self, run: int) -> int:
        """How many lines only one run has.

        Args:
            run: 0 or 1, the one that has them.

        Returns:
            Their number.
        """
        return int((self.places[0 if run else 1] == NONE).sum())

    def taken(self, lines: np.ndarray) -> "Edge":
        """Some of the lines.

        Args:
            lines: which ones, integers from 0, in the order that they get.

        Returns:
            An edge of these lines.
        """
        return replace(self, places=self.places[:, lines])

    @staticmethod
    def of(name: str, pairs: Sequence[Place], words: tuple[tuple[str, ...], ...]) -> "Edge":
        """The lines of words that stand beside each other.

        Args:
            name: of the axis.
            pairs: for each line its place in either run, from 0; None where a run does not have it.
            words: of the whole axis, in either run.

        Returns:
            An edge with a line a pair, whose `step` is 1.
        """
        places = [[NONE if at is None else at for at in pair] for pair in pairs]
        return Edge(name, np.array(places, dtype=int).reshape(-1, 2).T, words)


WORDS = ("position", "query", "key")
ROUNDING = 1e-6  # of the largest number: what float32 sums of another length may differ by


@dataclass(frozen=True)
class Beside:
    """One matrix of both runs, line beside line; arrays are (2, rows, columns), first a run."""

    address: str
    rows: Edge
    columns: Edge
    values: np.ndarray  # float32, NaN where a run has no such cell
    there: np.ndarray  # whether the run has the cell
    allowed: np.ndarray  # False where its mask forbids it
    held: tuple[Plan, Plan] | None = None  # where the other axes are; None for a mean of heads

    @property
    def said(self) -> np.ndarray:
        """Where each run's number says something."""
        return self.there & self.allowed

    @property
    def compared(self) -> np.ndarray:
        """Which cells have a difference, (R, C): a fill has none, a forbidden weight is 0."""
        counted = np.all if Address.of(self.address).name == "masked" else np.any
        return self.there.all(axis=0) & counted(self.allowed, axis=0)

    @property
    def difference(self) -> np.ndarray:
        """Second − first, 0 for the same infinity twice; NaN where nothing is compared."""
        one, two = self.values
        with np.errstate(invalid="ignore"):
            steps = np.where(one == two, np.float32(0), two - one)
        return np.where(self.compared, steps, np.float32(np.nan))

    @property
    def limits(self) -> tuple[float, float]:
        """One colour scale for both: 0 … the largest, or symmetric about 0 for signed numbers."""
        seen = self.values[self.said & np.isfinite(self.values)]
        most = float(np.abs(seen).max()) if len(seen) else 1.0
        return (-most if len(seen) and seen.min() < 0 else 0.0), most or 1.0

    @property
    def reach(self) -> float:
        """The largest finite |difference|; 0 without any."""
        found = np.abs(self.difference)
        found = found[np.isfinite(found)]
        return float(found.max()) if len(found) else 0.0

    @property
    def span(self) -> float:
        """Where the colours of the difference end: what is no more than rounding stays pale."""
        return max(self.reach, ROUNDING * self.limits[1]) if self.reach else 1.0

    @property
    def is_rounding(self) -> bool:
        """Whether numbers differ, but none by more than rounding."""
        return 0 < self.reach <= ROUNDING * self.limits[1]

    @property
    def furthest(self) -> tuple[int, int] | None:
        """Row and column of the largest difference; None where nothing differs."""
        steps = np.where(np.isfinite(self.difference), np.abs(self.difference), -1)
        if self.reach == 0:
            return None
        row, column = np.unravel_index(int(steps.argmax()), steps.shape)
        return int(row), int(column)

    @property
    def broken(self) -> int:
        """How many cells are NaN or infinite in one of the runs."""
        return int((self.said & ~np.isfinite(self.values)).any(axis=0).sum())

    def moved(
        self, move: Callable[[np.ndarray], np.ndarray], rows: Edge, columns: Edge
    ) -> "Beside":
        """All arrays with their cells moved alike, and the lines that they have then.

        Args:
            move: gets an array (2, R, C) and returns it with its cells moved.
            rows: the rows of what it returns.
            columns: its columns.

        Returns:
            The moved numbers of the same tensor.
        """
        values, there, allowed = map(move, (self.values, self.there, self.allowed))
        return Beside(self.address, rows, columns, values, there, allowed, self.held)


def compare_tensor(
    runs: tuple[Trace, Trace],
    address: str,
    names: tuple[str, str] | None = None,
    pins: Mapping[str, int] | None = None,
    anchor: int = 0,
    by_place: bool = False,
    mean: bool = False,
) -> Beside:
    """One matrix of a tensor in two runs of one model, line beside line.

    Args:
        runs: the first and the second, of each the first sentence.
        address: of the tensor.
        names: the axes that are rows and columns, as `plan_sheet` takes them; None for the last
            two.
        pins: where the other axes are held in the run `anchor`, by name, from 0; a word's partner
            in the other one, and its place where it has none. None or an axis left out: 0.
        anchor: the run that the pins are of, 0 or 1.
        by_place: words are paired by their places, also where the lengths differ.
        mean: of attention maps that over the heads; other tensors know no mean.

    Returns:
        Numbers of both runs, (2, R, C), NaN where a run has no such cell.

    Raises:
        GlassformerError: `unknown_address` where one of the runs has no such tensor.
        KeyError: with `mean`, an address that no run can have.
    """
    held: tuple[Plan, Plan] | None = None
    if mean and site_at(address).per_map:
        sheets = [_mean_of_heads(trace, address) for trace in runs]
    else:
        pinned = (_pins_in(runs, address, pins or {}, anchor, run, by_place) for run in (0, 1))
        one, two = (plan_sheet(runs[run], address, names, each) for run, each in enumerate(pinned))
        sheets, held = (
            [cut_sheet(runs[0], address, one), cut_sheet(runs[1], address, two)],
            (one, two),
        )
    rows = _edge(address, sheets[0].rows, sheets[1].rows, runs, by_place)
    columns = _edge(address, sheets[0].columns, sheets[1].columns, runs, by_place)
    cells = map(_cells, sheets, rows.places, columns.places)
    values, there, allowed = map(np.stack, zip(*cells, strict=True))
    return Beside(address, rows, columns, values, there, allowed, held)


def _pins_in(
    runs: tuple[Trace, Trace],
    address: str,
    pins: Mapping[str, int],
    anchor: int,
    run: int,
    by_place: bool,
) -> dict[str, int]:
    """The pins of one run; where a word has no partner, its place."""
    if run == anchor:
        return dict(pins)
    found = dict(pins)
    for one, two in zip(runs[0].axes(address), runs[1].axes(address), strict=True):
        if one.name not in WORDS or one.name not in pins or not (one.labels and two.labels):
            continue
        for pair in pair_words(one.labels, two.labels, by_place):
            partner = pair[run]
            if pair[anchor] == pins[one.name] and partner is not None:
                found[one.name] = partner
    return found


def _mean_of_heads(trace: Trace, address: str) -> Sheet:
    axes = {axis.name: axis for axis in trace.axes(address)}
    at = Address.of(address)
    stage = at.name
    values = as_numpy(trace[address][0]).mean(axis=0)
    allowed = as_numpy(trace[at.sibling("mask")][0].any(dim=0))
    if stage == "weights":
        allowed = allowed | (values != 0)
    lines = [Lines(axes[name], np.arange(axes[name].size)) for name in ("query", "key")]
    return Sheet(
        values.astype(np.float32), allowed if stage in ("masked", "weights") else None, *lines
    )


def _cells(
    sheet: Sheet, rows: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The numbers of a sheet in these lines, whether they are there, whether they are allowed."""
    mesh = np.ix_(rows, columns)
    has: np.ndarray = (mesh[0] != NONE) & (mesh[1] != NONE)
    values = np.where(has, sheet.values[mesh], np.float32(np.nan)).astype(np.float32)
    allowed = np.ones(has.shape, bool) if sheet.allowed is None else sheet.allowed[mesh]
    return values, has, np.where(has, allowed, True)


def _edge(address: str, one: Lines, two: Lines, runs: tuple[Trace, Trace], by_place: bool) -> Edge:
    name = one.axis.name if one.axis else ""
    labels = one.labels, two.labels
    if name not in WORDS or labels[0] is None or labels[1] is None:
        count = min(len(one), len(two))
        words = None if labels[0] is None or labels[1] is None else (labels[0], labels[1])
        return Edge(name, np.tile(np.arange(count), (2, 1)), words)
    words = labels[0], labels[1]
    pairs = pair_words(*words, by_place)
    at = Address.of(address)
    if name == "query" and at.stack == "decoder":  # with what each row writes
        words = (
            attention_sides(runs[0], at.kind)[0].labels,
            attention_sides(runs[1], at.kind)[0].labels,
        )
    return Edge.of(name, pairs, words)


def pick_lines(found: Beside, rows: np.ndarray, columns: np.ndarray) -> Beside:
    """Some of the lines of a comparison.

    Args:
        found: the comparison.
        rows: which rows, integers from 0, in the order that they get.
        columns: which columns, likewise.

    Returns:
        The comparison of these lines.
    """
    edges = found.rows.taken(rows), found.columns.taken(columns)
    return found.moved(lambda x: x[:, rows][..., columns], *edges)


def largest_lines(found: Beside, count: int) -> Beside:
    """The words of the vocabulary with the largest number in either run, as a staircase.

    Args:
        found: a comparison that has the vocabulary as rows or as columns.
        count: how many words, at most.

    Returns:
        All lines of the other axis; the words stand by where they peak, see `staircase`.
    """
    if found.rows.name != "vocabulary":
        return _turned(largest_lines(_turned(found), count))
    both = np.where(np.isfinite(found.values), found.values, -np.inf).max(axis=0)  # (R, C)
    return pick_lines(found, staircase(both, count), np.arange(len(found.columns)))


def fit_cells(found: Beside, most: int) -> Beside:
    """At most `most` cells: of neighbours that share a cell the one that moved furthest.

    So every number shown is one of the runs, and no change vanishes. Features go before words.

    Args:
        found: the comparison.
        most: how many cells, at least 1.

    Returns:
        The comparison itself where it is small enough, else one with steps of 2, 4, ….
    """
    while len(found.rows) * len(found.columns) > most:
        rows, columns = found.rows, found.columns
        if rows.is_worded == columns.is_worded:
            across = len(columns) >= len(rows)
        else:
            across = rows.is_worded
        found = _halved(found) if across else _turned(_halved(_turned(found)))
    return found


def _turned(found: Beside) -> Beside:
    return found.moved(lambda x: x.swapaxes(1, 2), found.columns, found.rows)


def _halved(found: Beside) -> Beside:
    """Two neighbouring columns as one."""
    steps = np.where(found.compared, np.nan_to_num(np.abs(found.difference), nan=np.inf), -1.0)
    count = len(found.columns)
    left = np.arange(0, count, 2)
    right = np.minimum(left + 1, count - 1)
    take = np.where(steps[:, right] > steps[:, left], right, left)  # (R, C / 2)
    edge = replace(found.columns.taken(left), step=found.columns.step * 2)
    return found.moved(lambda x: np.take_along_axis(x, take[None], axis=2), found.rows, edge)


MIDDLE = 127  # the level of no difference


@dataclass(frozen=True)
class Furthest:
    """The cell of all attention maps whose weight differs most between two runs."""

    kind: Kind
    layer: int
    head: int
    map: Beside
    row: int  # lines of the map
    column: int


def furthest(runs: tuple[Trace, Trace], by_place: bool) -> Furthest | None:
    """The largest difference of an attention weight in any head of two runs.

    Args:
        runs: the first and the second, of one model. Layers that only one of them has are left
            out.
        by_place: words are paired by their places, also where the lengths differ.

    Returns:
        The first cell of the largest |difference|, its layer and head from 0; None where none
        differs.
    """
    best: Furthest | None = None
    for kind in kinds_of(runs[0].config):
        layers = range(min(layers_of(trace, kind) for trace in runs))
        for layer, head in product(layers, range(runs[0].config.of(kind).n_heads)):
            address = f"{attention_at(kind, layer)}/weights"
            found = compare_tensor(runs, address, pins={"head": head}, by_place=by_place)
            place = found.furthest
            if place is not None and (best is None or found.reach > best.map.reach):
                best = Furthest(kind, layer, head, found, *place)
    return best


def differences(runs: tuple[Trace, Trace], kind: Kind, by_place: bool) -> tuple[Overview, float]:
    """Second − first of every map of weights of a kind as thumbnails, the heads' mean last.

    Args:
        runs: the first and the second, of one model. Layers that only one of them has are left out.
        kind: one that the model has.
        by_place: words are paired by their places, also where the lengths differ.

    Returns:
        Levels (L, H + 1, ≤ 32, ≤ 32), and the largest |difference|. Levels 0 … 254 stand for
        −largest … largest; a cell without a difference is forbidden.
    """
    layers = range(min(layers_of(trace, kind) for trace in runs))
    steps = np.stack([_layer(runs, kind, layer, by_place) for layer in layers])  # (L, H + 1, R, C)
    finite = np.isfinite(steps)
    most = float(np.abs(steps[finite]).max()) if finite.any() else 0.0
    up = pool_by_maximum(np.where(finite, steps, -np.inf), THUMBNAIL).astype(np.float64)
    down = pool_by_maximum(np.where(finite, -steps, -np.inf), THUMBNAIL).astype(np.float64)
    strongest = np.where(up >= down, up, -down)
    known = np.isfinite(strongest)
    levels = np.rint(MIDDLE + MIDDLE * np.where(known, strongest, 0) / (most or 1.0))
    return Overview(np.where(known, levels, FORBIDDEN).astype(np.uint8)), most


def _layer(runs: tuple[Trace, Trace], kind: Kind, layer: int, by_place: bool) -> np.ndarray:
    address = f"{attention_at(kind, layer)}/weights"
    heads = [
        compare_tensor(runs, address, pins={"head": head}, by_place=by_place).difference
        for head in range(runs[0].config.of(kind).n_heads)
    ]
    return np.stack(
        [*heads, compare_tensor(runs, address, by_place=by_place, mean=True).difference]
    )
