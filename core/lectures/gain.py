"""What an audience has learned: the same question before and after, counted over pairs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95  # how often such an interval holds the gain that a larger audience would have


@dataclass(frozen=True)
class Gain:
    """Of those who answered twice: how many, shares right before and after, and the gain.

    low, high: the interval of the gain; all shares and the gain lie between −1 and 1.
    """

    pairs: int
    before: float
    after: float
    gain: float
    low: float
    high: float


def measure_gain(answers: Iterable[tuple[bool, bool]], level: float = LEVEL) -> Gain | None:
    """The gain of an audience, share right after − share right before, with its interval.

    The two shares are of the same people, so only those who changed count. The interval is the
    adjusted Wald interval for paired proportions of Bonett and Price (2012, Journal of Educational
    and Behavioral Statistics 37, 479–488): one is added to each of the two counts of changes.
    Fagerland, Lydersen and Laake (2014, Statistics in Medicine 33, 2850–2875) recommend it.

    Args:
        answers: of each person, whether right before and whether right after.
        level: of the interval, between 0 and 1.

    Returns:
        The gain; None where nobody answered twice.
    """
    held = list(answers)
    if not held:
        return None
    count = len(held)
    won = sum(after and not before for before, after in held)
    lost = sum(before and not after for before, after in held)
    up, down = (won + 1) / (count + 2), (lost + 1) / (count + 2)
    middle = up - down
    reach = NormalDist().inv_cdf((1 + level) / 2)
    reach *= math.sqrt((up + down - middle**2) / (count + 2))
    return Gain(
        count,
        sum(before for before, _ in held) / count,
        sum(after for _, after in held) / count,
        (won - lost) / count,
        max(-1.0, middle - reach),
        min(1.0, middle + reach),
    )
