"""Drawing pairs, and keeping some combinations of template and fillers for testing only.

A pair is held out by its template *and* the words in the slots named by `hold`: that
combination is never seen in training, in any tense, order or punctuation. Beside that, no
sentence of the test set occurs in training on either side, even where another template could
make it.
"""

import random
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from glassformer.core.corpus.draw import ClashError, Draw, Pair, key_of, pair_of
from glassformer.core.corpus.grammar import Grammar

MOST_WORDS = 30  # of a sentence in either language
HELD_OUT_SHARE = 25  # one combination in so many
FULL_STOP_RATE, EXCLAMATION_RATE, BARE_QUESTION_RATE = 0.4, 0.04, 0.25


@dataclass(frozen=True)
class HeldOut:
    """The test set, and its sentences without their final punctuation."""

    pairs: tuple[Pair, ...]
    sentences: frozenset[tuple[str, ...]]

    def overlaps(self, pair: Pair) -> bool:
        """Whether a pair belongs to the test set's side of the split.

        Args:
            pair: of the grammar.

        Returns:
            True where its combination is held out, or either side is a sentence of the test set,
            whatever the final punctuation.
        """
        return is_held_out(pair.key) or any(
            without_punctuation(s) in self.sentences for s in pair.sides("en-zh")
        )


def draw_pair(
    grammar: Grammar, rng: random.Random, wanted: Callable[[str], bool] | None = None
) -> Pair:
    """One sentence in both languages, without final punctuation other than "?".

    It draws until a pair can be made: of a grammar without templates there is no end.

    Args:
        grammar: the word lists, phrases and templates.
        rng: what draws; the same state gives the same pair.
        wanted: which keys are taken; sentences of others are not written out. None takes all.

    Returns:
        The pair, at most `MOST_WORDS` words in either language.
    """
    while True:
        draw = Draw(grammar, rng)
        try:
            tree = draw.sentence()
        except ClashError:
            continue
        if len(draw.only) == 2:  # a rule read in one direction only, and one of the other
            continue
        if wanted and not wanted(key_of(tree)):
            continue
        pair = pair_of(tree, draw)
        if max(len(pair.english), len(pair.chinese)) <= MOST_WORDS:
            return pair


def is_held_out(key: str) -> bool:
    """Whether a pair's combination is kept for testing; the same on every machine.

    Args:
        key: of the pair; "" is never held out.

    Returns:
        True for one combination in `HELD_OUT_SHARE`.
    """
    return bool(key) and zlib.crc32(key.encode()) % HELD_OUT_SHARE == 0


def without_punctuation(sentence: tuple[str, ...]) -> tuple[str, ...]:
    """A sentence without its final punctuation.

    Args:
        sentence: in pieces.

    Returns:
        The pieces but a last ".", "?" or "!".
    """
    return sentence[:-1] if sentence and sentence[-1] in (".", "?", "!") else sentence


def vary_punctuation(pair: Pair, rng: random.Random) -> Pair:
    """The pair as people might type it: with or without its final mark, on both sides.

    Args:
        pair: as `draw_pair` gives it.
        rng: what draws.

    Returns:
        A question with or without its mark; another sentence with a full stop, an exclamation
        mark or none. The alignment fits.
    """
    if pair.english[-1] == "?":
        if rng.random() >= BARE_QUESTION_RATE:
            return pair
        last = len(pair.english) - 1
        kept = tuple((i, j) for i, j in pair.alignment if i != last)
        return replace(pair, english=pair.english[:-1], chinese=pair.chinese[:-1], alignment=kept)
    chance = rng.random()
    if chance >= FULL_STOP_RATE + EXCLAMATION_RATE:
        return pair
    mark = "." if chance < FULL_STOP_RATE else "!"
    last_pair = (len(pair.english), len(pair.chinese))
    return replace(
        pair,
        english=(*pair.english, mark),
        chinese=(*pair.chinese, mark),
        alignment=(*pair.alignment, last_pair),
    )


@lru_cache(maxsize=4)
def held_out_pairs(grammar: Grammar, count: int, seed: int = 0) -> HeldOut:
    """A test set of different pairs, drawn as the grammar draws them.

    Args:
        grammar: the word lists, phrases and templates.
        count: how many; of a grammar with fewer held-out pairs there is no end.
        seed: of what is drawn.

    Returns:
        The test set; a larger one begins with the smaller one of the same seed.
    """
    rng = random.Random(f"held out {seed}")
    pairs: dict[tuple[tuple[str, ...], tuple[str, ...]], Pair] = {}
    while len(pairs) < count:
        pair = draw_pair(grammar, rng, wanted=is_held_out)
        pairs.setdefault((pair.english, pair.chinese), vary_punctuation(pair, rng))
    sentences = {without_punctuation(side) for sides in pairs for side in sides}
    return HeldOut(tuple(pairs.values()), frozenset(sentences))


def training_pairs(grammar: Grammar, held_out: HeldOut, seed: int | str) -> Iterator[Pair]:
    """An endless stream of fresh pairs, none of them on the test set's side.

    Args:
        grammar: the word lists, phrases and templates.
        held_out: the test set.
        seed: of what is drawn.

    Yields:
        Pairs, with or without final punctuation.
    """
    rng = random.Random(f"training {seed}")
    while True:
        pair = draw_pair(grammar, rng)
        if not held_out.overlaps(pair):
            yield vary_punctuation(pair, rng)
