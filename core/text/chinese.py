"""Splitting typed Chinese into words: the cheapest way to cover it with known words.

Every word costs −ln of its frequency; a word of the gazetteer, a personal name, a number and an
unknown run cost fixed amounts. Dynamic programming finds the cheapest cover. Spaces, where
somebody typed them, are word boundaries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.english import MARKS, Token, single_marks
from core.text.gazetteer import Gazetteer
from core.text.normalize import HAN, simplify
from core.text.vocabulary import Vocabulary

LONGEST = 8  # characters of a word
GAZETTEER_COST, NAME_COST, NUMBER_COST = 9.0, 15.0, 9.0
UNKNOWN_COST, UNKNOWN_CHARACTER_COST = 15.0, 12.0  # dearer than any known word
FAMILIAR = frozenset("小老阿")  # 小王, 老李: a surname among friends
NUMERALS = re.compile("[零〇一二三四五六七八九十百千万两]+")
RUN = re.compile(rf"《[^》]+》|[{HAN}]+|\d+(?:[.,:]\d+)*%?|&#?\w+;|[.,?!;:]|[^\s{HAN}.,?!;:《》]+")


@dataclass(frozen=True)
class Cover:
    """The cheapest cover of the text up to here, and its last word."""

    cost: float
    start: int
    kind: str


def split_chinese(text: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[Token]:
    """Tokens of normalised Chinese text, segmented or not."""
    chunks = text.split(" ")
    spaced = len(chunks) > 2 and sum(map(len, chunks)) <= 3 * len(chunks)
    tokens: list[Token] = []
    for chunk in chunks:
        for match in RUN.finditer(chunk):
            tokens.extend(_run(match[0], spaced and match[0] == chunk, vocabulary, gazetteer))
    return single_marks(tokens)


def _run(run: str, whole: bool, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[Token]:
    """The words of one run of characters; `whole`: it stood between spaces in spaced text."""
    if run in MARKS:
        return [Token(run, MARKS[run], "mark")]
    if run[0].isdigit():
        return [Token(run, run, "number")]
    if run[0] == "《":
        return [Token(run, simplify(run[1:-1]), "title")]
    if not re.match(f"[{HAN}]", run):
        return (
            [Token(run, run.lower(), "odd")] if re.search(r"\w", run) or not run.isascii() else []
        )
    words = _cheapest(simplify(run), vocabulary, gazetteer)
    if whole and any(kind == "unknown" for _, _, kind in words):
        words = [(0, len(run), "unknown")]
    return [Token(run[i:j], simplify(run[i:j]), kind) for i, j, kind in words]


def _cheapest(run: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> list[tuple[int, int, str]]:
    """(start, end, kind) of every word of the cheapest cover."""
    covers = [Cover(0.0, 0, "")]
    for end in range(1, len(run) + 1):
        options = []
        for start in range(max(0, end - LONGEST), end):
            kind, cost = _price(run[start:end], vocabulary, gazetteer)
            options.append(Cover(covers[start].cost + cost, start, kind))
        covers.append(min(options, key=lambda option: option.cost))
    words, end = [], len(run)
    while end:
        words.append((covers[end].start, end, covers[end].kind))
        end = covers[end].start
    return words[::-1]


def _price(word: str, vocabulary: Vocabulary, gazetteer: Gazetteer) -> tuple[str, float]:
    if vocabulary.has_word(word):
        return "word", vocabulary.cost(word)
    if word in gazetteer.chinese:
        return "word", GAZETTEER_COST
    if NUMERALS.fullmatch(word):
        return "number", NUMBER_COST
    if len(word) in (2, 3) and word[0] in gazetteer.surnames:
        return "name", NAME_COST
    if len(word) == 2 and word[0] in FAMILIAR and word[1] in gazetteer.surnames:
        return "name", NAME_COST
    return "unknown", UNKNOWN_COST + UNKNOWN_CHARACTER_COST * len(word)
