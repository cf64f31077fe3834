"""Given words: teacher forcing beside decoding, a wrong word, another choice taken."""

import math
from collections.abc import Callable

import pytest
import torch

from glassformer.core.decoding.beam import beam
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.greedy import (
    WrongWord,
    compare_with_forcing,
    greedy,
    most_harmful,
    teacher_forced,
    wrong_word,
)
from glassformer.core.decoding.no_repeat import NoRepeat
from glassformer.core.decoding.step import Step
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Edit, Recorder
from tests.decoding.tasks import END, fresh, sample, taking_over, task

Maker = Callable[..., Transformer]
WORDS = (9, 10, 11, 12, 2)


def step(chosen: int, probability: float = 0.5) -> Step:
    return Step(chosen, probability, 0.0, ())


def test_teacher_forcing_reads_every_given_word(small_model: Maker) -> None:
    model = small_model()
    steps = teacher_forced(model, task(), WORDS)
    assert [each.chosen for each in steps] == list(WORDS)
    for place, each in enumerate(steps):
        whole = fresh(model, WORDS[:place])
        assert each.probability == pytest.approx(float(whole[WORDS[place]]), abs=1e-5)
        assert each.entropy == pytest.approx(float(-(whole * whole.log()).sum()), abs=1e-4)
        assert each.candidates[0][0] == int(whole.argmax())


def test_both_ways_give_the_same_numbers(small_model: Maker) -> None:
    for place, row in enumerate(compare_with_forcing(small_model(), task(), WORDS)):
        assert row.forced.chosen == row.free.chosen == WORDS[place]
        assert row.difference <= 1e-5
        assert row.forced.probability == pytest.approx(row.free.probability, abs=1e-5)


def test_without_the_causal_mask_they_part(small_model: Maker) -> None:
    """The difference is measured, not asserted: rows that see the future are other rows."""
    sees_all = Edit("decoder/*/self_attention/mask", torch.ones_like)
    rows = compare_with_forcing(small_model(), task(), WORDS, lambda: Recorder([sees_all]))
    assert all(row.difference > 1e-4 for row in rows[:-1])
    assert rows[-1].difference <= 1e-5  # the last row had seen everything anyway


def test_what_it_would_take_anyway_changes_nothing(small_model: Maker) -> None:
    model, one = small_model(), task(guard=NoRepeat())
    plain = greedy(model, one)
    words = [each.chosen for each in plain]
    for position in range(len(words)):
        again = greedy(model, one, taking_over(words, position, words[position]))
        assert [each.chosen for each in again] == words
        assert [each.entropy for each in again] == [each.entropy for each in plain]


def test_taking_over_keeps_what_was_before(small_model: Maker) -> None:
    model, one = small_model(), task()
    plain = greedy(model, one)
    other = plain[2].candidates[1][0]
    taken = greedy(model, one, taking_over([each.chosen for each in plain], 2, other))
    assert taken[:2] == plain[:2]
    assert taken[2].chosen == other
    assert taken[2].probability == plain[2].candidates[1][1]
    assert taken[2].candidates == plain[2].candidates  # what the model thought stays
    written = [each.chosen for each in taken]
    for place in range(3, len(taken)):
        whole = fresh(model, written[:place])
        allowed = whole.index_fill(0, torch.tensor(list(one.forbidden)), 0.0)
        assert taken[place].chosen == int(allowed.argmax())
        assert taken[place].probability == pytest.approx(float(allowed.max()), abs=1e-5)


def test_every_strategy_goes_on_from_a_taken_word(small_model: Maker) -> None:
    model, one, forced = small_model(), task(), taking_over(WORDS, 2, 15)
    assert forced == {0: 9, 1: 10, 2: 15}
    tree = beam(model, one, forced=forced)
    ways = [
        [each.chosen for each in greedy(model, one, forced)],
        [each.step.chosen for each in sample(model, one, Sampling(seed=2), forced=forced)],
        *(list(tree.words(place)) for place in tree.hypotheses),
    ]
    assert all(way[:3] == [9, 10, 15] for way in ways)


def test_an_end_token_ends_wherever_it_is_taken(small_model: Maker) -> None:
    taken = greedy(small_model(), task(), {0: 9, 1: END})
    assert [each.chosen for each in taken] == [9, END]


def test_a_wrong_word_and_how_the_rest_follows(small_model: Maker) -> None:
    model, one = small_model(), task()
    found = wrong_word(model, one, 1, 20)
    before = [each.chosen for each in found.before]
    assert found.before == greedy(model, one) and before[1] != 20
    assert found.after == greedy(model, one, {0: before[0], 1: 20})
    mixed = [before[0], 20, *before[2:]]
    assert [each.chosen for each in found.given] == mixed
    later = range(2, len(before))
    for words, loss in zip((before, mixed), found.mean_losses, strict=True):
        losses = [-float(fresh(model, words[:at])[before[at]].log()) for at in later]
        assert loss == pytest.approx(sum(losses) / len(losses), abs=1e-4)


def test_a_word_that_cannot_follow_has_no_end_of_loss() -> None:
    before = (step(7), step(8), step(9), step(2))
    found = WrongWord(1, 20, before, (), (step(7), step(20), step(9, 0.25), step(2, 0.0)))
    assert found.mean_losses == (pytest.approx(math.log(2)), math.inf)


def test_what_cannot_be_is_refused(small_model: Maker) -> None:
    model, one = small_model(), task()
    length = len(greedy(model, one))
    for wrong in (
        lambda: greedy(model, one, {0: 30}),
        lambda: greedy(model, one, {8: 9}),
        lambda: wrong_word(model, one, length, 9),
        lambda: wrong_word(model, one, -1, 9),
        lambda: teacher_forced(model, one, [9] * 9),
    ):
        with pytest.raises(GlassformerError) as caught:
            wrong()
        assert caught.value.key == "out_of_range"


def test_mean_losses_are_those_of_the_later_words() -> None:
    before = (step(9, 0.9), step(10, 0.5), step(2, 1.0))
    given = (step(9, 0.9), step(11, 0.1), step(2, 0.25))
    wrong = WrongWord(0, 12, before, (), given)
    right, after = wrong.mean_losses
    assert right == pytest.approx(math.log(2) / 2)
    assert after == pytest.approx((math.log(10) + math.log(4)) / 2)
    assert all(map(math.isnan, WrongWord(2, 12, before, (), given).mean_losses))


def test_the_most_harmful_word_makes_the_rest_least_likely(small_model: Maker) -> None:
    model = small_model()
    harms = {}
    for candidate in (20, 21, 22):
        words = [WORDS[0], candidate, *WORDS[2:]]
        chances = [float(fresh(model, words[:at])[words[at]]) for at in range(2, len(words))]
        harms[candidate] = -sum(map(math.log, chances))
    found = most_harmful(model, task(), WORDS, 1, (20, 21, 22))
    assert found == max(harms, key=lambda each: harms[each])
    assert most_harmful(model, task(), WORDS, 1, (22, 22)) == 22
