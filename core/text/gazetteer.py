"""Names and nouns beyond the vocabulary: what a slot is to be filled with in each language."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from core.text.normalize import DATA


@dataclass(frozen=True)
class Filler:
    """What a slot stands for: how it is written in either language.

    `kind` is "name", "noun" or "num"; `plural` and `classifier` are empty where not known.
    """

    kind: str
    english: str
    chinese: str
    plural: str = ""
    classifier: str = ""

    @classmethod
    def literal(cls, kind: str, surface: str) -> Filler:
        """An unknown word: carried over as it was typed."""
        return cls(kind, surface, surface)

    def written(self, language: str) -> str:
        return self.english if language == "en" else self.chinese


@dataclass(frozen=True)
class Gazetteer:
    """Fillers by what may be typed."""

    english: dict[str, Filler]  # lower case, singular and plural
    chinese: dict[str, Filler]
    surnames: frozenset[str]
    apart: frozenset[str]  # English compounds that are read word by word where all are known


@cache
def load_gazetteer() -> Gazetteer:
    """Reads `data/gazetteer.toml`, once."""
    table = tomllib.loads((DATA / "gazetteer.toml").read_text("utf-8"))
    english: dict[str, Filler] = {}
    chinese: dict[str, Filler] = {}
    for kind in ("name", "noun", "num"):
        for line in table[kind]:
            filler = _filler(kind, line)
            english.setdefault(filler.english.lower(), filler)
            if filler.plural:
                english.setdefault(filler.plural.lower(), filler)
            chinese.setdefault(filler.chinese, filler)
    return Gazetteer(english, chinese, frozenset(table["surnames"]), frozenset(table["apart"]))


def _filler(kind: str, line: str) -> Filler:
    english, _, rest = line.partition(" = ")
    chinese, _, classifier = rest.partition(" / ")
    singular, _, plural = english.partition("/")
    if kind == "noun" and not plural:
        plural = _plural(singular)
    return Filler(kind, singular, chinese, plural, classifier)


def _plural(noun: str) -> str:
    if noun[-1] == "y" and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")
