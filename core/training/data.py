"""From the grammar to batches: the vocabulary, and a stream that any step can be found in."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from core.corpus import Direction, Grammar, HeldOut, Pair, draw_pair, training_pairs
from core.corpus.lexicon import spellings
from core.corpus.split import punctuated
from core.text.tokenizer import Tokenizer
from core.text.vocabulary import END, RESERVED, TAGS, UNKNOWN, Vocabulary

BATCHES_A_POOL = 16  # drawn together, so that a batch can hold sentences of one length
VOCABULARY_SAMPLE = 150_000  # pairs


@dataclass(frozen=True)
class Batch:
    """Ids, padded with 0."""

    source: Tensor  # (B, S)
    target_input: Tensor  # (B, T) begins with <en> or <zh>
    target_output: Tensor  # (B, T) ends with <eos>

    def to(self, device: torch.device) -> Batch:
        moved = (t.to(device) for t in (self.source, self.target_input, self.target_output))
        return Batch(*moved)


@dataclass(frozen=True)
class Example:
    """One translation in ids."""

    source: list[int]
    target: list[int]  # the tag, the words, <eos>


@cache
def corpus_tokenizer(grammar: Grammar, sample: int = VOCABULARY_SAMPLE) -> Tokenizer:
    """A tokenizer that knows every word met in a large sample of the grammar's sentences."""
    rng = random.Random("vocabulary")
    english: Counter[str] = Counter()
    chinese: Counter[str] = Counter()
    for _ in range(sample):
        pair = punctuated(draw_pair(grammar, rng), rng)
        english.update(pair.english)
        chinese.update(pair.chinese)
    counts = english + chinese
    words = sorted((w for w in counts if w not in RESERVED), key=lambda w: (-counts[w], w))
    kept = {word: chinese[word] for word in words if word in chinese}
    return Tokenizer(Vocabulary(words, spellings(), kept))


class Examples:
    """Turns pairs into examples, by the ids of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids = {piece: index for index, piece in enumerate(vocabulary.pieces)}

    def of(self, pair: Pair, direction: Direction) -> Example | None:
        """The example of a pair; None where it has a word outside the vocabulary."""
        known = all(word in self._ids for side in pair.sides(direction) for word in side)
        return self.with_unknown(pair, direction) if known else None

    def with_unknown(self, pair: Pair, direction: Direction) -> Example:
        """The example of a pair, words outside the vocabulary as `<unk>`."""
        source, target = pair.sides(direction)
        tag = TAGS[direction.partition("-")[2]]
        return Example(self._ids_of((*source, END)), self._ids_of((tag, *target, END)))

    def _ids_of(self, words: Sequence[str]) -> list[int]:
        return [self._ids.get(word, self._ids[UNKNOWN]) for word in words]


def pool_of_batches(
    grammar: Grammar, held_out: HeldOut, vocabulary: Vocabulary, seed: str, batch_size: int
) -> list[Batch]:
    """A few batches drawn together and sorted by length, in random order."""
    pairs = training_pairs(grammar, held_out, seed)
    examples, wanted, turn = Examples(vocabulary), BATCHES_A_POOL * batch_size, list[Example]()
    while len(turn) < wanted:
        pair = next(pairs)
        found = (examples.of(pair, direction) for direction in pair.directions)
        turn.extend(example for example in found if example)
    turn = sorted(turn[:wanted], key=lambda e: (len(e.source) + len(e.target), len(e.source)))
    batches = [collate(turn[i : i + batch_size]) for i in range(0, wanted, batch_size)]
    random.Random(f"order {seed}").shuffle(batches)
    return batches


def collate(examples: Sequence[Example]) -> Batch:
    """Examples side by side, the shorter ones padded."""
    return Batch(
        source=_padded([e.source for e in examples]),
        target_input=_padded([e.target[:-1] for e in examples]),
        target_output=_padded([e.target[1:] for e in examples]),
    )


def _padded(rows: Sequence[list[int]]) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


def batches_from(
    step: int,
    grammar: Grammar,
    held_out: HeldOut,
    vocabulary: Vocabulary,
    seed: int,
    batch_size: int,
) -> Iterator[Batch]:
    """The batches of step, step + 1, …: the same whether or not the run was interrupted."""
    pool, skipped = divmod(step, BATCHES_A_POOL)
    while True:
        name = f"{seed} pool {pool}"
        batches = pool_of_batches(grammar, held_out, vocabulary, name, batch_size)
        yield from batches[skipped:]
        pool, skipped = pool + 1, 0
