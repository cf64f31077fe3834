"""Words that are said again and again."""

import pytest

from glassformer.core.analysis.confidence import Reason, repetition


@pytest.mark.parametrize(
    ("text", "words", "times"),
    [
        ("no no no", "no", 3),
        ("he says no , no , no !", "no", 3),
        ("I love machine learning machine learning machine learning at", "machine learning", 3),
        ("a b c a b c", "a b c", 2),
        ("no no no no", "no", 4),
        ("x x x a b c d a b c d", "a b c d", 2),
    ],
)
def test_the_longest_stretch_is_named_by_its_shortest_words(
    text: str, words: str, times: int
) -> None:
    assert repetition(text.split()) == Reason("repeated", tuple(words.split()), times)


@pytest.mark.parametrize("text", ["", "no", "very very good", "the cat and the dog", ", , , ,"])
def test_what_is_said_on_purpose_is_no_repetition(text: str) -> None:
    assert repetition(text.split()) is None
