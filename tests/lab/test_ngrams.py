"""A language model of counts: its counts and probabilities by hand."""

from collections import Counter
from itertools import product
from math import exp, inf, log

import pytest

from glassformer.core.errors import GlassformerError
from glassformer.core.lab.ngrams import LONGEST, Smoothing, count_ngrams, read_smoothing

SENTENCES = [text.split() for text in ("the cat sat", "the cat ran", "a dog sat", "the dog")]
END, WORDS = "<eos>", 10  # more than were counted
GRAMS = count_ngrams(SENTENCES, END, WORDS)
PLAIN = Smoothing("add", 0, 1)


@pytest.mark.parametrize("order", range(1, LONGEST + 1))
def test_counts_are_those_of_all_windows(order: int) -> None:
    padded = [["<s>"] * (order - 1) + each + [END] for each in SENTENCES]
    windows = Counter(
        tuple(each[at : at + order]) for each in padded for at in range(len(each) - order + 1)
    )
    found = {
        (*context, word): count
        for context, followers in GRAMS.followers[order - 1].items()
        for word, count in followers.items()
    }
    assert found == windows


def test_probabilities_by_hand() -> None:
    assert GRAMS.probability("cat", ["the"], 2, PLAIN) == pytest.approx(2 / 3)
    assert GRAMS.probability("cat", ["the"], 2, Smoothing("add", 1, 1)) == pytest.approx(3 / 13)
    mixed = Smoothing("mix", 0, 0.75)
    alone = 0.75 * 2 / 15 + 0.25 / WORDS  # cat: of 15 words, four of them the end
    assert GRAMS.probability("cat", [], 1, mixed) == pytest.approx(alone)
    both = 0.75 * 2 / 3 + 0.25 * alone
    assert GRAMS.probability("cat", ["the"], 2, mixed) == pytest.approx(both)
    # a context never met leaves it to the shorter one
    assert GRAMS.probability("cat", ["a", "the"], 3, mixed) == pytest.approx(both)


@pytest.mark.parametrize("how", [Smoothing("add", 0.3, 1), Smoothing("mix", 0, 0.6)])
def test_probabilities_sum_to_1_over_the_vocabulary(how: Smoothing) -> None:
    counted = {word for each in SENTENCES for word in each} | {END}
    words = [*counted, *(f"unseen {at}" for at in range(WORDS - len(counted)))]
    assert len(words) == WORDS
    for order, before in product((1, 2, 3, 5), ([], ["the"], ["sat", "sat"])):
        total = sum(GRAMS.probability(word, before, order, how) for word in words)
        assert total == pytest.approx(1)


def test_perplexity() -> None:
    uniform = GRAMS.perplexity([["new", "words"]], END, 3, Smoothing("mix", 0, 0))
    assert (uniform.value, uniform.words, uniform.unseen) == (pytest.approx(WORDS), 3, 3)
    assert GRAMS.perplexity([["new"]], END, 1, PLAIN).value == inf
    counts = Counter(word for each in SENTENCES for word in [*each, END])
    entropy = -sum(each / 15 * log(each / 15) for each in counts.values())
    own = GRAMS.perplexity(SENTENCES, END, 1, PLAIN)
    assert own.value == pytest.approx(exp(entropy))
    assert (own.words, own.unseen) == (15, 0)


def test_the_likeliest_come_first() -> None:
    found = GRAMS.likeliest(["the"], 2, PLAIN, 9)
    assert [(each.word, each.count) for each in found] == [("cat", 2), ("dog", 1)]
    assert GRAMS.likeliest(["never"], 2, PLAIN, 9) == ()
    shorter = GRAMS.likeliest(["never"], 2, Smoothing("mix", 0, 1), 2)
    assert [each.word for each in shorter] == [END, "the"]


def test_what_is_typed() -> None:
    assert read_smoothing("add", "0.5", "1") == Smoothing("add", 0.5, 1)
    for typed in (("other", "0", "0"), ("add", "-1", "0"), ("mix", "0", "2")):
        with pytest.raises(GlassformerError):
            read_smoothing(*typed)
