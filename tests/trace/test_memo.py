"""Readings are made once a run, and never shared between runs; sizes are added up once."""

from dataclasses import replace

import pytest
import torch

from glassformer.core.trace.trace import Trace, once_a_run
from tests.example_trace import example_trace


def test_a_reading_is_made_once_a_run_and_argument() -> None:
    made: list[tuple[Trace, int]] = []

    @once_a_run
    def words(trace: Trace, more: int = 0) -> int:
        made.append((trace, more))
        return len(trace.source_tokens) + more

    first, second = example_trace(), example_trace()
    assert [words(first), words(first), words(first, 2), words(first, 2)] == [5, 5, 7, 7]
    assert words(second) == words(replace(first)) == 5
    assert [more for _, more in made] == [0, 2, 0, 0]


def test_a_reading_that_fails_is_tried_again() -> None:
    @once_a_run
    def fails(trace: Trace) -> int:
        raise KeyError(trace.source_text)

    trace = example_trace()
    for _ in range(2):
        with pytest.raises(KeyError):
            fails(trace)
    assert trace.readings == {}


def test_the_size_of_a_run_is_added_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = example_trace()
    size = trace.nbytes
    assert size > 0

    def again(_: torch.Tensor) -> None:
        pytest.fail("added up again")

    monkeypatch.setattr(torch.Tensor, "untyped_storage", again)
    assert trace.nbytes == size
