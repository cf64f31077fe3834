"""Several sentences in one text: where one ends and the next begins."""

from __future__ import annotations

import re

from core.text.english import ABBREVIATED
from core.text.normalize import HAN, has_word

# After a mark: a space and anything, or, without a space, a Chinese character.
END = re.compile(rf"[.?!]+[\"')\]»]*(?=\s|[{HAN}])|[。？！]+[”’\"'）」』]*|\n+|\.{{3,}}|…+(?=\s)")


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text as they were typed, each with its marks; at least one.

    "Mr. Smith", "3.5" and "U.S. " do not end one. Marks and pictures alone are no sentence: they
    stay with the sentence before.
    """
    found: list[str] = []
    start = 0
    for match in END.finditer(text):
        end = match.end()
        if _is_abbreviation(text[start:end]) or not has_word(text[end:]):
            continue
        if has_word(text[start:end]):
            found.append(text[start:end].strip())
            start = end
    return (*found, text[start:].strip())


def _is_abbreviation(text: str) -> bool:
    """Whether the full stop at the end belongs to the last word: "Mr.", "J.", "U.S."."""
    last = text.split()[-1] if text.split() else ""
    initials = re.fullmatch(r"(?:[A-Za-z]\.)+", last) and last != "I."
    return bool(ABBREVIATED.fullmatch(last) or initials)
