"""What a tensor's numbers are like, which of them say something, and where a run lost them."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from glassformer.core.trace.address import Address
from glassformer.core.trace.shapes import shape_letters
from glassformer.core.trace.sites import Site, site_at
from glassformer.core.trace.tables import as_numpy
from glassformer.core.trace.trace import Trace


def informative_mask(trace: Trace, address: str) -> Tensor | None:
    """Where the numbers of an attention map say something.

    A cell says nothing where the mask forbids it: its masked score is a fill and its weight 0.
    A forbidden weight that is not 0 (a row in which everything is forbidden) does say something.

    Args:
        trace: the run that is read.
        address: of any tensor.

    Returns:
        (B, H, T, S) truth values where the model is; None where all numbers say something: always
        but for `mask`, `masked` and `weights`.

    Raises:
        KeyError: an address that no run can have.
        GlassformerError: `unknown_address` for an attention that the run does not have.
    """
    site = site_at(address)
    if site.group != "attention" or site.name not in ("mask", "masked", "weights"):
        return None
    mask = trace[Address.of(address).sibling("mask")]
    if site.name == "weights":
        mask = mask | (trace[address] != 0)
    return None if mask.all() else mask


def fills_left_out(trace: Trace, address: str) -> np.ndarray | None:
    """False where the attention mask wrote its fill.

    The zeros that become of them in the weights are numbers like any other.

    Args:
        trace: the run that is read.
        address: of any tensor.

    Returns:
        (B, H, T, S) truth values; None for a tensor without fills.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    found = informative_mask(trace, address) if trace.site(address).name == "masked" else None
    return None if found is None else as_numpy(found)


SPARK_BINS = 24
DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)  # hexadecimal, as ASCII


@dataclass(frozen=True)
class Measure:
    """Statistics over the finite entries; what is left out is counted.

    `std` is the population's. With no finite entry the four statistics are NaN.
    """

    count: int  # entries in all
    least: float
    most: float
    mean: float
    std: float
    masked: int = 0  # fills of the attention mask
    nan: int = 0
    infinite: int = 0

    @property
    def limits(self) -> tuple[float, float]:
        """The range of a colour scale: symmetric about 0 for signed values, from 0 otherwise."""
        most = self.most if self.most > 0 else 0.0
        if not self.least < 0:
            return 0.0, most or 1.0
        reach = max(-self.least, most)
        return -reach, reach


@dataclass(frozen=True)
class Histogram:
    """How many values lie between each two neighbouring edges."""

    edges: np.ndarray  # (bins + 1,) float64
    counts: np.ndarray  # (bins,) integers


@dataclass(frozen=True)
class Measured:
    """One address of a run in a line: what it is, its shape, its numbers, its memory."""

    address: str
    site: Site
    shape: tuple[int, ...]
    letters: tuple[str, ...]
    measure: Measure
    spark: str  # heights of a small histogram, a hexadecimal digit a bin; "" with nothing finite
    nbytes: int  # the tensor's own size
    shared: bool  # lies in the memory of an earlier tensor


def measure(values: np.ndarray, said: np.ndarray | None = None) -> Measure:
    """Statistics of an array over its finite entries; what is left out is counted.

    Args:
        values: numbers or truth values, of any shape.
        said: of the same shape, False for entries that are left out; None for none.

    Returns:
        Least, most, mean and standard deviation (the population's), NaN with no finite entry; and
        how many entries there are, masked, NaN and infinite.
    """
    return _measure(values, said, *_finite(values, said))


def _finite(values: np.ndarray, said: np.ndarray | None) -> tuple[np.ndarray, int, int]:
    """The finite entries in the type that they have, and how many are NaN and infinite."""
    numbers = values.reshape(-1) if said is None else values[said]
    there = np.isfinite(numbers)
    if there.all():
        return numbers, 0, 0
    finite = numbers[there]
    nan = int(np.isnan(numbers).sum())
    return finite, nan, numbers.size - finite.size - nan


def _measure(
    values: np.ndarray, said: np.ndarray | None, finite: np.ndarray, nan: int, infinite: int
) -> Measure:
    masked = 0 if said is None else int(said.size - np.count_nonzero(said))
    lost = {"masked": masked, "nan": nan, "infinite": infinite}
    if finite.size == 0:
        return Measure(values.size, np.nan, np.nan, np.nan, np.nan, **lost)
    exact = finite.astype(np.float64)
    mean = exact.mean()
    exact -= mean
    std = math.sqrt(np.square(exact, out=exact).mean())
    return Measure(values.size, float(finite.min()), float(finite.max()), float(mean), std, **lost)


