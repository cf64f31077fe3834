"""Words that a translation says again and again: greedy decoding may run in circles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TWICE_FROM = 2  # so many words said twice in a row are no accident
ONE_WORD = 3  # "very very" is said on purpose


@dataclass(frozen=True)
class Repetition:
    """Neighbouring words and how often they stand in a row."""

    words: tuple[str, ...]
    times: int


def repetition(tokens: Sequence[str]) -> Repetition | None:
    """The longest stretch of the same words in a row; None where nothing repeats itself.

    Punctuation counts for nothing, so "no, no, no" repeats itself too. Of equal stretches
    the shortest words are named: "no" four times, not "no no" twice.
    """
    words = [token for token in tokens if any(map(str.isalnum, token))]
    found: Repetition | None = None
    for size in range(1, len(words) // 2 + 1):
        for start in range(len(words) - size):
            times = _in_a_row(words, start, size)
            enough = times >= (TWICE_FROM if size > 1 else ONE_WORD)
            if enough and (found is None or size * times > len(found.words) * found.times):
                found = Repetition(tuple(words[start : start + size]), times)
    return found


def _in_a_row(words: Sequence[str], start: int, size: int) -> int:
    first, times = words[start : start + size], 1
    while words[start + times * size : start + (times + 1) * size] == first:
        times += 1
    return times
