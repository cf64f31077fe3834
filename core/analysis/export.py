"""One tensor, or the whole run, as the bytes of a file to take away.

Nothing is computed before it is asked for: the sizes follow from shapes alone.
"""

from __future__ import annotations

import csv
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.torch import save

from glassformer.core.trace.on_demand import LOGITS
from glassformer.core.trace.tables import as_numpy, columns
from glassformer.core.trace.trace import Trace

if TYPE_CHECKING:
    import pandas as pd

CSV_SAMPLE = 64  # numbers, from which the size of the whole table is estimated
CSV_COUNTED = 1000  # numbers up to which the table is written to know its size
NPZ_HEADER, SAFETENSORS_HEADER = 236, 140  # bytes of names and shapes, about
RUN_HEADER = 190  # the same for each tensor of a run


@dataclass(frozen=True)
class Sizes:
    """About how many bytes each file will have."""

    csv: int
    npz: int
    safetensors: int
    whole_run: int


def csv_bytes(trace: Trace, address: str, **at: int) -> bytes:
    """The tidy table of a tensor: a row a number, a column an axis, words beside positions.

    Every float32 is written with the digits that give back the same float32.

    Args:
        trace: the run that is read.
        address: of the tensor.
        at: the axes that are held, as `Trace.table` takes them: an index from 0 by the axis' name;
            the batch is held at 0 unless it is named.

    Returns:
        A CSV file, see `as_csv`; "NaN" stands for what is no number.

    Raises:
        GlassformerError: `unknown_address`, `unknown_axis`, or `out_of_range` for an index beyond
            the end of an axis.
    """
    return as_csv(trace.table(address, **at), missing="NaN")


def as_csv(table: pd.DataFrame, missing: str = "") -> bytes:
    """A table as a file: UTF-8 with a byte-order mark, without which spreadsheets misread Chinese.

    Args:
        table: what is written, without its index.
        missing: what stands for a number that is none.

    Returns:
        A CSV file, the names of the columns first, lines ended by a line feed.
    """
    written: str = table.to_csv(index=False, na_rep=missing, lineterminator="\n")
    return written.encode("utf-8-sig")


def npz_bytes(trace: Trace, address: str) -> bytes:
    """A NumPy archive with the tensor under its address: `np.load(file)[address]`.

    Args:
        trace: the run that is read.
        address: of the tensor.

    Returns:
        The file; the tensor is whole, with its batch.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    held = io.BytesIO()
    np.savez(held, allow_pickle=False, **{address: as_numpy(trace[address])})
    return held.getvalue()


def safetensors_bytes(trace: Trace, address: str) -> bytes:
    """A safetensors file with the tensor under its address, and the axes in its header.

    Args:
        trace: the run that is read.
        address: of the tensor.

    Returns:
        The file; the tensor is whole, with its batch. Its metadata are `address` and, separated by
        commas, `axes`.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    axes = ",".join(axis.name for axis in trace.axes(address))
    tensor = trace[address].cpu().clone().contiguous()  # a view is written out in full
    return save({address: tensor}, metadata={"address": address, "axes": axes})


def run_bytes(trace: Trace) -> bytes:
    """The whole run as `Trace.save` writes it; `Trace.load` opens it again.

    Args:
        trace: the run that is written.

    Returns:
        A safetensors file.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.safetensors"
        trace.save(path)
        return path.read_bytes()


def file_stem(address: str) -> str:
    """A file name, without ending, for an address.

    Args:
        address: of a tensor.

    Returns:
        The address with dots for slashes.
    """
    return address.replace("/", ".")


def file_sizes(trace: Trace, address: str) -> Sizes:
    """About how large each file of a tensor and that of the run will be.

    The CSV's size is estimated from a few of its rows where the tensor is large.

    Args:
        trace: the run that is read.
        address: of the tensor.

    Returns:
        Sizes in bytes.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    tensor = trace[address]
    own = tensor.numel() * tensor.element_size()
    held = {**trace.tensors, **({LOGITS: trace[LOGITS]} if LOGITS in trace else {})}  # as saved
    everything = sum(each.numel() * each.element_size() for each in held.values())
    return Sizes(
        csv=_csv_size(trace, address),
        npz=own + NPZ_HEADER + 2 * len(address),
        safetensors=own + SAFETENSORS_HEADER + len(address),
        whole_run=everything + RUN_HEADER * len(held),
    )


def _csv_size(trace: Trace, address: str) -> int:
    """That of the table itself where it is small; else of an average row, times their number."""
    tensor = trace[address]
    if tensor.numel() <= CSV_COUNTED:
        table = columns(trace, address)
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(
            [table, *zip(*table.values(), strict=True)]
        )
        return len(written.getvalue().encode("utf-8-sig"))
    apart = max(1, tensor.numel() // CSV_SAMPLE)
    sample = as_numpy(tensor.reshape(-1)[::apart][:CSV_SAMPLE])
    row = float(np.mean([len(str(number)) for number in sample])) + 1
    for axis in trace.axes(address):
        if axis.name in ("batch", "one"):
            continue
        row += len(str(axis.size - 1)) + 1
        if axis.labels:
            row += 1 + sum(len(word.encode()) for word in axis.labels) / len(axis.labels)
    return int(row * tensor.numel()) + 100
