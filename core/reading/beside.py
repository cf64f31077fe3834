"""Two runs beside each other: which line stands beside which, one tensor of both, the difference.

Words are aligned, all other axes have the same lines in both. What only one run has is compared
with nothing, and what the attention mask forbids in both is no number of either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from core.reading.alignment import NONE, Edge, paired
from core.reading.attention_views import sides
from core.reading.sheets import Lines, Plan, Sheet, cut, plan
from core.trace.sites import site_at
from core.trace.tables import as_numpy
from core.trace.trace import Trace

WORDS = ("position", "query", "key")
ROUNDING = 1e-6  # of the largest number: what float32 sums of another length may differ by


@dataclass(frozen=True)
class Beside:
    """One matrix of both runs, line beside line; all arrays are (rows, columns)."""

    address: str
    rows: Edge
    columns: Edge
    values: tuple[np.ndarray, np.ndarray]  # float32, NaN where a run has no such cell
    there: tuple[np.ndarray, np.ndarray]  # whether the run has the cell
    allowed: tuple[np.ndarray, np.ndarray]  # False where its mask forbids it
    held: tuple[Plan, Plan] | None = None  # where the other axes are; None for a mean of heads

    @property
    def said(self) -> tuple[np.ndarray, np.ndarray]:
        """Where each run's number says something."""
        return self.there[0] & self.allowed[0], self.there[1] & self.allowed[1]

    @property
    def compared(self) -> np.ndarray:
        """Where there is a difference: a fill has none, a forbidden weight is 0."""
        one, two = self.allowed
        counts = (one & two) if self.address.endswith("/masked") else (one | two)
        both: np.ndarray = self.there[0] & self.there[1] & counts
        return both

    @property
    def difference(self) -> np.ndarray:
        """Second − first, 0 where both are the same infinity; NaN where nothing is compared."""
        one, two = self.values
        with np.errstate(invalid="ignore"):
            steps = np.where(one == two, np.float32(0), two - one)
        return np.where(self.compared, steps, np.float32(np.nan))

    @property
    def limits(self) -> tuple[float, float]:
        """One colour scale for both: 0 … the largest, or symmetric about 0 for signed numbers."""
        seen = np.concatenate([v[s] for v, s in zip(self.values, self.said, strict=True)])
        seen = seen[np.isfinite(seen)]
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
        lost = [s & ~np.isfinite(v) for v, s in zip(self.values, self.said, strict=True)]
        return int((lost[0] | lost[1]).sum())


def beside(
    runs: tuple[Trace, Trace],
    address: str,
    names: tuple[str, str] | None = None,
    pins: Mapping[str, int] | None = None,
    anchor: int = 0,
    by_place: bool = False,
    mean: bool = False,
) -> Beside:
    """One tensor of two runs of one model.

    Args:
        runs: the first and the second.
        address: of the tensor.
        names: the axes that are rows and columns, as `plan` takes them.
        pins: where the others are held, in the run `anchor`; a word's partner in the other one.
        anchor: 0 or 1.
        by_place: words stand beside each other by their places, also where the lengths differ.
        mean: of attention maps the mean over the heads.

    Raises:
        GlassformerError: `unknown_address` where one of them did not record it.
    """
    if mean and site_at(address).per_map:
        found = [_mean_of_heads(trace, address) for trace in runs]
        return _laid(address, found, runs, by_place, None)
    plans = [
        plan(runs[run], address, names, _pins_in(runs, address, pins or {}, anchor, run, by_place))
        for run in (0, 1)
    ]
    sheets = [cut(trace, address, each) for trace, each in zip(runs, plans, strict=True)]
    return _laid(address, sheets, runs, by_place, (plans[0], plans[1]))


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
        for pair in paired(one.labels, two.labels, by_place):
            partner = pair[run]
            if pair[anchor] == pins[one.name] and partner is not None:
                found[one.name] = partner
    return found


def _mean_of_heads(trace: Trace, address: str) -> Sheet:
    axes = {axis.name: axis for axis in trace.axes(address)}
    where, _, stage = address.rpartition("/")
    values = as_numpy(trace[address][0]).mean(axis=0)
    allowed = as_numpy(trace[f"{where}/mask"][0].any(dim=0))
    if stage == "weights":
        allowed = allowed | (values != 0)
    lines = [Lines(axes[name], np.arange(axes[name].size)) for name in ("query", "key")]
    return Sheet(
        values.astype(np.float32), allowed if stage in ("masked", "weights") else None, *lines
    )


def _laid(
    address: str,
    sheets: Sequence[Sheet],
    runs: tuple[Trace, Trace],
    by_place: bool,
    held: tuple[Plan, Plan] | None,
) -> Beside:
    rows = _edge(address, sheets[0].rows, sheets[1].rows, runs, by_place)
    columns = _edge(address, sheets[0].columns, sheets[1].columns, runs, by_place)
    values, there, allowed = [], [], []
    for run, sheet in enumerate(sheets):
        mesh = np.ix_(rows.places[run], columns.places[run])
        has = (mesh[0] != NONE) & (mesh[1] != NONE)
        free = np.ones(sheet.values.shape, bool) if sheet.allowed is None else sheet.allowed
        values.append(np.where(has, sheet.values[mesh], np.float32(np.nan)).astype(np.float32))
        there.append(has)
        allowed.append(np.where(has, free[mesh], True))
    return Beside(
        address=address,
        rows=rows,
        columns=columns,
        values=(values[0], values[1]),
        there=(there[0], there[1]),
        allowed=(allowed[0], allowed[1]),
        held=held,
    )


def _edge(address: str, one: Lines, two: Lines, runs: tuple[Trace, Trace], by_place: bool) -> Edge:
    name = one.axis.name if one.axis else ""
    labels = one.labels, two.labels
    if name not in WORDS or labels[0] is None or labels[1] is None:
        count = min(len(one), len(two))
        words = None if labels[0] is None or labels[1] is None else (labels[0], labels[1])
        return Edge(name, (np.arange(count), np.arange(count)), words)
    pairs = paired(labels[0], labels[1], by_place)
    places = [np.array([NONE if p[run] is None else p[run] for p in pairs]) for run in (0, 1)]
    words = labels[0], labels[1]
    if name == "query" and address.startswith("decoder"):  # with what each row writes
        kind: Literal["cross", "decoder"] = "cross" if "cross" in address else "decoder"
        words = sides(runs[0], kind)[0].labels, sides(runs[1], kind)[0].labels
    return Edge(name, (places[0], places[1]), words)


def picked(found: Beside, rows: np.ndarray, columns: np.ndarray) -> Beside:
    """Some of the lines."""

    def both(arrays: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        return arrays[0][np.ix_(rows, columns)], arrays[1][np.ix_(rows, columns)]

    return replace(
        found,
        rows=found.rows.taken(rows),
        columns=found.columns.taken(columns),
        values=both(found.values),
        there=both(found.there),
        allowed=both(found.allowed),
    )
