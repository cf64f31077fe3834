"""English words that mean another word in their surroundings."""

from __future__ import annotations

from collections.abc import Callable

from core.text.numbers import SMALL
from core.text.tokens import Token

BEFORE_HOUR = frozenset("at around until till".split())
# What may follow an hour: "at 7 in the morning", but "at 7 hotels".
AFTER_HOUR = frozenset(
    "in on to every today tonight tomorrow yesterday this next and or but so because sharp".split()
)
BE = frozenset("am is are was were isn't aren't wasn't weren't feel feels looks look it's".split())
# What follows "pretty" where it says how much; and where it says how somebody looks.
MEASURED = frozenset("good bad well much often fast soon hard late early".split())
NOT_MEASURED = frozenset(
    "and but or so because in on at to for when with today now too as than".split()
)
END = Token(".", ".", "mark")


def hours(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """The hours of the clock as words: "at 7" is read "at seven", "7 o'clock" "seven o'clock"."""
    read: list[Token] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1].word if place else ""
        after = tokens[place + 1] if place + 1 < len(tokens) else END
        free = before in BEFORE_HOUR and (after.kind == "mark" or after.word in AFTER_HOUR)
        word = _hour(token) if free or after.word == "o'clock" else ""
        read.append(Token(token.surface, word) if word and known(word) else token)
    return read


def _hour(token: Token) -> str:
    """From the token 7 "seven"; "" for what is no hour of the clock."""
    value = int(token.word) if token.kind == "number" and token.word.isdigit() else 0
    return SMALL[value] if 1 <= value <= 12 else ""


def degrees(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """How "pretty good" is read: "quite good"; a girl who is pretty stays so."""
    read: list[Token] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1].word if place else ""
        after = tokens[place + 1] if place + 1 < len(tokens) else END
        said_of = before in BE and after.kind == "word" and after.word not in NOT_MEASURED
        degree = token.word == "pretty" and (after.word in MEASURED or said_of)
        read.append(Token(token.surface, "quite") if degree and known("quite") else token)
    return read
