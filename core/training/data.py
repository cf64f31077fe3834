"""From the grammar to batches: the vocabulary, and a stream that any step can be found in."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache

import torch
from torch import Tensor

from glassformer.core.corpus import Direction, Grammar, HeldOut, Pair, draw_pair, training_pairs
from glassformer.core.corpus.lexicon import spellings
from glassformer.core.corpus.split import vary_punctuation
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.vocabulary import END, RESERVED, TAGS, UNKNOWN, Vocabulary

BATCHES_A_POOL = 32  # drawn together, so that a batch can hold sentences of one length
VOCABULARY_SAMPLE = 300_000  # pairs


Stream = Callable[[str], Iterator[Pair]]  # endless training pairs, the same for the same seed
Places = tuple[tuple[int, int], ...]  # (row, column) of an attention map
CHINESE_PRONOUNS = frozenset({"他", "她", "它", "他们", "她们", "它们"})


@dataclass(frozen=True)
class Batch:
    """Ids, padded with 0, and what the grammar knows about where attention might look."""

    source: Tensor  # (B, S)
    target_input: Tensor  # (B, T) begins with <en> or <zh>
    target_output: Tensor  # (B, T) ends with <eos>
    alignment: Tensor  # (N, 3): sentence, row that writes a word, source position it translates
    antecedents: Tensor  # (M, 3): sentence, source position of a pronoun, of its noun

    def to(self, device: torch.device) -> "Batch":
        """The same batch on a device.

        Args:
            device: where its tensors shall be.

        Returns:
            A batch of tensors there; they are copied only if they were elsewhere.
        """
        return Batch(*(getattr(self, field.name).to(device) for field in fields(self)))


@dataclass(frozen=True)
class Example:
    """One translation in ids; where attention might look is told only where it is taught."""

    source: list[int]
    target: list[int]  # the tag, the words, <eos>
    alignment: Places = ()
    antecedents: Places = ()


@cache
def corpus_tokenizer(grammar: Grammar, sample: int = VOCABULARY_SAMPLE) -> Tokenizer:
    """A tokenizer that knows every word met in a large sample of the grammar's sentences.

    Args:
        grammar: the sentences' grammar.
        sample: how many pairs are drawn.

    Returns:
        The tokenizer, frequent words first in its vocabulary; the same each time.
    """
    rng = random.Random("vocabulary")
    english: Counter[str] = Counter()
    chinese: Counter[str] = Counter()
    for _ in range(sample):
        pair = vary_punctuation(draw_pair(grammar, rng), rng)
        english.update(pair.english)
        chinese.update(pair.chinese)
    counts = english + chinese
    words = sorted((w for w in counts if w not in RESERVED), key=lambda w: (-counts[w], w))
    kept = {word: chinese[word] for word in words if word in chinese}
    return Tokenizer(Vocabulary(words, spellings(), kept))


class Examples:
    """Turns pairs into examples, by the ids of a vocabulary; `places` adds where to look."""

    def __init__(self, vocabulary: Vocabulary, places: bool = False) -> None:
        self._ids = {piece: index for index, piece in enumerate(vocabulary.pieces)}
        self._places = places

    def of(self, pair: Pair, direction: Direction) -> Example | None:
        """The example of a pair; None where it has a word outside the vocabulary.

        Args:
            pair: both sides, in pieces.
            direction: `en-zh` or `zh-en`.

        Returns:
            The ids, or None.
        """
        known = all(word in self._ids for side in pair.sides(direction) for word in side)
        return self.with_unknown(pair, direction) if known else None

    def with_unknown(self, pair: Pair, direction: Direction) -> Example:
        """The example of a pair, words outside the vocabulary as `<unk>`.

        Args:
            pair: both sides, in pieces.
            direction: `en-zh` or `zh-en`.

        Returns:
            The ids: the source ends with `<eos>`, the target begins with its tag and ends with
            `<eos>`.
        """
        source, target = pair.sides(direction)
        tag = TAGS[direction.partition("-")[2]]
        known = _places(pair, direction) if self._places else ()
        return Example(self._ids_of((*source, END)), self._ids_of((tag, *target, END)), *known)

    def _ids_of(self, words: Sequence[str]) -> list[int]:
        return [self._ids.get(word, self._ids[UNKNOWN]) for word in words]


def _places(pair: Pair, direction: Direction) -> tuple[Places, Places]:
    """A pair's alignment and antecedents, as the maps of this direction can show them."""
    there = tuple((chinese, english) for english, chinese in pair.alignment)
    return there if direction == "en-zh" else pair.alignment, antecedents_in(pair, direction)


