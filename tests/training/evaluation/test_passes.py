"""Passes, knock-outs and redirects: the edits change what they say, and nothing else."""

import pytest
import torch

from glassformer.core.corpus import DIRECTIONS, Pair, load_grammar
from glassformer.core.corpus.draw import Direction
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.address import Address
from glassformer.core.training.evaluation.attention import (
    Part,
    alignment,
    antecedents,
    attention_parts,
)
from glassformer.core.training.evaluation.held_out import (
    coreference_readings,
    resolved_rows,
    unseen_pairs,
)
from glassformer.core.training.evaluation.interventions import (
    Case,
    cases_of,
    mean_contexts,
    measure_redirects,
    turn_rows,
)
from glassformer.core.training.evaluation.passes import (
    run_passes,
    translate_greedily,
    word_for_word,
)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return load_model()


@pytest.fixture(scope="module")
def readings() -> tuple[tuple[Pair, Pair], ...]:
    return coreference_readings(load_grammar(), 12)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_pass_tells_what_decoding_gives(translator: Translator, direction: Direction) -> None:
    pairs = [pair for pair in unseen_pairs(load_grammar(), 300) if direction in pair.directions]
    decoded = [
        words == pair.sides(direction)[1]
        for words, pair in zip(translate_greedily(translator, pairs, direction), pairs, strict=True)
    ]
    at_once = word_for_word(translator, pairs, direction)
    assert all(later for first, later in zip(at_once, decoded, strict=True) if first)
    # The guard against circles saves a few, while the sentence is written.
    assert 0.5 * len(pairs) < sum(at_once) >= sum(decoded) - 0.01 * len(pairs)


def test_readings_differ_in_one_word(readings: tuple[tuple[Pair, Pair], ...]) -> None:
    assert len(readings) == 12
    for one, other in readings:
        pairs = list(zip(one.english, other.english, strict=True))
        (differing,) = [words for words in pairs if words[0] != words[1]]
        assert not any(word.startswith("<") for word in differing)
        assert one.antecedents != other.antecedents
        assert one.chinese != other.chinese


def test_a_larger_test_set_begins_with_the_smaller() -> None:
    grammar = load_grammar()
    assert unseen_pairs(grammar, 20) == unseen_pairs(grammar, 50)[:20]


def test_a_knock_out_takes_one_head() -> None:
    context = torch.ones(2, 4, 3, 5)
    changed = Part("encoder/0/self_attention", 2).edit(None).change(context.clone())
    assert not changed[:, 2].any()
    assert changed[:, [0, 1, 3]].all()
    assert not Part("encoder/0/self_attention", None).edit(None).change(context.clone()).any()


def test_a_knock_out_by_mean_fills_every_row() -> None:
    filling = torch.arange(20.0).view(4, 5)
    changed = Part("decoder/1/cross_attention", 1).edit(filling).change(torch.ones(2, 4, 3, 5))
    assert (changed[:, 1] == filling[1]).all()
    assert (changed[:, 0] == 1).all()
    whole = Part("decoder/1/cross_attention", None).edit(filling).change(torch.ones(2, 4, 3, 5))
    assert (whole == filling[None, :, None]).all()


def test_means_leave_padding_out(translator: Translator) -> None:
    pairs = list(unseen_pairs(load_grammar(), 300))
    short, long = min(pairs, key=lambda p: len(p.english)), max(pairs, key=lambda p: len(p.english))
    together = mean_contexts(translator, [short, long])
    rows = []
    for pair in (short, long):  # alone, a sentence has no padding
        for direction in pair.directions:
            (run,) = run_passes(translator, [pair], direction, keep=Address.of(address).__eq__)
            rows.append(run.kept[address][0])
    expected = torch.cat(rows, dim=1).mean(dim=1)
    assert torch.allclose(together[address], expected, atol=1e-5)


address = "encoder/1/self_attention/context"


def test_parts_are_attentions_and_their_heads(translator: Translator) -> None:
    names = [part.name for part in attention_parts(translator)]
    assert names[:2] == ["encoder self-attention layer 1", "encoder self-attention layer 1 head 1"]
    assert len(set(names)) == len(names)


def test_a_turn_changes_one_row() -> None:
    pair = Pair(("a",), ("b",), (), (), "", "", ("en-zh",))
    case = Case(pair, writes=2, pronoun=1, other=3, words=("x", "y"))
    weights = torch.full((1, 2, 4, 5), 0.2)
    found = turn_rows(Part("decoder/1/cross_attention", 0), [case]).change(weights.clone())
    assert found[0, 0, 2].tolist() == [0, 0, 0, 1, 0]
    found[0, 0, 2] = 0.2
    assert (found == weights).all()
    found = turn_rows(Part("encoder/0/self_attention", None), [case]).change(weights.clone())
    assert found[0, :, 1, 3].tolist() == [1, 1] and found[0, :, 1].sum() == 2


def test_each_reading_is_turned_to_the_noun_of_the_other(
    readings: tuple[tuple[Pair, Pair], ...],
) -> None:
    cases = cases_of(readings)
    assert cases
    for case, other in zip(cases[::2], cases[1::2], strict=True):
        assert case.words == other.words[::-1]
        assert case.other == other.pair.antecedents[0][1]
        assert case.pair.chinese[case.writes] == case.words[0]
        assert resolved_rows(case.pair) == [case.writes]


def test_a_turn_that_asks_for_the_same_noun_flips_nothing(
    translator: Translator, readings: tuple[tuple[Pair, Pair], ...]
) -> None:
    resolved, flips = measure_redirects(translator, [(one, one) for one, _ in readings])
    whole = flips[f"decoder layer {translator.config.decoder_layers}, all heads"]
    assert resolved.total == 2 * len(readings)
    assert whole.rate > 0.8  # the "other" noun is the noun itself, and it is written


def test_attention_is_counted_for_every_gold_word(translator: Translator) -> None:
    pairs = unseen_pairs(load_grammar(), 40)
    taught = [pair for pair in pairs if "en-zh" in pair.directions]
    partners = sum(len({chinese for _, chinese in pair.alignment}) for pair in taught)
    looks = alignment(translator, taught, "en-zh")
    assert {tally.total for tally in looks.values()} == {partners}
    assert len(looks) == translator.config.decoder_layers * (1 + translator.config.n_heads)


def test_antecedents_are_counted_by_head(
    translator: Translator, readings: tuple[tuple[Pair, Pair], ...]
) -> None:
    one = readings[0][0]
    counted = antecedents(translator, [one])
    (run,) = run_passes(translator, [one], "en-zh", keep=lambda at: at.stack == "encoder")
    ((pronoun, noun),) = one.antecedents
    for layer in range(translator.config.encoder_layers):
        weights = run.kept[f"encoder/{layer}/self_attention/weights"][0]  # (H, S, S)
        for head in range(translator.config.n_heads):
            looked = int(weights[head, pronoun].argmax())
            tally = counted[f"layer {layer + 1} head {head + 1}"]
            assert (tally.right, tally.total) == (int(looked == noun), 1)
