"""What was chosen, between what, and how sure."""

import math

import pytest
import torch

from glassformer.core.analysis.choices import (
    choice_at,
    choice_at_temperature,
    chosen_otherwise,
    least_sure,
    probabilities,
)
from glassformer.core.decoding.step import Step
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import load_model
from tests.example_trace import CHANCES, example_trace
from tests.example_trace import probabilities as example_probabilities


def test_probabilities_are_those_of_the_chosen_words() -> None:
    assert probabilities(example_trace()) == pytest.approx(CHANCES)


def test_a_choice_has_its_prefix_and_its_runners_up() -> None:
    choice = choice_at(example_trace(), 1, others=3)
    assert choice.before == ("Zorblax",)
    assert (choice.chosen.token, choice.chosen.probability) == ("喜欢", pytest.approx(0.4))
    assert choice.others[0].token == "爱"
    assert choice.others[0].probability == pytest.approx(0.3)
    assert len(choice.others) == 3
    assert "喜欢" not in [other.token for other in choice.others]


def test_a_forced_word_is_not_among_its_runners_up_and_all_five_are_there() -> None:
    trace = example_trace(output_pieces=("<name1>", "likes", "，", "<eos>"))
    choice = choice_at(trace, 1)
    assert choice.chosen.probability == pytest.approx(0.3 / 11)
    assert [other.piece for other in choice.others[:2]] == ["喜欢", "爱"]
    assert len(choice.others) == 5


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(GlassformerError, match="position 9 does not exist"):
        choice_at(example_trace(), 9)


def test_the_least_sure_of_some_rows() -> None:
    assert least_sure(example_trace(), [0, 2, 3]) == 2
    with pytest.raises(ValueError, match="empty"):
        least_sure(example_trace(), [])


def test_probabilities_do_not_copy_or_change_the_trace() -> None:
    trace = example_trace()
    before = trace["output/probabilities"].clone()
    probabilities(trace)
    choice_at(trace, 0)
    assert torch.equal(trace["output/probabilities"], before)


def test_numbers_that_are_not_are_the_least_sure() -> None:
    rows = example_probabilities()
    rows[0, 2] = math.nan
    trace = example_trace(tensors={**example_trace().tensors, "output/probabilities": rows})
    assert least_sure(trace, range(4)) == 2


def test_without_numbers_there_are_no_runners_up() -> None:
    rows = example_probabilities()
    rows[0, 2] = math.nan
    trace = example_trace(tensors={**example_trace().tensors, "output/probabilities": rows})
    assert choice_at(trace, 2).others == ()
    assert choice_at(trace, 1).others != ()


def test_words_chosen_with_other_numbers_than_the_recorded_pass_has() -> None:
    steps = tuple(Step(10, chance, 1.0, ((10, chance),)) for chance in CHANCES)
    assert not chosen_otherwise(example_trace(steps=steps))
    other = (*steps[:-1], Step(10, 1 - CHANCES[-1], 1.0, ()))
    assert chosen_otherwise(example_trace(steps=other))
    assert not chosen_otherwise(example_trace(steps=()))


def test_a_choice_says_what_the_guard_forbade() -> None:
    plain = Step(10, 0.4, 1.0, ((10, 0.4),))
    love = Step(10, 0.4, 1.0, ((12, 0.5), (10, 0.4)), guarded=12)
    slot = Step(11, 0.6, 1.0, ((11, 0.6),), guarded=5)
    trace = example_trace(steps=(plain, love, slot, plain))
    assert [choice_at(trace, row).guarded for row in range(4)] == ["", "爱", "Zorblax", ""]


@pytest.mark.parametrize("temperature", [0.1, 0.7, 1, 3])
def test_candidates_at_a_temperature_are_softmax_of_the_divided_scores(temperature: float) -> None:
    trace = load_model().trace("The animal didn't cross the street because it was too tired")
    for row in range(len(trace.output_tokens)):
        choice = choice_at(trace, row)
        found = choice_at_temperature(trace, choice, temperature)
        scores = trace["output/logits"][0, row].double() / temperature
        for candidate in (found.chosen, *found.others):
            at = trace.vocabulary.index(candidate.piece)
            assert candidate.probability == pytest.approx(float(scores.softmax(-1)[at]), rel=1e-4)
        pieces = [each.piece for each in (choice.chosen, *choice.others)]
        assert [each.piece for each in (found.chosen, *found.others)] == pieces
