"""How often something took how long: counts in buckets, cheap enough to be kept always."""

from bisect import bisect_left
from itertools import accumulate

BOUNDS = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)


class Histogram:
    """Durations in seconds, counted by the first of `BOUNDS` that they do not exceed.

    What is above all of them is counted, too. Whoever adds holds a lock.
    """

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0  # all of them in sum

    def add(self, seconds: float) -> None:
        """Count one more."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def cumulative(self) -> list[tuple[str, float]]:
        """For each bound, and infinity, how many took at most so long: buckets of Prometheus."""
        return list(zip((*map(str, BOUNDS), "+Inf"), accumulate(self._counts), strict=True))
