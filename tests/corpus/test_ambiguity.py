"""One source, one translation: template against template, and word against word."""

import random
from functools import cache

import pytest

from glassformer.core.corpus import Direction, Pair, draw_pair, load_grammar
from tests.corpus.ambiguity import clashes, thinned

ALLOWED = {"en-zh": 0.0005, "zh-en": 0.002}  # of the pairs drawn
PAIRS = 25_000  # enough for the templates there are to meet


@cache
def drawn(seed: int, count: int) -> list[Pair]:
    grammar, rng = thinned(load_grammar(), seed), random.Random(seed)
    return [draw_pair(grammar, rng) for _ in range(count)]


@pytest.mark.parametrize("direction", ["en-zh", "zh-en"])
def test_templates_do_not_contradict_each_other(direction: Direction) -> None:
    lost, total = 0, 0
    examples = []
    for seed in range(2):
        pairs = drawn(seed, PAIRS)
        found = clashes(pairs, direction)
        lost += sum(clash.count for clash in found)
        total += sum(direction in pair.directions for pair in pairs)
        examples += found[:10]
    assert lost <= total * ALLOWED[direction], examples


def test_a_thinned_grammar_repeats_itself() -> None:
    """Else the test above would find nothing whatever the templates say."""
    pairs = drawn(3, PAIRS)
    assert len({pair.english for pair in pairs}) < 0.8 * len(pairs)
    assert len({pair.template for pair in pairs}) >= 40


def test_a_clash_names_both_templates() -> None:
    one = Pair(("a",), ("一",), (), (), "first", "", ("en-zh",))
    two = Pair(("a",), ("二",), (), (), "second", "", ("en-zh",))
    (clash,) = clashes([one, two, one], "en-zh")
    assert clash.templates == ("first", "second") and clash.count == 1
    assert clashes([one, two, one], "zh-en") == []
