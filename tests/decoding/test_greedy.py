"""Greedy decoding, with keys and values kept and with everything recomputed."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.step import Step, Task, step_from
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit, Recorder

Maker = Callable[..., Transformer]


def written(
    model: Transformer, ids: Tensor, limit: int, tape: Any = None, end: int = 2, **more: Any
) -> tuple[Step, ...]:
    return greedy(model, Task(tuple(ids[0].tolist()), 4, end, limit, **more), tape=tape)


def test_the_cache_changes_no_choice(small_model: Maker, source_ids: Tensor) -> None:
    model = small_model()
    kept = written(model, source_ids, limit=12)
    fresh = written(model, source_ids, limit=12, tape=Recorder)
    assert [step.chosen for step in kept] == [step.chosen for step in fresh]
    for one, other in zip(kept, fresh, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-5)
        assert one.entropy == pytest.approx(other.entropy, abs=1e-4)


def test_every_step_is_the_best_of_its_row(small_model: Maker, source_ids: Tensor) -> None:
    model = small_model()
    steps = written(model, source_ids, limit=6)
    ids = [4, *(step.chosen for step in steps)][: len(steps)]
    rows = model(source_ids, torch.tensor([ids]))[0].softmax(dim=-1)
    for row, step in zip(rows, steps, strict=True):
        assert step.chosen == int(row.argmax())
        assert step.probability == pytest.approx(float(row.max()), abs=1e-5)
        listed = [probability for _, probability in step.candidates]
        assert listed == sorted(listed, reverse=True) and listed[0] == step.probability


def test_it_ends_at_the_end_or_at_the_limit(small_model: Maker, source_ids: Tensor) -> None:
    model = small_model()
    steps = written(model, source_ids, limit=4)
    assert len(steps) == 4 or steps[-1].chosen == 2
    end = steps[0].chosen
    assert [step.chosen for step in written(model, source_ids, limit=4, end=end)] == [end]


def test_edits_reach_the_decoding(small_model: Maker, source_ids: Tensor) -> None:
    model = small_model()

    def only_word_nine(logits: Tensor) -> Tensor:
        return torch.where(torch.arange(30) == 9, 50.0, logits)

    steps = written(
        model,
        source_ids,
        limit=3,
        tape=lambda: Recorder([Edit("output/logits", only_word_nine)], keep=lambda _: False),
    )
    assert [step.chosen for step in steps] == [9, 9, 9]


def test_a_forbidden_word_is_never_taken(small_model: Maker, source_ids: Tensor) -> None:
    model = small_model()
    first = written(model, source_ids, limit=1)[0]
    forbidden = frozenset({first.chosen})
    other = written(model, source_ids, limit=1, forbidden=forbidden)[0]
    assert other.chosen == first.candidates[1][0]
    assert other.candidates == first.candidates and other.entropy == first.entropy


def test_entropy_of_known_distributions() -> None:
    assert step_from(torch.zeros(8)).entropy == pytest.approx(2.0794, abs=1e-4)  # ln 8
    certain = step_from(torch.tensor([0.0, 200.0, 0.0]))
    assert certain.entropy == pytest.approx(0, abs=1e-6) and certain.chosen == 1
    without = step_from(torch.tensor([0.0, 2.0, 1.0]), forbidden=[1])
    assert without.chosen == 2 and without.candidates[0][0] == 1
