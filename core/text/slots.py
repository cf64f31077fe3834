"""Copy slots: what the vocabulary does not know travels through the model unread.

An unknown word becomes `<name1>`, `<noun1>` or `<num1>`; the model has learned to put the slot
where the translation belongs, and the detokenizer writes the word there.
"""

from __future__ import annotations

from core.text.english import Token
from core.text.gazetteer import Filler, Gazetteer
from core.text.numbers import figures
from core.text.vocabulary import SLOTS_PER_KIND, UNKNOWN, Vocabulary

DETERMINERS = frozenset("a the this that these those my your his her our their its".split())
LONGEST_NAME = 3  # English words of a gazetteer entry


class Slots:
    """Places the tokens of one sentence; `fillers` tells afterwards what the slots hold."""

    def __init__(self, vocabulary: Vocabulary, gazetteer: Gazetteer, language: str) -> None:
        self._vocabulary = vocabulary
        self._language = language
        own, other = gazetteer.english, gazetteer.chinese
        if language == "zh":
            own, other = other, own
        self._known, self._foreign = own, other
        self._counts: dict[str, int] = {}
        self.fillers: dict[str, Filler] = {}

    def place(self, tokens: list[Token]) -> list[tuple[str, str]]:
        """(piece, surface) of each token; several words of one name become one piece."""
        placed: list[tuple[str, str]] = []
        position = 0
        while position < len(tokens):
            width, filler = self._filler(tokens, position)
            token = tokens[position]
            surface = " ".join(t.surface for t in tokens[position : position + width])
            piece = self._vocabulary.piece(token.word) if filler is None else self._slot(filler)
            placed.append((piece, surface))
            position += width
        return placed

    def _filler(self, tokens: list[Token], position: int) -> tuple[int, Filler | None]:
        """How many tokens are one piece here, and what fills the slot; None for a known word."""
        token = tokens[position]
        for width in range(LONGEST_NAME, 0, -1):
            words = [t.word for t in tokens[position : position + width]]
            filler = self._known.get(" ".join(words))
            all_known = all(map(self._vocabulary.has_word, words))
            if filler and len(words) == width and not all_known:
                return width, filler
        if token.kind == "odd" and token.word.lower() in self._foreign:  # "I live in 北京"
            return 1, self._foreign[token.word.lower()]
        if token.kind == "mark" or (token.kind == "word" and self._vocabulary.has_word(token.word)):
            return 1, None
        return 1, self._literal(token, tokens[position - 1] if position else None)

    def _literal(self, token: Token, before: Token | None) -> Filler:
        if token.kind == "number":
            return Filler("num", figures(token.surface), token.surface)
        if token.kind == "name":
            return Filler.literal("name", token.surface)
        capital = token.kind == "word" and token.surface[:1].isupper() and self._language == "en"
        of_a_kind = before is not None and before.word in DETERMINERS
        return Filler.literal("name" if capital and not of_a_kind else "noun", token.surface)

    def _slot(self, filler: Filler) -> str:
        """The slot that holds this already, or the next free one of its kind."""
        for slot, held in self.fillers.items():
            if held == filler:
                return slot
        number = self._counts.get(filler.kind, 0) + 1
        if number > SLOTS_PER_KIND:
            return UNKNOWN
        self._counts[filler.kind] = number
        slot = f"<{filler.kind}{number}>"
        self.fillers[slot] = filler
        return slot
