"""Causal tracing against single patched runs."""

import pytest
import torch

from core.checkpoints import load_model
from core.edits.sweep import Sweep, questions, sweep, swept_addresses
from core.errors import GlassformerError
from core.trace.sites import addresses
from core.trace.tape import Edit
from core.trace.trace import Trace
from core.translator import Translator

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = "The animal didn't cross the street because it was too wide"
WORD = 10


@pytest.fixture(scope="module")
def model() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def both(model: Translator) -> tuple[Trace, Trace]:
    return model.trace(TIRED), model.trace(WIDE)


def last(*args: object, **more: object) -> Sweep:
    return list(sweep(*args, **more))[-1]  # type: ignore[arg-type]


def test_progress(model: Translator, both: tuple[Trace, Trace]) -> None:
    found = list(sweep(model, *both))
    assert [each.done for each in found] == [1, 2, 3] and found[0].total == 3
    assert torch.equal(found[0].scores, found[-1].scores[:1])
    assert found[-1].scores.shape == (3, len(both[0].source_tokens))
    assert found[-1].tokens == both[0].source_tokens


def test_the_question_is_the_noun_that_is_resolved(
    model: Translator, both: tuple[Trace, Trace]
) -> None:
    found = last(model, *both)
    question, vocabulary = found.question, both[0].vocabulary
    assert (vocabulary[question.rival], vocabulary[question.answer]) == ("动物", "马路")
    assert both[0].output_pieces[question.row] == "动物"
    assert found.plain < 0 < found.other


def test_the_questions_are_all_words_that_would_change(
    model: Translator, both: tuple[Trace, Trace]
) -> None:
    one, other = both
    found = questions(model, one, other)
    forced = model.trace(WIDE, target=one.output_text)["output/logits"][0]
    written = (one["output/logits"][0].argmax(-1), forced.argmax(-1))
    rows = [row for row in range(len(forced)) if written[0][row] != written[1][row]]
    assert [each.row for each in found] == rows
    assert [(each.rival, each.answer) for each in found] == [
        (int(written[0][row]), int(written[1][row])) for row in rows
    ]
    assert found[0] == last(model, one, other).question
    with pytest.raises(GlassformerError) as error:
        questions(model, one, one)
    assert error.value.key == "sweep_same"


def test_the_only_word_that_differs_brings_everything(
    model: Translator, both: tuple[Trace, Trace]
) -> None:
    """Of what enters the stack, that word's vector is the other sentence, any other is nothing."""
    entered = last(model, *both).restored[0]
    expected = torch.zeros_like(entered)
    expected[WORD] = 1.0
    torch.testing.assert_close(entered, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("what", ["state", "self_attention", "cross_attention", "feed_forward"])
def test_a_cell_is_a_run_with_one_vector_patched(
    model: Translator, both: tuple[Trace, Trace], what: str
) -> None:
    side = "decoder" if what == "cross_attention" else "encoder"
    found = last(model, *both, side=side, what=what)
    one, _ = both
    forced = model.trace(WIDE, target=one.output_text)
    question = found.question
    for row, address in enumerate(found.addresses):
        for place in (2, 6, WORD):

            def patch(x: torch.Tensor, a: str = address, p: int = place) -> torch.Tensor:
                x[0, p] = forced[a][0, p]
                return x

            single = model.trace(TIRED, target=one.output_text, edits=[Edit(address, patch)])
            logs = single["output/logits"][0, question.row].log_softmax(-1)
            score = (logs[question.answer] - logs[question.rival]).item()
            assert found.scores[row, place].item() == pytest.approx(score, abs=1e-3)
            probability = found.probabilities[row, place].item()
            assert probability == pytest.approx(logs[question.answer].exp().item(), abs=1e-5)


def test_no_later_word_of_the_target_can_matter(
    model: Translator, both: tuple[Trace, Trace]
) -> None:
    found = last(model, *both, side="decoder")
    later = found.scores[:, found.question.row + 1 :]
    torch.testing.assert_close(later, torch.full_like(later, found.plain), atol=1e-4, rtol=0)
    top = found.restored[-1, found.question.row]  # the state that the generator reads
    assert top.item() == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("place", ["post", "pre"])
@pytest.mark.parametrize("side", ["encoder", "decoder"])
@pytest.mark.parametrize("what", ["state", "self_attention", "feed_forward"])
def test_the_addresses_are_recorded_ones(small_config, place: str, side: str, what: str) -> None:  # type: ignore[no-untyped-def]
    config = small_config(norm_place=place)
    found = swept_addresses(config, side, what)  # type: ignore[arg-type]
    assert set(found) <= set(addresses(config))
    layers = 2 if side == "encoder" else 3
    assert len(found) == layers + (what == "state")


def test_what_is_refused(model: Translator, both: tuple[Trace, Trace]) -> None:
    one, other = both
    cases = {
        "sweep_lengths": lambda: last(model, one, model.trace("I have a cat")),
        "sweep_same": lambda: last(model, one, one),
        "out_of_range": lambda: last(model, one, other, row=99),
        "unknown_address": lambda: last(model, one, other, what="cross_attention"),
    }
    for key, act in cases.items():
        with pytest.raises(GlassformerError) as error:
            act()
        assert error.value.key == key
    with pytest.raises(GlassformerError) as error:
        last(model, one, other, row=0)  # both write the same here
    assert error.value.key == "sweep_same"
