"""Splitting typed English: words, contractions, numbers, marks, and what is none of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from core.text.contractions import expanded
from core.text.normalize import HAN
from core.text.numbers import CLOCK, MONEY, ORDINAL
from core.text.paraphrases import reworded
from core.text.surroundings import degrees, hours
from core.text.tokens import Token, single_marks, without_faces

MARKS = {".": ".", ",": ",", "?": "?", "!": "!", ";": ",", ":": ",", "-": ","}
MARKS |= dict.fromkeys("()[]", ",")
LATIN = rf"(?:(?![{HAN}])[^\W_])"
PIECE = re.compile(
    rf"(?P<number>\d+(?:[.,:]\d+)*%?(?!{LATIN}))"
    rf"|(?P<word>{LATIN}+(?:['\-]{LATIN}+)*(?:(?<=s)'(?=$|[.,?!;:]))?)"
    rf"|(?P<han>[{HAN}]+)"
    r"|(?P<mark>[.,?!;:()\[\]])"
)
ORDINARY = re.compile(rf"[\w'\-.,?!;:\"()\[\]%{HAN}]+")  # else the chunk is one odd word
ADDRESS = re.compile(
    rf"https?://[^\s{HAN}]+|www\.[^\s{HAN}]+|[\w.+\-]+@[\w.\-]+\.\w+|"
    r"[\w\-]+(?:\.[\w\-]+)*"
    rf"\.(?:com|org|net|edu|gov|io|ai|cn|uk|de|fr|txt|pdf|py|csv|md|html)\b(?:/[^\s{HAN}]*)?",
    re.ASCII,
)
ENTITY = re.compile(r"&#?\w+;$")
# Signs that are pictures; a heart may carry a selector, which the normaliser has taken off.
PICTURE = re.compile("([\u2600-\u27bf\u2b50-\u2b55\U0001f000-\U0001faff]+)")
ABBREVIATED = re.compile(r"(?:mr|mrs|ms|dr|prof|etc|vs)\.", re.IGNORECASE)
INITIALS = re.compile(r"(?:[A-Za-z]\.){2,}|[A-HJ-Z]\.(?= )")  # U.S., e.g., J. Smith
APART = ("only", "very")  # behind "not": "is not only kind but …"


def split_english(text: str, known: Callable[[str], bool]) -> list[Token]:
    """Tokens of normalised English text; `known` says which words the vocabulary has."""
    chunks = [part for chunk in text.split(" ") for part in PICTURE.split(chunk) if part]
    tokens: list[Token] = []
    for place, chunk in enumerate(chunks):
        following = chunks[place + 1] if place + 1 < len(chunks) else ""
        tokens.extend(_chunk(chunk, following.lower().strip(".,?!;:\"'()"), known))
    tokens = _joined(reworded(tokens, "en", known), known)
    joined = degrees(hours(tokens, known), known)
    return without_faces(single_marks(joined))


def _chunk(chunk: str, following: str, known: Callable[[str], bool]) -> Iterator[Token]:
    if chunk in ("-", "--"):
        yield Token(chunk, ",", "mark")
        return
    bare = chunk.strip("\"'()[].,?!;:")
    if ABBREVIATED.fullmatch(chunk):
        yield Token(chunk, chunk.lower().rstrip("."))
    elif INITIALS.match(f"{chunk} {following}".rstrip()) and chunk[-1] == ".":
        yield Token(chunk, chunk.lower())
    elif ADDRESS.fullmatch(bare) or MONEY.fullmatch(bare) or not ORDINARY.fullmatch(chunk):
        yield from _whole(chunk, bare if ADDRESS.fullmatch(bare) else chunk)
    elif ORDINAL.fullmatch(bare) or CLOCK.fullmatch(bare):
        yield from _whole(chunk, bare)
    else:
        for match in PIECE.finditer(chunk):
            yield from _token(match, following, known)


def _whole(chunk: str, core: str) -> Iterator[Token]:
    """A chunk that stays in one piece, and the marks behind it."""
    core = core if ENTITY.search(core) else core.rstrip(".,?!;:")
    if any(character.isalnum() for character in core) or not core.isascii():
        numeric = any(shape.fullmatch(core) for shape in (ORDINAL, CLOCK, MONEY))
        yield Token(core, core, "number" if numeric else "odd")
    for mark in chunk[chunk.index(core) + len(core) :]:
        if mark in MARKS:
            yield Token(mark, MARKS[mark], "mark")


def _token(match: re.Match[str], following: str, known: Callable[[str], bool]) -> Iterator[Token]:
    surface, kind = match[0], match.lastgroup or "word"
    if kind == "mark":
        yield Token(surface, MARKS[surface], "mark")
    elif kind in ("number", "han"):
        yield Token(surface, surface, "number" if kind == "number" else "odd")
    else:
        parts = expanded(surface, following, known)
        if len(parts) == 1 and "-" in surface and not known(parts[0][1]):
            parts = _parts_of_compound(surface, known)
        yield from (Token(typed, word) for typed, word in parts)


def _parts_of_compound(surface: str, known: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Typed "ice-cream" as two words where the vocabulary has both; else as it is."""
    words = surface.lower().split("-")
    if not all(map(known, words)):
        return [(surface, surface.lower())]
    typed = re.findall(r"[^\-]+-?", surface)
    return list(zip(typed, words, strict=True))


def _joined(tokens: list[Token], known: Callable[[str], bool]) -> list[Token]:
    """One word of the vocabulary, "didn't", where "did not" was typed; "3 pm" is one time."""
    joined: list[Token] = []
    for token, following in zip(tokens, (*tokens[1:], None), strict=True):
        last = joined[-1] if joined else None
        apart = following is not None and following.word in APART
        negatable = last and last.kind == "word" and token.word == "not" and not apart
        negated = _negation(last.word, known) if last and negatable else ""
        if last and negated:
            joined[-1] = Token(f"{last.surface} {token.surface}", negated)
        elif last and last.kind == "number" and CLOCK.fullmatch(f"{last.surface} {token.surface}"):
            surface = f"{last.surface} {token.surface}"
            joined[-1] = Token(surface, surface, "number")
        else:
            joined.append(token)
    return joined


def _negation(word: str, known: Callable[[str], bool]) -> str:
    """The word for "… not": "can't" for "can"; "" for a word that has none."""
    negated = {"can": "can't", "will": "won't"}.get(word, f"{word}n't")
    return negated if known(negated) else ""
