"""From a trace to pandas tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

if TYPE_CHECKING:
    import pandas as pd

    from glassformer.core.trace.trace import Trace


def tidy_table(trace: Trace, address: str, **at: int | str) -> pd.DataFrame:
    """One row a number: a column for each free axis, and `value`.

    Args:
        trace: the run that is read.
        address: of the tensor.
        **at: the axes that are held, as for `Trace.pick`.

    Returns:
        A table in which `<axis>_token` stands beside an axis that has words. The axes that are
        held, and the batch, are left out.

    Raises:
        GlassformerError: as `Trace.pick`.
    """
    import pandas as pd  # slow to import, and no page needs it to be drawn

    return pd.DataFrame(columns(trace, address, **at))


def columns(trace: Trace, address: str, **at: int | str) -> dict[str, NDArray[Any]]:
    """What `tidy_table` makes a table of: equally long arrays by the names of their columns.

    Args:
        trace: the run that is read.
        address: of the tensor.
        **at: the axes that are held, as for `Trace.pick`.

    Returns:
        For each free axis but `one` its positions, counted from 0, and its words as `<axis>_token`
        where it has any; last the numbers as `value`.

    Raises:
        GlassformerError: as `Trace.pick`.
    """
    values = trace.pick(address, **at)
    free = [
        axis for axis in trace.axes(address) if axis.name not in at and axis.name != "batch"
    ]  # pick holds the batch
    grid = np.indices(values.shape).reshape(len(free), -1)
    made: dict[str, NDArray[Any]] = {}
    for axis, positions in zip(free, grid, strict=True):
        if axis.name == "one":
            continue
        made[axis.name] = positions
        if axis.labels is not None:
            made[f"{axis.name}_token"] = np.asarray(axis.labels, dtype=object)[positions]
    made["value"] = as_numpy(values).reshape(-1)
    return made


def as_numpy(tensor: Tensor) -> np.ndarray:
    """The numbers on the host, for pandas and Plotly.

    Args:
        tensor: of any shape and device.

    Returns:
        An array of the same shape and type, float32 for bfloat16, which NumPy has not; of a tensor
        on the CPU it shares the memory.
    """
    known = tensor.cpu().float() if tensor.dtype == torch.bfloat16 else tensor
    array: np.ndarray = known.numpy(force=True)
    return array


def exact_numbers(tensor: Tensor) -> NDArray[np.float64]:
    """The numbers in float64 on the host.

    Args:
        tensor: of any shape and device.

    Returns:
        A new array of the same shape.
    """
    return as_numpy(tensor).astype(np.float64)
