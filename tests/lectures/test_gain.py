"""What an audience has learned: the interval against published values and its own promise."""

from itertools import product
from math import factorial

import pytest

from glassformer.core.lectures.gain import measure_gain


def answers(neither: int, lost: int, won: int, both: int) -> list[tuple[bool, bool]]:
    """Whether right before and after, by how many gave such a pair of answers."""
    return [
        *[(False, False)] * neither, *[(True, False)] * lost, *[(False, True)] * won,
        *[(True, True)] * both,
    ]  # fmt: skip


def test_the_interval_is_the_published_one() -> None:
    # The worked example of `ci.prop.ps` in the manual of the R package statpsych, by one of the
    # interval's authors; and the asthma data of Bentur et al. (2009) in Fagerland et al. (2014).
    found = measure_gain(answers(12, 4, 26, 6))
    assert found is not None and found.pairs == 48
    assert (found.low, found.high) == pytest.approx((0.2548067, 0.6251933), abs=1e-7)
    assert (found.before, found.after) == pytest.approx((10 / 48, 32 / 48))
    assert found.gain == pytest.approx(22 / 48)
    found = measure_gain(answers(12, 7, 1, 1))
    assert found is not None and found.gain == pytest.approx(-6 / 21)
    assert (found.low, found.high) == pytest.approx((-0.508, -0.013), abs=5e-4)


@pytest.mark.parametrize("count", [10, 25])
def test_the_interval_holds_the_gain_as_often_as_it_says(count: int) -> None:
    """Its coverage, summed over all that an audience can answer: on average 95 %, seldom less."""
    held = []
    for won, lost in [(0.05, 0.05), (0.2, 0.05), (0.4, 0.1), (0.6, 0.05), (0.3, 0.3), (0.8, 0.1)]:
        share = 0.0
        for up, down in product(range(count + 1), repeat=2):
            if up + down > count:
                continue
            found = measure_gain(answers(count - up - down, down, up, 0))
            assert found is not None
            if found.low <= won - lost <= found.high:
                ways = factorial(count) // (
                    factorial(up) * factorial(down) * factorial(count - up - down)
                )
                share += ways * won**up * lost**down * (1 - won - lost) ** (count - up - down)
        held.append(share)
    assert 0.94 <= sum(held) / len(held) <= 0.99, held
    assert min(held) > 0.925, held


def test_few_answers_make_a_wide_interval_and_none_makes_none() -> None:
    assert measure_gain([]) is None
    one, many = (measure_gain([(False, True)] * count) for count in (1, 100))
    assert one is not None and many is not None
    assert one.gain == many.gain == 1
    assert one.low < 0 and many.low > 0.9 and one.high <= 1 and many.high <= 1
