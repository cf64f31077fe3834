"""Every strategy on the bundled translator, through the runs that it makes."""

import time
from dataclasses import replace

import pytest
import torch

from glassformer import Edit, Trace, load_model
from glassformer.core.decoding.beam import beam
from glassformer.core.decoding.cuts import Sampling
from glassformer.core.decoding.greedy import compare_with_forcing, greedy, wrong_word
from glassformer.core.decoding.rows import tapes
from glassformer.core.decoding.timeline import cache_difference
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.decodings import record_words, task_of
from glassformer.core.text_models.translator import Translator
from tests.decoding.tasks import at, sample, taking_over

TIRED = "The animal didn't cross the street because it was too tired"


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def trace(translator: Translator) -> Trace:
    return translator.trace(TIRED)


SENTENCES = [TIRED, "欢迎 来 到 北京", "Zorblax likes Anna", "I have a cat. I like you."]


@pytest.mark.parametrize("text", SENTENCES)
def test_greedy_on_the_task_is_the_run_bit_for_bit(translator: Translator, text: str) -> None:
    trace = translator.trace(text)
    steps = greedy(translator.transformer, task_of(translator, trace))
    assert steps == trace.steps
    words = [step.chosen for step in steps]
    again = record_words(translator, trace, words, steps=steps)
    assert list(again) == list(trace)
    assert all(torch.equal(again[address], trace[address]) for address in trace)
    assert replace(again, tensors={}, further=()) == replace(trace, tensors={}, further=())


def test_four_beams_find_what_is_at_least_as_probable(translator: Translator, trace: Trace) -> None:
    model, task = translator.transformer, task_of(translator, trace)
    tree = beam(model, task, size=4, alpha=0.0)
    greedy = sum(torch.tensor([step.probability for step in trace.steps]).log().tolist())
    assert tree.best.total >= greedy - 1e-4
    assert tree.best.fate == "finished"
    one = beam(model, task, size=1)
    assert one.words(one.hypotheses[0]) == tuple(step.chosen for step in trace.steps)


def test_a_node_of_the_tree_has_a_run_of_its_own(translator: Translator, trace: Trace) -> None:
    tree = beam(translator.transformer, task_of(translator, trace))
    for place in (tree.hypotheses[1], at(tree, 2)[-1].index):
        path, words = tree.path(place), tree.words(place)
        run = record_words(translator, trace, words)
        assert run.output_pieces == tuple(trace.vocabulary[word] for word in words)
        assert run.target_pieces == ("<zh>", *run.output_pieces[:-1])
        assert run.output_text == translator.reading(trace, words).text != ""
        rows = run.pick("output/probabilities")
        for row, node in enumerate(path):
            chance = float(rows[row, node.id])
            assert chance == pytest.approx(2.718281828459**node.log_probability, abs=1e-5)
        assert run["decoder/1/cross_attention/weights"].shape[-2:] == (
            len(words), len(trace.source_tokens)
        )  # fmt: skip


def test_forced_and_free_agree_and_so_does_every_timeline(
    translator: Translator, trace: Trace
) -> None:
    model, task = translator.transformer, task_of(translator, trace)
    how = Sampling(temperature=1.5, top_p=0.95, seed=7)
    drawn = [each.step for each in sample(model, task, how)]
    words = [step.chosen for step in trace.steps]
    assert all(row.difference <= 1e-5 for row in compare_with_forcing(model, task, words))
    for chosen in (trace.steps, drawn):
        assert cache_difference(model, task, [step.chosen for step in chosen]) <= 1e-5


def test_taking_over_writes_another_sentence(translator: Translator, trace: Trace) -> None:
    model, task = translator.transformer, task_of(translator, trace)
    words = [step.chosen for step in trace.steps]
    other = trace.steps[0].candidates[1][0]
    steps = greedy(model, task, taking_over(words, 0, other))
    assert translator.reading(trace, [step.chosen for step in steps]).text != trace.output_text
    assert wrong_word(model, task, 0, other).after == steps


def test_slots_are_filled_with_the_sources_own_words(translator: Translator) -> None:
    trace = translator.trace("Zorblax likes Anna")
    reading = translator.reading(trace, [step.chosen for step in trace.steps])
    assert (reading.surfaces, reading.text) == (trace.output_tokens, trace.output_text)
    assert "Zorblax" in reading.text


def test_strategies_under_edits(translator: Translator, trace: Trace) -> None:
    off = [Edit("decoder/*/cross_attention/weights", torch.zeros_like, "blind")]
    edited = translator.trace(TIRED, edits=off)
    model, task = translator.transformer, task_of(translator, edited)
    steps = greedy(model, task, tape=tapes(off))
    assert steps == edited.steps and steps != trace.steps
    again = record_words(translator, trace, [step.chosen for step in steps], off, steps)
    assert again.edits == ("blind",) and again.output_text == edited.output_text
    assert torch.equal(again["output/logits"], edited["output/logits"])
    assert tapes(()) is None


def test_four_beams_are_no_long_wait(translator: Translator, trace: Trace) -> None:
    """Processor time, so that a busy machine does not count."""
    start = time.process_time()
    beam(translator.transformer, task_of(translator, trace), 4)
    assert time.process_time() - start < 2


def test_what_cannot_be_is_refused(translator: Translator, trace: Trace) -> None:
    other = replace(trace, config=replace(trace.config, dropout=0.5), model_name="other")
    for wrong, key in (
        (lambda: task_of(translator, other), "trail_model"),
        (lambda: record_words(translator, trace, []), "decoding_range"),
        (lambda: record_words(translator, trace, [10**6]), "out_of_range"),
        (lambda: record_words(translator, trace, [9], [Edit("x", torch.clone)]), "edit_unmatched"),
    ):
        with pytest.raises(GlassformerError) as caught:
            wrong()
        assert caught.value.key == key