def antecedents_in(pair: Pair, direction: Direction) -> Places:
    """(position of a pronoun, of the noun it stands for) in the source of a direction.

    The grammar tells them of English. A Chinese pronoun is aligned with the English one, its noun
    with that one's noun; where Chinese names the noun again there is none.

    Args:
        pair: of the grammar.
        direction: `en-zh` or `zh-en`.

    Returns:
        Pairs of positions in the source, counted from 0.
    """
    if direction == "en-zh":
        return pair.antecedents
    partners: dict[int, list[int]] = defaultdict(list)
    for english, chinese in pair.alignment:
        partners[english].append(chinese)
    return tuple(
        (row, partners[noun][-1])
        for pronoun, noun in pair.antecedents
        for row in partners[pronoun]
        if partners[noun] and pair.chinese[row] in CHINESE_PRONOUNS
    )


def grammar_stream(grammar: Grammar, held_out: HeldOut) -> Stream:
    """Fresh sentences of a grammar, none of them on the test set's side.

    Args:
        grammar: the sentences' grammar.
        held_out: the test set.

    Returns:
        A function from a seed to an endless stream of pairs.
    """
    return lambda seed: training_pairs(grammar, held_out, seed)


def pool_of_batches(stream: Stream, examples: Examples, seed: str, batch_size: int) -> list[Batch]:
    """A few batches drawn together and sorted by length, in random order.

    Args:
        stream: gives the pairs of a seed.
        examples: makes ids of them; pairs with unknown words are passed over.
        seed: of the pairs and of the order.
        batch_size: sentences a batch.

    Returns:
        `BATCHES_A_POOL` batches of that size.
    """
    pairs = stream(seed)
    wanted, turn = BATCHES_A_POOL * batch_size, list[Example]()
    while len(turn) < wanted:
        pair = next(pairs)
        found = (examples.of(pair, direction) for direction in pair.directions)
        turn.extend(example for example in found if example)
    turn = sorted(turn[:wanted], key=_size)
    batches = [collate(turn[i : i + batch_size]) for i in range(0, wanted, batch_size)]
    random.Random(f"order {seed}").shuffle(batches)
    return batches


def _size(example: Example) -> tuple[int, int, int]:
    """What is alike in the examples of a batch, so that little of it is padding."""
    source, target = len(example.source), len(example.target)
    return max(source, target), target, source


def collate(examples: Sequence[Example]) -> Batch:
    """Examples side by side, the shorter ones padded with 0.

    Args:
        examples: B of them, at least one.

    Returns:
        The batch: source (B, S), target (B, T), on the CPU.

    Raises:
        ValueError: there are no examples.
    """
    return Batch(
        source=_padded([e.source for e in examples]),
        target_input=_padded([e.target[:-1] for e in examples]),
        target_output=_padded([e.target[1:] for e in examples]),
        alignment=_numbered([e.alignment for e in examples]),
        antecedents=_numbered([e.antecedents for e in examples]),
    )


def _padded(rows: Sequence[list[int]]) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


def _numbered(places: Sequence[Places]) -> Tensor:
    rows = [(index, *place) for index, found in enumerate(places) for place in found]
    return torch.tensor(rows, dtype=torch.long).view(-1, 3)


def batches_from(
    step: int, stream: Stream, examples: Examples, seed: int, batch_size: int
) -> Iterator[Batch]:
    """The batches of step, step + 1, …: the same whether or not the run was interrupted.

    Args:
        step: steps done before the first batch, from 0.
        stream: gives the pairs of a seed.
        examples: makes ids of them.
        seed: of the run.
        batch_size: sentences a batch.

    Yields:
        Batches without end.
    """
    pool, skipped = divmod(step, BATCHES_A_POOL)
    while True:
        batches = pool_of_batches(stream, examples, f"{seed} pool {pool}", batch_size)
        yield from batches[skipped:]
        pool, skipped = pool + 1, 0
