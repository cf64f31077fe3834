"""Words that are given: read many at once, and never the end of a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch

from glassformer.core.config import ModelConfig
from glassformer.core.decoding.beam import beam
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.greedy import greedy
from glassformer.core.decoding.rows import AT_ONCE, tapes
from glassformer.core.decoding.sampling import draw_samples
from glassformer.core.decoding.step import Step, Task
from glassformer.core.model.stack import model_of
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit
from tests.decoding.tasks import END, SOURCE, START

KINDS: dict[str, dict[str, Any]] = {
    "both stacks": {},
    "distances": {"positions": "relative"},
    "decoder": {"encoder_layers": 0, "positions": "learned"},
    "rotary": {"encoder_layers": 0, "positions": "rotary", "kv_heads": 2, "norm_kind": "rms"},
}
GIVEN = tuple(5 + at * at % 30 for at in range(2 * AT_ONCE + 9))
FORCED = dict(enumerate(GIVEN))


def small(kind: str) -> Transformer:
    torch.manual_seed(1)
    config = ModelConfig(
        **{"vocabulary_size": 40, "d_model": 16, "n_heads": 4, "encoder_layers": 2,
           "decoder_layers": 2, "d_ff": 24, **KINDS[kind]}
    )  # fmt: skip
    return model_of(config).requires_grad_(False)


def task(model: Transformer, **changes: Any) -> Task:
    source = SOURCE if model.config.encoder_layers else ()
    return replace(Task(source, START, END, len(GIVEN) + 6, frozenset({0, 3})), **changes)


def same(one: Sequence[Step], other: Sequence[Step]) -> None:
    assert [each.chosen for each in one] == [each.chosen for each in other]
    for mine, theirs in zip(one, other, strict=True):
        assert mine.probability == pytest.approx(theirs.probability, abs=1e-5)
        assert mine.entropy == pytest.approx(theirs.entropy, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_steps_are_those_of_one_word_after_the_other(kind: str) -> None:
    model = small(kind)
    plain, given = task(model), task(model, given=GIVEN)
    same(greedy(model, given), greedy(model, plain, FORCED))
    one, other = (
        beam(model, *each, rule="transformers")
        for each in ((given, 3, 0.0), (plain, 3, 0.0, None, FORCED))
    )
    assert [(*GIVEN, *one.words(at)) for at in one.hypotheses] == [
        other.words(at) for at in other.hypotheses
    ]
    before = math.fsum(each.log_probability for each in other.path(other.best.index)[: len(GIVEN)])
    assert one.best.total == pytest.approx(other.best.total - before, abs=1e-3)
    penalized = one.at_alpha(1.0).best
    words = len(one.words(penalized.index)) + (len(GIVEN) if given.source else 0)
    assert penalized.score == pytest.approx(penalized.total / words)
    hows = [Sampling(seed=1), Sampling(seed=2, temperature=2.0)]
    drawn = zip(
        draw_samples(model, given, hows),
        draw_samples(model, plain, hows, forced=FORCED),
        strict=True,
    )
    for mine, theirs in drawn:
        same([each.step for each in mine], [each.step for each in theirs])


@pytest.mark.parametrize("kind", KINDS)
def test_under_edits_they_are_too(kind: str) -> None:
    model = small(kind)
    tape = tapes([Edit("decoder/1/self_attention/weights", lambda each: each / 2)])
    plain, given = task(model), task(model, given=GIVEN)
    same(greedy(model, given, tape=tape), greedy(model, plain, FORCED, tape))


def test_many_cost_a_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    model, read = small("decoder"), list[int]()
    step = model.step

    def counted(ids: Any, *rest: Any) -> Any:
        read.append(ids.size(-1))
        return step(ids, *rest)

    monkeypatch.setattr(model, "step", counted)
    written = greedy(model, task(model, given=GIVEN))
    assert read[:3] == [AT_ONCE, AT_ONCE, 10] and set(read[3:]) <= {1}
    assert sum(read) == len(written)


def test_an_end_among_them_ends_nothing() -> None:
    model = small("decoder")
    given = (*GIVEN[:3], END, *GIVEN[4:8])
    task_ = task(model, given=given, limit=12)
    for words in (
        [each.chosen for each in greedy(model, task_)],
        [*given, *beam(model, task_, 2).words(beam(model, task_, 2).hypotheses[0])],
        [each.step.chosen for each in draw_samples(model, task_, [Sampling(seed=0)])[0]],
    ):
        assert tuple(words[:8]) == given and len(words) > 8


def test_padding_among_them_is_read_as_ever() -> None:
    model = small("both stacks")
    given = (*GIVEN[:3], model.config.pad_id, *GIVEN[4:8])
    same(
        greedy(model, task(model, given=given)), greedy(model, task(model), dict(enumerate(given)))
    )
