"""How things are timed here: CPU time of this process, variants in random order, many rounds.

Another process on the same cores changes absolute times from one second to the next. It changes
two variants that run one after the other by the same factor, so each round gives a ratio, and the
median of the rounds' ratios is what is reported, with its quartiles.
"""

from __future__ import annotations

import gc
import random
import resource
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median, quantiles

from torch import Tensor

SHORTEST = 0.02  # seconds; a variant that is over sooner is repeated within its sample
FEWEST, MOST = 3, 60  # rounds
SLOW = 0.5  # seconds; a call this long is not tried out twice

Work = Callable[[], object]


@dataclass(frozen=True)
class Sample:
    """One call, averaged over its repeats."""

    seconds: float
    faults: float  # pages of memory that the system had to hand out


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(values: Iterable[float]) -> Spread:
        known = list(values)
        low, middle, high = quantiles(known, n=4, method="inclusive")
        return Spread(middle, low, high)

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({self.low:.2f}–{self.high:.2f})"


@dataclass
class Race:
    """The samples of several variants; the entries of one round were taken in a row."""

    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def ratio(self, name: str, to: str) -> Spread:
        """How many times as long `name` took as `to`."""
        pairs = zip(self.samples[name], self.samples[to], strict=True)
        return Spread.of(one.seconds / other.seconds for one, other in pairs)

    def milliseconds(self, name: str) -> float:
        return median(sample.seconds for sample in self.samples[name]) * 1000

    def faults(self, name: str) -> float:
        return median(sample.faults for sample in self.samples[name])

    @property
    def rounds(self) -> int:
        return min(len(samples) for samples in self.samples.values())


def race(variants: Mapping[str, Work], seconds: float, seed: int = 0) -> Race:
    """Runs the variants round after round, for about so many seconds of real time.

    Whatever a call returns is released before the clock is read: making room and giving it back
    both belong to the price of a recording.
    """
    order, result = random.Random(seed), Race({name: [] for name in variants})
    _forget_the_past()
    repeats = {name: _repeats(work) for name, work in variants.items()}
    end = time.monotonic() + seconds
    while result.rounds < FEWEST or (time.monotonic() < end and result.rounds < MOST):
        for name in order.sample(list(variants), len(variants)):
            result.samples[name].append(sample(variants[name], repeats[name]))
    return result


def sample(work: Work, repeats: int = 1) -> Sample:
    """CPU time and page faults of one call."""
    gc.collect()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    start = time.process_time()
    for _ in range(repeats):
        work()
    spent = time.process_time() - start
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    return Sample(spent / repeats, faults / repeats)


def _repeats(work: Work) -> int:
    first = sample(work).seconds  # pays for what is loaded late
    if first > SLOW:
        return 1
    return max(1, round(SHORTEST / max(sample(work).seconds, 1e-5)))


def _forget_the_past() -> None:
    # What the imports left behind is never garbage; walking it would drown the small samples.
    gc.collect()
    gc.freeze()


def held_bytes(tensors: Iterable[Tensor], owned: Iterable[Tensor] = ()) -> int:
    """Bytes of memory that the tensors hold; views count once, the `owned` (parameters) never."""
    known = {tensor.untyped_storage().data_ptr() for tensor in owned}
    storages = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors
    }
    return sum(size for place, size in storages.items() if place not in known)
