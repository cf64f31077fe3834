"""Splitting typed English: words, contractions, numbers, marks, and what is none of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.text.normalize import HAN

MARKS = {".": ".", ",": ",", "?": "?", "!": "!", ";": ",", ":": ","}
LATIN = rf"(?:(?![{HAN}])[^\W_])"
PIECE = re.compile(
    rf"(?P<number>\d+(?:[.,:]\d+)*%?(?!{LATIN}))"
    rf"|(?P<word>{LATIN}+(?:['\-]{LATIN}+)*)"
    rf"|(?P<han>[{HAN}]+)"
    r"|(?P<mark>[.,?!;:])"
)
ORDINARY = re.compile(rf"[\w'\-.,?!;:\"()\[\]%{HAN}]+")  # else the chunk is one odd word
ENTITY = re.compile(r"&#?\w+;$")
CLITICS = {"'m": "am", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would"}
IS_HOSTS = frozenset("it he she that this what where who there here how when why".split())
BARE = {"dont": "don't", "didnt": "didn't", "doesnt": "doesn't", "isnt": "isn't"}
BARE |= {"cant": "can't", "wont": "won't", "cannot": "can't", "an": "a", "ok": "okay"}
NEGATED = {"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "should", "could"}


@dataclass(frozen=True)
class Token:
    """What was typed, and the word it is looked up by; `kind`: word, number, mark or odd."""

    surface: str
    word: str
    kind: str = "word"


def split_english(text: str, known: Callable[[str], bool]) -> list[Token]:
    """Tokens of normalised English text; `known` says which words the vocabulary has."""
    tokens = [token for chunk in text.split(" ") for token in _chunk(chunk, known)]
    return single_marks(_joined(tokens))


def _chunk(chunk: str, known: Callable[[str], bool]) -> Iterator[Token]:
    if ORDINARY.fullmatch(chunk):
        for match in PIECE.finditer(chunk):
            yield from _token(match, known)
        return
    core = chunk if ENTITY.search(chunk) else chunk.rstrip(".,?!;:")
    if any(character.isalnum() for character in core) or not core.isascii():
        yield Token(core, core, "odd")
    for mark in chunk[len(core) :]:
        yield Token(mark, MARKS[mark], "mark")


def _token(match: re.Match[str], known: Callable[[str], bool]) -> Iterator[Token]:
    surface, kind = match[0], match.lastgroup or "word"
    if kind == "mark":
        yield Token(surface, MARKS[surface], "mark")
    elif kind in ("number", "han"):
        yield Token(surface, surface, "number" if kind == "number" else "odd")
    else:
        yield from _word(surface, known)


def _word(surface: str, known: Callable[[str], bool]) -> Iterator[Token]:
    word = surface.lower()
    word = BARE.get(word, word)
    host, apostrophe, _ = surface.rpartition("'")
    clitic = word[len(host) :] if apostrophe else ""
    if known(word) or not host:
        yield Token(surface, word)
    elif clitic in CLITICS:
        yield from (Token(host, host.lower()), Token(surface[len(host) :], CLITICS[clitic]))
    elif clitic == "'s":
        meaning = "is" if host.lower() in IS_HOSTS else "'s"
        yield from (Token(host, host.lower()), Token(surface[len(host) :], meaning))
    else:
        yield Token(surface, word)


def _joined(tokens: list[Token]) -> list[Token]:
    """One word of the vocabulary, "didn't", where "did not" was typed."""
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if last and token.word == "not" and last.kind == "word" and last.word in NEGATED:
            joined[-1] = Token(f"{last.surface} {token.surface}", f"{last.word}n't")
        elif last and token.word == "not" and last.word in ("can", "will"):
            word = "can't" if last.word == "can" else "won't"
            joined[-1] = Token(f"{last.surface} {token.surface}", word)
        else:
            joined.append(token)
    return joined


def single_marks(tokens: list[Token]) -> list[Token]:
    """No mark in front, none twice in a row, and no comma at the end."""
    kept: list[Token] = []
    for token in tokens:
        if token.kind != "mark" or (kept and kept[-1].kind != "mark"):
            kept.append(token)
        elif kept and kept[-1].word == ",":
            kept[-1] = token
    while kept and kept[-1].word == "," and kept[-1].kind == "mark":
        kept.pop()
    return kept
