"""One sentence in both languages, with everything the grammar knows about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["en-zh", "zh-en"]
DIRECTIONS: tuple[Direction, ...] = ("en-zh", "zh-en")


@dataclass(frozen=True)
class Pair:
    """Vocabulary pieces of both sides; positions count from 0.

    `alignment` holds (English position, Chinese position); words that only one language has
    (articles, classifiers, aspect) are in none. `antecedents` holds (position of the English
    pronoun, position of the noun it stands for). `directions` says which translations the
    pair teaches: a synonym is understood in English but never written, so such a pair is
    "en-zh" alone. `key` names the template and fillers by which pairs are held out.
    """

    english: tuple[str, ...]
    chinese: tuple[str, ...]
    alignment: tuple[tuple[int, int], ...]
    antecedents: tuple[tuple[int, int], ...]
    template: str
    key: str
    directions: tuple[Direction, ...]

    def sides(self, direction: Direction) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(source, target) in the given direction."""
        if direction == "en-zh":
            return self.english, self.chinese
        return self.chinese, self.english
