"""From a trace to pandas tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from torch import Tensor

from core.trace.sites import letters

if TYPE_CHECKING:
    from core.trace.trace import Trace


def tidy(trace: Trace, address: str, **at: int) -> pd.DataFrame:
    """One row a number: a column for each free axis, and `value`.

    `<axis>_token` stands beside an axis that has words. Axes held by `at` (and the batch, at 0)
    are left out.
    """
    values = trace.pick(address, **at)
    free = [
        axis for axis in trace.axes(address) if axis.name not in at and axis.name != "batch"
    ]  # pick holds the batch
    grid = np.indices(values.shape).reshape(len(free), -1)
    columns: dict[str, object] = {}
    for axis, positions in zip(free, grid, strict=True):
        if axis.name == "one":
            continue
        columns[axis.name] = positions
        if axis.labels is not None:
            columns[f"{axis.name}_token"] = np.asarray(axis.labels, dtype=object)[positions]
    columns["value"] = as_numpy(values).reshape(-1)
    return pd.DataFrame(columns)


def summary(trace: Trace, wanted: Iterable[str] | None = None) -> pd.DataFrame:
    """A line for each address: shape, minimum, maximum, mean, standard deviation, bytes.

    Statistics are over the finite entries (a mask fill of −∞ is counted in `not_finite`); the
    standard deviation is the population's. `bytes` is the tensor's own size, `shared` says whether
    it lies in the memory of an earlier tensor.
    """
    rows, seen = [], set[int]()
    for address in trace if wanted is None else wanted:
        tensor = trace[address]
        place = tensor.untyped_storage().data_ptr()
        rows.append(
            {
                "address": address,
                "shape": " × ".join(map(str, tensor.shape)),
                "letters": " × ".join(letters(address)),
                **_statistics(tensor),
                "bytes": tensor.numel() * tensor.element_size(),
                "shared": place in seen,
            }
        )
        seen.add(place)
    return pd.DataFrame(rows)


def as_numpy(tensor: Tensor) -> np.ndarray:
    """The numbers on the host, for pandas and Plotly."""
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array


def _statistics(tensor: Tensor) -> dict[str, float]:
    values = as_numpy(tensor).astype(np.float64, copy=False)
    finite = values[np.isfinite(values)]
    lost = values.size - finite.size
    if finite.size == 0:
        return dict.fromkeys(("min", "max", "mean", "std"), float("nan")) | {"not_finite": lost}
    return {
        "min": float(finite.min()),
        "max": float(finite.max()),
        "mean": float(finite.mean()),
        "std": float(finite.std()),
        "not_finite": lost,
    }
