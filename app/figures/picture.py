"""One heat map of a block's panel: the numbers, and how they are to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

ScaleKind = Literal["signed", "positive", "plain"]


@dataclass(frozen=True)
class Picture:
    """One heat map. Rows are words; columns are numbered from 1, or words where `columns` has them.

    With a `step` above 1 a column stands for that many neighbours. `cells` are texts written into
    the cells. `limit` is where the colour scale ends; pictures without one (None) share the scale
    of the largest magnitude in any of them. "plain" pictures are not coloured.
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


def reach(*values: np.ndarray) -> float:
    """The largest finite magnitude of the arrays together; 1 where there is none."""
    finite = [np.abs(array[np.isfinite(array)]).max(initial=0.0) for array in values]
    return float(max(finite, default=0.0)) or 1.0
