"""The vocabulary: pieces with their ids, how they are written, how frequent they are."""

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from glassformer.core.text.normalize import has_han, word_list
from glassformer.core.untrusted import read_json_file, string_list, table_of

PADDING, UNKNOWN, END = "<pad>", "<unk>", "<eos>"
TAGS = {"en": "<en>", "zh": "<zh>"}
SPECIALS = (PADDING, UNKNOWN, END, *TAGS.values())
KINDS = ("name", "noun", "num")
SLOTS_PER_KIND = 4
SLOTS = tuple(f"<{kind}{number}>" for kind in KINDS for number in range(1, SLOTS_PER_KIND + 1))
RESERVED = (*SPECIALS, *SLOTS)
FILE = "vocabulary.json"
RARELY = 50  # times as rare as the word of the same meaning: too rarely taught to be read
MOST_COUNTED = 2**53  # occurrences of a word: what a float counts exactly


@cache
def synonyms(*parts: str) -> dict[str, str]:
    """Words by what they are read as, from `data/synonyms.toml`.

    Args:
        parts: "en", "zh", "rare": words that a vocabulary has, but may be taught too rarely to be
            read.

    Returns:
        {"exhausted": "tired", …} of all these parts; shared, so not to be written to.

    Raises:
        KeyError: the file has no such part.
    """
    lines = (line.split(" = ") for part in parts for line in word_list("synonyms")[part])
    return {typed: meant for meant, all_typed in lines for typed in all_typed.split()}


class Vocabulary:
    """Pieces in the order of their ids: specials, copy slots, then words.

    Words are lower case; `spelling` says which are written otherwise ("beijing": "Beijing").
    `counts` (occurrences in a sample of the corpus) guide the segmentation of Chinese, `meant`
    are words that may be typed, by the known one that is read for each.
    """

    def __init__(
        self, words: Iterable[str], spelling: Mapping[str, str], counts: Mapping[str, int]
    ) -> None:
        self.pieces = (*RESERVED, *words)
        self.spelling = dict(spelling)
        self.counts = dict(counts)
        self._ids = {piece: index for index, piece in enumerate(self.pieces)}
        self._total = max(1, sum(self.counts.values()))
        known, seen = self._ids, self.counts.get
        same, rare = synonyms("en", "zh").items(), synonyms("rare").items()
        self.meant = {w: m for w, m in same if w not in known and m in known}
        self.meant |= {w: m for w, m in rare if 0 < seen(w, 0) * RARELY < seen(m, 0)}

    def __len__(self) -> int:
        return len(self.pieces)

    def id(self, piece: str) -> int:
        """The id of a piece.

        Args:
            piece: a word, a special or a slot.

        Returns:
            From 0; of an unknown piece that of `<unk>`.
        """
        return self._ids.get(piece, self._ids[UNKNOWN])

    def has_word(self, word: str) -> bool:
        """Whether the model can read this; specials and slots cannot be typed.

        Args:
            word: in lower case.

        Returns:
            True for a word of its own, and for one that is read as another.
        """
        return (word in self._ids or word in self.meant) and word not in RESERVED

    def piece(self, word: str) -> str:
        """The piece of a word: itself, or the word of the same meaning that is known (better).

        Args:
            word: in lower case.

        Returns:
            The piece; an unknown word stays what it is.
        """
        return self.meant.get(word, word)

    def foreign_ids(self, language: str) -> tuple[int, ...]:
        """Ids of words that a text in this language never has.

        Those of Chinese sentences (they are counted) with Chinese characters stand in no English
        one, and Latin words in no Chinese one but for those that the corpus has there.

        Args:
            language: "en"; any other is read as "zh".

        Returns:
            The ids, without specials and slots, in no order.
        """
        if language == "en":
            foreign = {word for word in self.counts if has_han(word)}
        else:
            latin = (word for word in self._ids if word.isascii() and any(map(str.isalpha, word)))
            foreign = {*latin} - self.counts.keys()
        return tuple(self._ids[word] for word in foreign - {*RESERVED} if word in self._ids)

    def cost(self, word: str) -> float:
        """What a word costs in the segmentation of Chinese.

        Args:
            word: known or not.

        Returns:
            −ln of its frequency, nats; it counts as occurring once more than in the sample, so that
            no word costs ∞.
        """
        return math.log(self._total / (self.counts.get(self.piece(word), 0) + 1))

    def save(self, folder: Path, **further: Any) -> None:
        """Writes vocabulary.json into a folder.

        Args:
            folder: an existing one.
            further: fields that the file has besides pieces, spelling and counts.

        Raises:
            OSError: it cannot be written.
        """
        table = {"pieces": self.pieces, "spelling": self.spelling, "counts": self.counts}
        text = json.dumps(table | further, ensure_ascii=False, indent=0, separators=(",", ":"))
        (folder / FILE).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> "Vocabulary":
        """Reads vocabulary.json.

        Args:
            folder: where it lies.

        Returns:
            The vocabulary.

        Raises:
            ValueError: the file is no vocabulary.
            OSError: there is none, or it cannot be read.
        """
        return cls.from_table(read_json_file(folder / FILE))

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> "Vocabulary":
        """The vocabulary that a file's object describes.

        Args:
            table: with "pieces", "spelling" and "counts"; other fields are not read.

        Returns:
            The vocabulary.

        Raises:
            ValueError: the table describes none.
        """
        if lacking := {"pieces", "spelling", "counts"} - table.keys():
            raise ValueError(f"{FILE} lacks {', '.join(sorted(lacking))}")
        pieces = string_list(table["pieces"], f"pieces in {FILE}")
        spelling = table_of(table["spelling"], str, f"spelling in {FILE}")
        counts = table_of(table["counts"], int, f"counts in {FILE}")
        if pieces[: len(RESERVED)] != RESERVED or len(set(pieces)) != len(pieces):
            raise ValueError(f"{FILE} does not begin with the special pieces, or repeats a piece")
        if not all(pieces) or not all(0 <= count <= MOST_COUNTED for count in counts.values()):
            raise ValueError(f"{FILE} holds an empty piece, or counts that cannot be")
        return cls(pieces[len(RESERVED) :], spelling, counts)
