"""What a typed sentence is cut into, and words that the model reads as several others.

"Hang out" is read "play", 小气 is 不 大方.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from glassformer.core.text.normalize import word_list

FACES = re.compile(
    "[\u2600-\u27bf\U0001f389\U0001f440-\U0001f450\U0001f48b-\U0001f49f\U0001f4af\U0001f525"
    "\U0001f600-\U0001f64f\U0001f90c-\U0001f93a\U0001f970-\U0001f97a]+"
)
Known = Callable[[str], bool]
LONGEST = 7  # words that are typed
DEGREES = frozenset("very so really too quite pretty rather a bit little".split())
VERY = frozenset("很 非常 真 太 特别 有点 挺 好".split())
BE = frozenset("am is are was were be".split())


@dataclass(frozen=True)
class Token:
    """What was typed, and the word it is looked up by; `kind`: word, number, mark or odd."""

    surface: str
    word: str
    kind: str = "word"


def without_faces(tokens: list[Token]) -> list[Token]:
    """No smiling face at the beginning or the end: it says how, not what.

    Faces alone stay, and so does a picture that stands for a word: "I love 🍕".

    Args:
        tokens: of a sentence.

    Returns:
        The tokens, marks single again.
    """
    kept = list(tokens)
    while kept and FACES.fullmatch(kept[-1].surface):
        kept.pop()
    while kept and FACES.fullmatch(kept[0].surface):
        kept.pop(0)
    return single_marks(kept) if kept else tokens


def single_marks(tokens: list[Token]) -> list[Token]:
    """No mark in front, none twice in a row, and no comma at the end.

    Args:
        tokens: of a sentence.

    Returns:
        The tokens; a comma gives way to the mark behind it.
    """
    kept: list[Token] = []
    for token in tokens:
        if token.kind != "mark" or (kept and kept[-1].kind != "mark"):
            kept.append(token)
        elif kept and kept[-1].word == ",":
            kept[-1] = token
    while kept and kept[-1].word == "," and kept[-1].kind == "mark":
        kept.pop()
    return kept


@cache
def paraphrases(table: str) -> dict[str, tuple[str, ...]]:
    """Meanings by what is typed, from `data/paraphrases.toml`.

    Args:
        table: a key of that file: "en", "zh", or "not", words behind "not".

    Returns:
        {"hang out": ("play",), …}; shared, so not to be written to.

    Raises:
        KeyError: the file has no such table.
    """
    lines = word_list("paraphrases")[table]
    pairs = (line.split(" = ") for line in lines)
    return {
        typed: tuple(meant.split()) for meant, all_typed in pairs for typed in all_typed.split(", ")
    }


def known_words_meaning(typed: str, table: str, known: Known) -> tuple[str, ...]:
    """The known words that mean what was typed.

    Args:
        typed: a word or several, in lower case.
        table: as `paraphrases` takes it.
        known: whether the vocabulary has a word.

    Returns:
        The words; () where the word itself is known, or one of its meaning is not.
    """
    meant = paraphrases(table).get(typed, ())
    return meant if not known(typed) and all(map(known, meant)) else ()


def reword_tokens(tokens: list[Token], table: str, known: Known) -> list[Token]:
    """Typed words as words of the vocabulary; the surfaces together are what was typed.

    "He is unfriendly" is "he is not friendly", but "an unfriendly dog" stays; 很 小气 is 不 大方.

    Args:
        tokens: of a sentence.
        table: "en" or "zh", its language.
        known: whether the vocabulary has a word.

    Returns:
        The tokens, as many as the words that are read.
    """
    read: list[Token] = []
    place = 0
    while place < len(tokens):
        width, meant = _found(tokens, place, table, known)
        if not width and table == "en" and read and read[-1].word in BE:
            width, meant = _negated(tokens[place : place + 4], known)
        run = tokens[place : place + (width or 1)]
        place += len(run)
        if meant and meant[0] == "不" and read and read[-1].word in VERY:
            run.insert(0, read.pop())
        read += _spread(run, meant) if meant else run
    return read


def _found(
    tokens: list[Token], place: int, table: str, known: Known
) -> tuple[int, tuple[str, ...]]:
    """How many words the longest entry has that begins here, and what it means."""
    entries, run = paraphrases(table), tokens[place : place + LONGEST]
    words = [token.word for token in run]
    for width in range(len(run), 0, -1):
        typed = " ".join(words[:width])
        if typed in entries and all(token.kind == "word" for token in run[:width]):
            meant = known_words_meaning(typed, table, known)
            if meant:
                return width, meant
    return 0, ()


def _negated(ahead: list[Token], known: Known) -> tuple[int, tuple[str, ...]]:
    """What says that something is not so: "very unfriendly" is "not friendly"."""
    place = 0
    while place < len(ahead) - 1 and ahead[place].word in DEGREES:
        place += 1
    meant = known_words_meaning(ahead[place].word, "not", known) if ahead else ()
    return (place + 1, ("not", *meant)) if meant and known("not") else (0, ())


def _spread(run: list[Token], meant: tuple[str, ...]) -> list[Token]:
    """The typed surfaces over as many words as are read."""
    apart = " " if run[0].surface.isascii() else ""
    surfaces = [token.surface for token in run]
    while len(surfaces) > len(meant):
        surfaces[-2:] = [apart.join(surfaces[-2:])]
    while len(surfaces) < len(meant):
        longest = max(range(len(surfaces)), key=lambda place: len(surfaces[place]))
        half = (len(surfaces[longest]) + 1) // 2
        surfaces[longest : longest + 1] = surfaces[longest][:half], surfaces[longest][half:]
    return [Token(surface, word) for surface, word in zip(surfaces, meant, strict=True)]
