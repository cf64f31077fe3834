"""Tensors of a step as sheets of numbers, and the split into heads as blocks."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from glassformer.app.plots.colours import head_colour
from glassformer.app.plots.heat import bulk_magnitude
from glassformer.app.plots.labels import visible
from glassformer.app.plots.theme import FigureStyle
from glassformer.core.trace.sites import Axis

EXACT_CELLS = 40_000  # of all panels together; beyond it only the colours are sent
_LEVELS = 254


@dataclass(frozen=True)
class Sheet:
    """Two axes of a tensor, the others held at the chosen place."""

    values: np.ndarray  # (R, C) float32
    rows: Axis
    columns: Axis
    at: tuple[int, int]  # the chosen cell
    allowed: np.ndarray | None = None  # (R, C) False where the mask forbids

    @property
    def value(self) -> float:
        """The chosen number."""
        return float(self.values[self.at])


def sheet(
    values: np.ndarray, axes: Sequence[Axis], at: Mapping[str, int],
    allowed: np.ndarray | None = None,
) -> Sheet:  # fmt: skip
    """The last two axes of a tensor, or its last one as a column where it has but one and a batch.

    values and allowed are cut at `held_at`, axes are whole; at: the chosen place on every axis.
    """
    if _is_list(axes):
        axes, values = (*axes, Axis("one", "1", 1)), values[:, None]
    rows, columns = axes[-2:]
    place = (at[rows.name], at.get(columns.name, 0))
    return Sheet(np.ascontiguousarray(values, dtype=np.float32), rows, columns, place, allowed)


def _is_list(axes: Sequence[Axis]) -> bool:
    """Whether a tensor has but one axis and a batch."""
    return len(axes) == 2 and axes[0].name == "batch"


def held_at(axes: Sequence[Axis], at: Mapping[str, int]) -> tuple[int, ...]:
    """Where the axes before the last two are held: the index that cuts a sheet's numbers out."""
    return tuple(at[axis.name] for axis in axes[: -1 if _is_list(axes) else -2])


def index_of(axes: Sequence[Axis], at: Mapping[str, int], row: int, column: int) -> tuple[int, ...]:
    """The index of a sheet's cell in its tensor."""
    return (*held_at(axes, at), row) if _is_list(axes) else (*held_at(axes, at), row, column)


def limit_of(sheets: Sequence[Sheet]) -> float:
    """Where the colour scale of some sheets ends; what the mask forbids does not count."""
    said = [each.values if each.allowed is None else each.values[each.allowed] for each in sheets]
    return bulk_magnitude(np.concatenate([values.ravel() for values in said]))


def sheet_data(found: Sheet, limit: float, positive: bool, exact: bool) -> dict[str, Any]:
    """The numbers of a sheet for the browser: float32, or a byte a cell where they are too many."""
    low, high = _beyond(found, limit)
    data: dict[str, Any] = {
        "rows": _edge(found.rows),
        "columns": _edge(found.columns),
        "at": list(found.at),
        "limit": limit,
        "positive": positive,
        "beyond": [not positive and low, high],
        "allowed": None if found.allowed is None else _base64(found.allowed.astype(np.uint8)),
    }
    if exact:
        return data | {"values": _base64(found.values.astype("<f4"))}
    start = 0.0 if positive else -limit
    shares = np.clip((np.nan_to_num(found.values) - start) / (limit - start), 0, 1)
    return data | {"levels": _base64(np.rint(shares * _LEVELS).astype(np.uint8))}


def _beyond(found: Sheet, limit: float) -> tuple[bool, bool]:
    """Whether numbers lie below and above the ends of the colours, but for rounding."""
    shown = found.values if found.allowed is None else found.values[found.allowed]
    finite, end = shown[np.isfinite(shown)], limit * (1 + 1e-6)
    return bool((finite < -end).any()), bool((finite > end).any())


def _edge(axis: Axis) -> dict[str, Any]:
    labels = None if axis.labels is None else [visible(label) for label in axis.labels]
    side = axis.letter if axis.labels is not None else ""  # rows of one sentence are one line
    return {"name": axis.name, "size": axis.size, "labels": labels, "link": side or axis.name}


def _base64(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def regrouping_data(
    values: np.ndarray,
    axes: Sequence[Axis],
    at: Mapping[str, int],
    forms: Sequence[str],
    look: FigureStyle,
) -> dict[str, Any]:
    """What is drawn of a regrouping.

    values (H, T, K) with their axes (batch, head, place, feature); forms: of the arrangements
    from first to last, "heads", "apart" or "joined".
    """
    _, head, place, feature = axes
    limit = bulk_magnitude(values)
    levels = np.rint(np.clip(np.nan_to_num(np.abs(values)) / limit, 0, 1) * _LEVELS)
    return {
        "forms": list(forms),
        "levels": _base64(levels.astype(np.uint8)),
        "size": [head.size, place.size, feature.size],
        "at": [at[axis.name] for axis in (head, place, feature)],
        "labels": [visible(label) for label in place.labels or ()],
        "hues": [head_colour(index, look.dark) for index in range(head.size)],
        "limit": limit,
    }
