"""Votes as bars: round limits, the truth among them, whoever jokes apart."""

from itertools import pairwise
from typing import Any

import pytest

from glassformer.app.hall.screen import MOST_BARS, _word_bars, number_bars


def limits(bars: list[dict[str, Any]]) -> list[tuple[Any, Any, int]]:
    return [(bar["from"], bar["to"], bar["count"]) for bar in bars]


def test_no_vote_no_bar() -> None:
    assert number_bars({}, 5) == []


def test_one_number() -> None:
    assert number_bars({5.0: 3}, 5.0) == [{"from": 5.0, "to": 5.0, "count": 3, "truth": True}]
    assert [bar["truth"] for bar in number_bars({5.0: 3}, None)] == [False]


def test_bars_are_round_and_hold_every_vote_and_the_truth() -> None:
    votes = {10.0: 4, 20.0: 5, 35.0: 2, 60.0: 1, 0.3: 1}
    bars = number_bars(votes, 71.5)
    assert sum(bar["count"] for bar in bars) == 13
    assert [bar["from"] for bar in bars if bar["truth"]] == [60.0]
    assert all(later["from"] == bar["to"] for bar, later in pairwise(bars))


def test_limits_are_written_without_rounding_errors() -> None:
    bars = number_bars({0.1: 1, 0.2: 1, 0.3: 1, 0.7: 1}, 0.6)
    assert limits(bars)[0] == (0.1, 0.2, 1) and limits(bars)[2] == (0.3, 0.4, 1)


def test_a_joker_stands_apart() -> None:
    votes = {float(each): 1 for each in range(10, 30)} | {1e9: 1, -1e9: 1}
    bars = number_bars(votes, 12.0)
    assert bars[0]["from"] is None and bars[0]["count"] == 1
    assert bars[-1]["to"] is None and bars[-1]["count"] == 1
    assert len(bars) <= MOST_BARS + 3 and sum(bar["count"] for bar in bars) == 22
    alike = number_bars({50.0: 20, 1e9: 1}, 50.0)
    assert limits(alike) == [(50.0, 50.0, 20), (50.0, None, 1)]


@pytest.mark.parametrize("truth", [None, -3.0, 1e6])
def test_there_are_never_many(truth: float | None) -> None:
    votes = {each / 7: 1 for each in range(500)}
    bars = number_bars(votes, truth)
    assert len(bars) <= MOST_BARS + 3 and sum(bar["count"] for bar in bars) == 500


def test_words_the_most_chosen_first_and_the_truth_always() -> None:
    votes = {f"w{each}": each + 1 for each in range(12)}
    bars = _word_bars(votes, "nobody's")
    assert bars[0]["word"] == "w11" and {"word": "nobody's", "count": 0, "truth": True} in bars
    assert bars[-1]["word"] is None and sum(bar["count"] for bar in bars) == sum(votes.values())
