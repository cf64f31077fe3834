"""What a typed sentence is cut into, in either language."""

from __future__ import annotations

import re
from dataclasses import dataclass

FACES = re.compile(
    "[\u2600-\u27bf\U0001f389\U0001f440-\U0001f450\U0001f48b-\U0001f49f\U0001f4af\U0001f525"
    "\U0001f600-\U0001f64f\U0001f90c-\U0001f93a\U0001f970-\U0001f97a]+"
)


@dataclass(frozen=True)
class Token:
    """What was typed, and the word it is looked up by; `kind`: word, number, mark or odd."""

    surface: str
    word: str
    kind: str = "word"


def without_faces(tokens: list[Token]) -> list[Token]:
    """No smiling face at the beginning or the end: it says how, not what.

    Faces alone stay, and so does a picture that stands for a word: "I love 🍕".
    """
    kept = list(tokens)
    while kept and FACES.fullmatch(kept[-1].surface):
        kept.pop()
    while kept and FACES.fullmatch(kept[0].surface):
        kept.pop(0)
    return single_marks(kept) if kept else tokens


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
