"""One heat map of a block's panel: the numbers, and how they are to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

CLOSE = 1.15  # a largest value that is no further above the others is the end of the scale
ScaleKind = Literal["signed", "positive", "plain"]


@dataclass(frozen=True)
class Picture:
    """One heat map. Rows are words; columns are numbered from 1, or words where `columns` has them.

    With a `step` above 1 a column stands for that many neighbours. `cells` are texts written into
    the cells. `limit` is where the colour scale ends; a picture without one (None) ends where
    `bulk` says. "plain" pictures are not coloured. `address` is that of the tensor whose numbers
    these are, "" where they are none that a run has recorded, such as a mean.
    """

    title: str
    values: np.ndarray  # (T, C) float32
    axis: str  # what a column is: "feature", "word"
    scale: ScaleKind = "signed"
    role: str = "data"
    limit: float | None = None
    columns: tuple[str, ...] | None = None
    step: int = 1
    cells: tuple[tuple[str, ...], ...] = ()
    allowed: np.ndarray | None = None  # (T, C) False where the mask forbids: hatched
    share: float = 1.0  # of the width, against the other pictures
    address: str = ""

    @property
    def end(self) -> float:
        """Where the colour scale ends."""
        return bulk(self.values) if self.limit is None else self.limit

    @property
    def clipped(self) -> bool:
        """Whether values lie beyond the end of the colour scale."""
        return self.scale != "plain" and reach(self.values) > self.end * (1 + 1e-6)


def bulk(values: np.ndarray) -> float:
    """The magnitude below which 99% of the numbers other than 0 lie: a few must not fade the rest.

    The largest one where it is not far above; 1 where there is none.
    """
    sizes = np.abs(values[np.isfinite(values)])
    largest = reach(values)
    most = float(np.percentile(sizes[sizes > 0], 99)) if (sizes > 0).any() else largest
    return most if largest > CLOSE * most else largest


def reach(*values: np.ndarray) -> float:
    """The largest finite magnitude of the arrays together; 1 where there is none."""
    finite = [np.abs(array[np.isfinite(array)]).max(initial=0.0) for array in values]
    return float(max(finite, default=0.0)) or 1.0
