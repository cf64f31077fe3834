"""Nothing of the test set is in training."""

from itertools import islice

import pytest

from glassformer.core.corpus import HeldOut, held_out_pairs, load_grammar, training_pairs
from glassformer.core.corpus.split import MOST_WORDS, is_held_out, without_punctuation


@pytest.fixture(scope="module")
def held_out() -> HeldOut:
    return held_out_pairs(load_grammar(), 300)


def test_the_test_set_is_fixed_and_without_repetition(held_out: HeldOut) -> None:
    again = held_out_pairs.__wrapped__(load_grammar(), 300)  # drawn anew
    assert held_out.pairs == again.pairs
    assert (
        len(
            {
                (without_punctuation(p.english), without_punctuation(p.chinese))
                for p in held_out.pairs
            }
        )
        == 300
    )


def test_no_combination_and_no_sentence_is_shared(held_out: HeldOut) -> None:
    keys = {pair.key for pair in held_out.pairs}
    assert all(is_held_out(pair.key) for pair in held_out.pairs)
    for pair in islice(training_pairs(load_grammar(), held_out, 4), 4000):
        assert pair.key not in keys
        assert without_punctuation(pair.english) not in held_out.sentences
        assert without_punctuation(pair.chinese) not in held_out.sentences


def test_every_long_template_is_tested(held_out: HeldOut) -> None:
    assert len({pair.template for pair in held_out.pairs}) >= 40


def test_both_sides_end_alike(held_out: HeldOut) -> None:
    for pair in held_out.pairs:
        ends = {side[-1] if side[-1] in (".", "?", "!") else "" for side in pair.sides("en-zh")}
        assert len(ends) == 1


def test_no_sentence_is_longer_than_is_said(held_out: HeldOut) -> None:
    pairs = islice(training_pairs(load_grammar(), held_out, 7), 4000)
    longest = max(len(side) for pair in pairs for side in (pair.english, pair.chinese))
    assert longest <= MOST_WORDS + 1  # and a full stop
