"""Word vectors in two dimensions: which words are drawn, and the plane they are drawn on.

The plane is that of the two directions in which the words of the groups differ most (principal
components). It is laid through the vectors of one model and kept for all others, so that points
move and axes do not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.text.normalize import has_han
from core.text.vocabulary import RESERVED

Vectors = NDArray[np.float32]
FILE = Path(__file__).with_name("word_groups.toml")
NAMED = 3  # pairs of a group that are named, so that names do not cover each other
FALLBACK = 60  # words drawn of a vocabulary that has none of the groups


@dataclass(frozen=True)
class Word:
    """One point: a piece of the vocabulary. group "" is a word of the sentence alone."""

    piece: str
    group: str
    language: str = ""  # "en" or "zh"; "" for signs
    named: bool = False
    spoken: bool = False  # stands in the sentence or in its translation


@dataclass(frozen=True)
class Plane:
    """Two directions through a middle; `shares` of the variance lie along each, 0..1."""

    middle: Vectors  # (D,)
    directions: Vectors  # (2, D)
    shares: tuple[float, float]

    def of(self, vectors: Vectors) -> Vectors:
        """Where vectors (N, D) lie on the plane: (N, 2)."""
        places: Vectors = ((vectors - self.middle) @ self.directions.T).astype(np.float32)
        return places


@cache
def groups() -> dict[str, tuple[tuple[str, str], ...]]:
    """(English, Chinese) words by group."""
    lists = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: tuple(_pair(each) for each in pairs) for name, pairs in lists.items()}


def words_to_draw(pieces: Sequence[str], spoken: Collection[str]) -> tuple[Word, ...]:
    """The words of the groups that a vocabulary has, then those of the sentence.

    A vocabulary with none of them gives its own first words, without a group.
    """
    known = frozenset(pieces)
    drawn = {
        word: Word(word, group, language, place < NAMED, word in spoken)
        for group, pairs in groups().items()
        for place, pair in enumerate(pairs)
        for language, word in zip(("en", "zh"), pair, strict=True)
        if word in known
    }
    own = [piece for piece in pieces if piece not in RESERVED]
    if len(drawn) < 3:
        drawn = {word: _ungrouped(word, word in spoken) for word in own[:FALLBACK]}
    also = (word for word in own if word in spoken and word not in drawn)
    return (*drawn.values(), *(_ungrouped(word, True) for word in also))


def plane(vectors: Vectors) -> Plane:
    """The plane in which vectors (N, D) differ most, N and D at least 1.

    The largest entry of each direction is positive: the sign, which means nothing, is fixed.
    """
    exact = vectors.astype(np.float64)
    middle = exact.mean(axis=0)
    _, sizes, rows = np.linalg.svd(exact - middle, full_matrices=False)
    directions, variance = np.zeros((2, exact.shape[1])), np.zeros(2)
    count = min(2, len(rows))
    directions[:count], variance[:count] = rows[:count], sizes[:count] ** 2
    largest = np.abs(directions).argmax(axis=1)
    signs = np.where(directions[[0, 1], largest] < 0, -1.0, 1.0)
    shares = variance / max(float((sizes**2).sum()), 1e-12)
    return Plane(
        middle.astype(np.float32),
        (directions * signs[:, None]).astype(np.float32),
        (float(shares[0]), float(shares[1])),
    )


def _ungrouped(word: str, spoken: bool) -> Word:
    language = "zh" if has_han(word) else "en" if any(map(str.isalpha, word)) else ""
    return Word(word, "", language, spoken=spoken)


def _pair(text: str) -> tuple[str, str]:
    english, chinese = text.split()
    return english, chinese
