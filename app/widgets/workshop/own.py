"""The reader's own pairs: what was pasted or uploaded last, read once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

from app import state
from core.corpus import draw_pair, load_grammar
from core.text.vocabulary import RESERVED
from core.workshop.lessons import written
from core.workshop.own_words import SentencePair
from core.workshop.pairs import PairFile, read_pairs

EXAMPLES, LONGEST_EXAMPLE = 60, 7  # pairs, words a side


def pasted() -> str:
    """The text of the session, or of the link."""
    linked = state.get_state().pairs
    basis, text = state.kept("workshop_text", (None, ""))
    return text if basis == linked else linked


def paste(text: str) -> None:
    """Take a text; a longer one than a link carries is the session's alone."""
    linked = text if len(text) <= state.LONG_TEXT else ""
    state.update(pairs=linked)
    state.keep("workshop_text", (linked, text))


def is_linked() -> bool:
    """Whether a link to this screen has the pairs."""
    return uploaded() is None and pasted() == state.get_state().pairs


def uploaded() -> tuple[str, bytes] | None:
    """Name and content of the session's file; None without one."""
    found: tuple[str, bytes] | None = state.kept("workshop_file")
    return found


def current() -> PairFile | None:
    """What the file, or else the text, holds; None while there is neither."""
    file, text = uploaded(), pasted()
    if file is not None:
        return _read(file[1], file[0])
    return _read(text, "") if text.strip() else None


def _read(given: str | bytes, name: str) -> PairFile:
    known: tuple[Any, PairFile] | None = state.kept("workshop_read")
    if known is None or known[0] != (given, name):
        known = (given, name), read_pairs(given, name)
        state.keep("workshop_read", known)
    return known[1]


def written_pairs(pairs: Sequence[SentencePair]) -> str:
    """Pairs as one pastes them."""
    return "\n".join("\t".join(pair) for pair in pairs)


@cache
def example_text() -> str:
    """Short pairs of the grammar, as somebody might paste them."""
    grammar, rng = load_grammar(), random.Random("pairs to paste")
    lines: dict[str, None] = {}
    while len(lines) < EXAMPLES:
        pair = draw_pair(grammar, rng)
        sides = pair.sides("en-zh")
        if max(map(len, sides)) > LONGEST_EXAMPLE or {*sides[0], *sides[1]} & {*RESERVED}:
            continue
        lines["\t".join(written(pair))] = None
    return "\n".join(lines)
