"""The stopwatch of the KV-cache, with a clock that the test winds."""

from collections.abc import Callable

import pytest

from glassformer.core.decoding import timeline
from glassformer.core.decoding.step import Forced, Task
from glassformer.core.decoding.timeline import Speed, measure_speed
from glassformer.core.model.transformer import Transformer
from tests.decoding.tasks import task

WORDS = [9, 10, 11, 2]


def test_both_ways_decode_the_same_words_in_turn(
    small_model: Callable[..., Transformer], monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: list[bool] = []
    now = [0.0]

    def one(_model: Transformer, _task: Task, forced: Forced, tape: object) -> None:
        assert dict(forced) == dict(enumerate(WORDS))
        ways.append(tape is None)
        # The first round is slow and must not count.
        now[0] += (1.0 if tape is None else 3.0) + (100.0 if len(ways) <= 2 else 0.0)

    monkeypatch.setattr(timeline, "greedy", one)
    found = measure_speed(small_model(), task(), WORDS, seconds=10.0, clock=lambda: now[0])
    assert ways == [True, False] * (found.rounds + 1)
    assert found == Speed(1.0, 3.0, 3)
    assert found.ratio == 3


def test_it_measures_something(small_model: Callable[..., Transformer]) -> None:
    found = measure_speed(small_model(), task(), WORDS, seconds=0.0)
    assert found.rounds == 3
    assert found.with_cache > 0
    assert found.without_cache > 0
