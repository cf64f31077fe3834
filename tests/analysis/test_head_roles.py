"""What a head does, on weights whose answer is known."""

import numpy as np
import pytest

from glassformer.core.analysis.attention_views import HeadMap, Side
from glassformer.core.analysis.head_roles import (
    ROLES,
    Head,
    describe,
    heads_of,
    measure_roles,
    rank_heads,
)
from tests.traces import small_trace

SIZE = 6
WORDS = Side(tuple("abcde."), frozenset({5}))


def played(weights: np.ndarray, allowed: np.ndarray | None = None) -> dict[str, float]:
    everywhere = np.ones_like(weights, dtype=bool) if allowed is None else allowed
    cells = weights.astype(np.float32)
    return measure_roles(HeadMap(cells, everywhere, cells), WORDS)


def column(at: int) -> np.ndarray:
    weights = np.zeros((SIZE, SIZE))
    weights[:, at] = 1
    return weights


@pytest.mark.parametrize(
    ("weights", "role"),
    [
        (np.eye(SIZE), "diagonal"),
        (np.eye(SIZE, k=-1) + np.diag([1] + [0] * (SIZE - 1)), "previous"),
        (np.eye(SIZE, k=1) + np.diag([0] * (SIZE - 1) + [1]), "next"),
        (column(0), "first"),
        (column(SIZE - 1), "sinks"),
        (np.full((SIZE, SIZE), 1 / SIZE), "broad"),
    ],
)
def test_each_role_is_recognised(weights: np.ndarray, role: str) -> None:
    shares = played(weights)
    assert shares[role] == pytest.approx(1)
    assert Head(0, 0, shares).clearest == role
    assert shares["sharp"] == pytest.approx(0 if role == "broad" else 1)


def test_where_the_first_key_is_a_sink_the_two_overlap_and_the_first_is_said() -> None:
    flagged = Side(("<zh>", *"bcde."), frozenset({0, 5}))
    cells = (0.7 * column(0) + 0.2 * column(5) + 0.1 * column(2)).astype(np.float32)
    shares = measure_roles(HeadMap(cells, cells >= 0, cells), flagged)
    assert shares["first"] == pytest.approx(0.7)
    assert shares["sinks"] == pytest.approx(0.9)
    assert Head(0, 0, shares).clearest == "first"


def test_a_head_without_a_habit_is_mixed() -> None:
    weights = np.zeros((SIZE, SIZE))
    for row in range(SIZE):
        weights[row, (row * 5 + 2) % SIZE] = 1
    assert Head(0, 0, played(weights)).clearest == "mixed"


def test_broad_is_measured_against_what_a_row_may_look_at() -> None:
    allowed = np.tri(SIZE, dtype=bool)
    weights = allowed / allowed.sum(axis=1, keepdims=True)
    assert played(weights, allowed)["broad"] == pytest.approx(1)


def test_one_word_has_no_neighbours_and_no_choice() -> None:
    one = np.ones((1, 1))
    shares = measure_roles(HeadMap(one, one > 0, one), Side(("a",), frozenset()))
    assert shares["diagonal"] == 1
    assert all(np.isnan(shares[role]) for role in ("previous", "next", "broad"))
    assert Head(0, 0, shares).clearest in ("diagonal", "first")


def test_rows_that_are_no_numbers_do_not_count() -> None:
    weights = np.eye(SIZE)
    weights[2] = np.nan
    assert played(weights)["diagonal"] == pytest.approx(1)


def test_ranking_puts_the_clearest_first_and_what_is_unknown_last() -> None:
    heads = tuple(Head(0, at, {"next": share}) for at, share in enumerate((0.1, 0.9, np.nan, 0.1)))
    assert [head.head for head in rank_heads(heads, "next")] == [1, 0, 3, 2]


def test_every_head_of_a_trace_is_described() -> None:
    trace = small_trace()
    heads = heads_of(trace, "cross")
    assert [(head.layer, head.head) for head in heads] == [(i, j) for i in (0, 1) for j in range(4)]
    assert all(set(head.shares) == set(ROLES) for head in heads)
    mean = describe(trace, "cross", 0, None)
    four = [head.shares["first"] for head in heads[:4]]
    assert mean.shares["first"] == pytest.approx(np.mean(four), abs=1e-6)