def histogram(values: np.ndarray, said: np.ndarray | None = None, bins: int = 40) -> Histogram:
    """The distribution of the finite values over equal bins from the least to the most.

    Whole numbers that span fewer values than `bins` get one bin each, centred on them.

    Args:
        values: numbers or truth values, of any shape.
        said: of the same shape, False for entries that are left out; None for none.
        bins: how many bins, at most; fewer for few values: about twice the square root of their
            number, 8 or more.

    Returns:
        Edges and counts; one bin around a value that all have, an empty one from 0 to 1 with
        nothing finite.
    """
    return _histogram(_finite(values, said)[0], bins)


def _histogram(finite: np.ndarray, bins: int) -> Histogram:
    if finite.size == 0:
        return Histogram(np.array([0.0, 1.0]), np.array([0]))
    ordered = np.sort(finite)
    least, most = float(ordered[0]), float(ordered[-1])
    if finite.dtype.kind in "bi" and most - least < bins:
        edges = np.arange(least - 0.5, most + 1.0)
    elif least == most:
        edges = least + np.array([-0.5, 0.5]) * max(abs(least) * 0.1, 1e-6)
    else:
        wanted = max(8, 2 * int(np.sqrt(finite.size)))
        edges = np.linspace(least, most, min(bins, wanted) + 1)
    # As numpy's: each bin has its lower edge, the last one both. Most of a small one's time is
    # what numpy asks before it counts; float32 is sorted in a third of float64's time.
    below = ordered.searchsorted(edges)
    below[-1] = finite.size
    return Histogram(edges, below[1:] - below[:-1])


def histogram_at(trace: Trace, address: str) -> Histogram:
    """The distribution of a recorded tensor, the fills of its attention mask left out.

    Args:
        trace: the run that is read.
        address: of the tensor.

    Returns:
        At most 40 bins, see `histogram`.

    Raises:
        GlassformerError: `unknown_address` where nothing is recorded there.
    """
    return histogram(as_numpy(trace[address]), fills_left_out(trace, address))


def measure_addresses(trace: Trace) -> tuple[Measured, ...]:
    """A line for every address of the run: what it is, its shape, its numbers, its memory.

    Args:
        trace: the run that is read.

    Returns:
        In computation order; what was left out of the run is computed again.
    """
    entries, seen = [], set[int]()
    for address in trace:
        tensor = trace[address]
        place = tensor.untyped_storage().data_ptr()
        values, said = as_numpy(tensor), fills_left_out(trace, address)
        finite, nan, infinite = _finite(values, said)
        drawn = _histogram(finite, SPARK_BINS)
        entries.append(
            Measured(
                address=address,
                site=trace.site(address),
                shape=tuple(tensor.shape),
                letters=shape_letters(address),
                measure=_measure(values, said, finite, nan, infinite),
                spark=_spark(drawn),
                nbytes=tensor.numel() * tensor.element_size(),
                shared=place in seen,
            )
        )
        seen.add(place)
    return tuple(entries)


def _spark(drawn: Histogram) -> str:
    """Heights grow with the square root of the count, so that a thin tail is still seen."""
    if not drawn.counts.any():
        return ""
    heights = np.ceil(15 * np.sqrt(drawn.counts / drawn.counts.max())).astype(int)
    return DIGITS[heights].tobytes().decode()


@dataclass(frozen=True)
class Lost:
    """The first number that is none: its tensor, its place there (the batch too), and why.

    closed_row: the softmax of a row in which nothing may be looked at, all of it −∞.
    """

    address: str
    index: tuple[int, ...]
    closed_row: bool


def first_lost(trace: Trace) -> Lost | None:
    """The first number of a run, in computation order, that is NaN or infinite without being meant.

    `masked` scores of −∞ are meant: that is how a mask is written. What was left out of the run to
    save memory is not looked at.

    Args:
        trace: the run that is read.

    Returns:
        Its tensor and its place there, the batch too; None where all is well.
    """
    for address in trace:
        if address not in trace.tensors:
            continue  # left out of the run to save memory
        lost = _lost(address, trace.tensors[address])
        if lost is not None and lost.any():
            first = lost.nonzero()[0].tolist()
            return Lost(address, tuple(first), _is_closed(trace, address, first))
    return None


def _lost(address: str, values: Tensor) -> Tensor | None:
    if not values.is_floating_point():
        return None
    meant = values.isfinite()
    if Address.of(address).name == "masked":
        meant = meant | (values == -torch.inf)
    return ~meant


def _is_closed(trace: Trace, address: str, index: list[int]) -> bool:
    at = Address.of(address)
    if at.name != "weights":
        return False
    masked = trace[at.sibling("masked")]
    return bool((masked[tuple(index[:-1])] == -torch.inf).all())
