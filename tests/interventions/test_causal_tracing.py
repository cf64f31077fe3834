"""Causal tracing against single patched runs."""

import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.causal_tracing import (
    Grid,
    Side,
    Tracing,
    causal_tracing,
    patched_addresses,
    tracing_questions,
)
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.address import Address
from glassformer.core.trace.graph import addresses, layer_count, layer_end
from glassformer.core.trace.tape import Edit
from glassformer.core.trace.trace import Trace

TIRED = "The animal didn't cross the street because it was too tired"
WIDE = "The animal didn't cross the street because it was too wide"
WORD = 10
SIDES: tuple[Side, ...] = ("encoder", "decoder")


@pytest.fixture(scope="module")
def model() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def both(model: Translator) -> tuple[Trace, Trace]:
    return model.trace(TIRED), model.trace(WIDE)


@pytest.fixture(scope="module")
def steps(model: Translator, both: tuple[Trace, Trace]) -> list[Tracing]:
    return list(causal_tracing(model, *both))


@pytest.fixture(scope="module")
def found(steps: list[Tracing]) -> Tracing:
    return steps[-1]


def grid_of(found: Tracing, side: Side) -> Grid:
    grid = found.grid(side)
    assert grid is not None
    return grid


def test_progress(steps: list[Tracing], both: tuple[Trace, Trace]) -> None:
    assert [each.done for each in steps] == list(range(1, steps[0].total + 1))
    assert steps[0].grid("decoder") is None
    first = grid_of(steps[0], "encoder")
    assert first.addresses == ("source/input",)
    assert torch.equal(first.restored, grid_of(steps[-1], "encoder").restored[:1])
    assert all(
        len(scores) == len(both[0].source_tokens)
        for address, scores in steps[-1].scores.items()
        if Address.of(address).side == "source"
    )


def test_the_rows_of_a_stack_are_in_computation_order(
    found: Tracing, both: tuple[Trace, Trace]
) -> None:
    known = list(addresses(found.config))
    grids = [grid_of(found, side) for side in SIDES]
    for grid in grids:
        assert sorted(grid.addresses, key=known.index) == list(grid.addresses)
        assert grid.restored.shape == (len(grid.addresses), len(grid.tokens))
    assert sum(len(grid.addresses) for grid in grids) == found.total
    assert [each.tokens for each in grids] == [both[0].source_tokens, both[0].target_tokens]


def test_what_was_interrupted_goes_on(
    model: Translator, both: tuple[Trace, Trace], steps: list[Tracing]
) -> None:
    again = list(causal_tracing(model, *both, so_far=steps[3]))
    assert [each.done for each in again] == list(range(5, steps[0].total + 1))
    for address, scores in steps[-1].scores.items():
        assert torch.equal(again[-1].scores[address], scores)
    finished = list(causal_tracing(model, *both, so_far=again[-1]))
    assert len(finished) == 1 and finished[0].done == finished[0].total


def test_the_question_is_the_noun_that_is_resolved(
    found: Tracing, both: tuple[Trace, Trace]
) -> None:
    question, vocabulary = found.question, both[0].vocabulary
    assert (vocabulary[question.rival], vocabulary[question.answer]) == ("动物", "马路")
    assert both[0].output_pieces[question.row] == "动物"
    assert found.plain < 0 < found.other


def test_the_questions_are_all_words_that_would_change(
    model: Translator, both: tuple[Trace, Trace], found: Tracing
) -> None:
    one, other = both
    asked = tracing_questions(model, one, other)
    forced = model.trace(WIDE, target=one.output_text)["output/logits"][0]
    written = (one["output/logits"][0].argmax(-1), forced.argmax(-1))
    rows = [row for row in range(len(forced)) if written[0][row] != written[1][row]]
    assert [each.row for each in asked] == rows
    assert [(each.rival, each.answer) for each in asked] == [
        (int(written[0][row]), int(written[1][row])) for row in rows
    ]
    assert asked[0] == found.question
    with pytest.raises(GlassformerError) as error:
        tracing_questions(model, one, one)
    assert error.value.key == "patching_same"


def test_the_only_word_that_differs_brings_everything(found: Tracing) -> None:
    """Of what enters the stack, that word's vector is the other sentence, any other is nothing."""
    entered = grid_of(found, "encoder").restored[0]
    expected = torch.zeros_like(entered)
    expected[WORD] = 1.0
    torch.testing.assert_close(entered, expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize("what", ["state", "self_attention", "cross_attention", "feed_forward"])
def test_a_cell_is_a_run_with_one_vector_patched(
    model: Translator, both: tuple[Trace, Trace], found: Tracing, what: str
) -> None:
    side: Side = "decoder" if what == "cross_attention" else "encoder"
    layers = range(layer_count(model.config, side))
    swept = [f"{side}/{layer}/{what}/output" for layer in layers]
    if what == "state":
        swept = [layer_end(model.config, side, layer) for layer in (-1, *layers)]
    one, _ = both
    forced = model.trace(WIDE, target=one.output_text)
    question = found.question
    for address in swept:
        for place in (2, 6, WORD):

            def patch(x: torch.Tensor, a: str = address, p: int = place) -> torch.Tensor:
                x[0, p] = forced[a][0, p]
                return x

            single = model.trace(TIRED, target=one.output_text, edits=[Edit(address, patch)])
            logs = single["output/logits"][0, question.row].log_softmax(-1)
            score = (logs[question.answer] - logs[question.rival]).item()
            assert found.scores[address][place].item() == pytest.approx(score, abs=1e-3)
            probability = found.probabilities[address][place].item()
            assert probability == pytest.approx(logs[question.answer].exp().item(), abs=1e-5)


def test_no_later_word_of_the_target_can_matter(found: Tracing) -> None:
    grid = grid_of(found, "decoder")
    layers = range(-1, layer_count(found.config, "decoder"))
    states = [layer_end(found.config, "decoder", layer) for layer in layers]
    for address in states:
        later = found.scores[address][found.question.row + 1 :]
        torch.testing.assert_close(later, torch.full_like(later, found.plain), atol=1e-4, rtol=0)
    top = grid.restored[grid.addresses.index(states[-1]), found.question.row]  # all it writes from
    assert top.item() == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("place", ["post", "pre"])
def test_the_addresses_are_recorded_ones(small_config, place: str) -> None:  # type: ignore[no-untyped-def]
    config = small_config(norm_place=place)
    found = patched_addresses(config)
    assert set(found) <= set(addresses(config))
    assert len(set(found)) == len(found) == (2 + 1 + 2 * 2) + (3 + 1 + 3 * 3)


def test_what_is_refused(model: Translator, both: tuple[Trace, Trace]) -> None:
    one, other = both
    cases = {
        "patching_lengths": lambda: list(causal_tracing(model, one, model.trace("I have a cat"))),
        "patching_same": lambda: list(causal_tracing(model, one, one)),
        "out_of_range": lambda: list(causal_tracing(model, one, other, row=99)),
    }
    for key, act in cases.items():
        with pytest.raises(GlassformerError) as error:
            act()
        assert error.value.key == key
    with pytest.raises(GlassformerError) as error:
        list(causal_tracing(model, one, other, row=0))  # both write the same here
    assert error.value.key == "patching_same"
