"""What keeping keys and values saves, measured here and now."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from core.decoding.forced import continued
from core.decoding.task import Task
from core.model.transformer import Transformer
from core.trace.tape import SILENT

SECONDS = 1.2  # so long both ways together are repeated
LEAST, MOST = 3, 200  # rounds


@dataclass(frozen=True)
class Speed:
    """Seconds that one decoding took, the median of some rounds."""

    with_cache: float
    without_cache: float
    rounds: int

    @property
    def ratio(self) -> float:
        """How many times as fast it is with the cache."""
        return self.without_cache / self.with_cache


def measured(
    model: Transformer,
    task: Task,
    words: Sequence[int],
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> Speed:
    """Times the decoding of the same words with and without the cache, in turn.

    In turn, so that whatever else the machine does disturbs both alike.
    """
    forced = dict(enumerate(words))
    ways = (None, lambda: SILENT)
    taken: tuple[list[float], list[float]] = ([], [])
    begin = clock()
    for done in range(MOST + 1):  # the first round warms up and does not count
        for way, times in zip(ways, taken, strict=True):
            start = clock()
            continued(model, task, forced, way)
            times.append(clock() - start)
        if done >= LEAST and clock() - begin > seconds:
            break
    return Speed(median(taken[0][1:]), median(taken[1][1:]), len(taken[0]) - 1)
