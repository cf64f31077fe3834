"""Words that a translation says again and again: greedy decoding may run in circles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.decoding.guard import GROUP_IN_A_ROW, WORD_IN_A_ROW, longest_run


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
    said, times = longest_run(words)
    allowed = GROUP_IN_A_ROW if len(said) > 1 else WORD_IN_A_ROW
    return Repetition(tuple(map(str, said)), times) if times > allowed else None
