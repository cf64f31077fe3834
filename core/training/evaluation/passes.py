"""Many sentences at once: batches of pairs decoded greedily, or passed over, and so many right.

Greedy decoding gives exactly the expected sentence if every row of a teacher-forced pass over that
sentence prefers the expected word among those that may be written. So one pass is enough to know
whether a model, also an edited one, would translate a sentence word for word. Only the guard
against circles saves a sentence now and then that a pass counts as wrong.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.core.corpus import Direction, Pair
from glassformer.core.decoding.no_repeat import Watch, choose_batch
from glassformer.core.model.masks import padding_mask
from glassformer.core.text.vocabulary import END, RESERVED, TAGS, UNKNOWN
from glassformer.core.text_models.translator import Translator
from glassformer.core.trace.address import Address
from glassformer.core.trace.tape import Edit, Recorder
from glassformer.core.training.data import Batch, Example, Examples, collate

BATCH = 256
EXTRA_STEPS = 12  # a translation may be so much longer than its source
Edits = Callable[[Sequence[Pair]], Sequence[Edit]]  # the edits of one batch of pairs


@dataclass
class Tally:
    """So many right of so many."""

    right: int = 0
    total: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.right + other.right, self.total + other.total)

    @property
    def rate(self) -> float:
        return self.right / self.total if self.total else float("nan")

    def to_dict(self) -> dict[str, Any]:
        return {"right": self.right, "total": self.total, "rate": round(self.rate, 4)}

    def __str__(self) -> str:
        return f"{100 * self.rate:.1f} %" if self.total else "–"


def count_true(judged: Iterable[bool]) -> Tally:
    """Counts the true ones.

    Args:
        judged: whether each is right.

    Returns:
        So many true of so many.
    """
    marks = list(judged)
    return Tally(sum(marks), len(marks))


def both_right(right: Sequence[bool]) -> Tally:
    """Sentences judged one after the other, two readings each: right if both are.

    Args:
        right: of an even number of sentences.

    Returns:
        So many right of half as many.

    Raises:
        IndexError: for an odd number of sentences whose last one is right.
    """
    return count_true(right[i] and right[i + 1] for i in range(0, len(right), 2))


def best_tally(tallies: Mapping[str, Tally], among: str = "") -> tuple[str, Tally] | None:
    """The name and tally with the highest rate, of the names that contain `among`.

    Args:
        tallies: by name.
        among: a part of the name; "" for all.

    Returns:
        Name and tally; None where nothing was counted.
    """
    counted = [(name, t) for name, t in tallies.items() if among in name and t.total]
    return max(counted, key=lambda item: item[1].rate, default=None)


def translate_greedily(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> Iterator[tuple[str, ...]]:
    """Greedy translations of the pairs' source sides.

    Args:
        translator: the model with its tokenizer.
        pairs: all are translated, whatever they teach.
        direction: `en-zh` or `zh-en`.

    Yields:
        The pieces of each translation, without `<eos>`.
    """
    vocabulary = translator.tokenizer.vocabulary
    for examples in batches_in_order(translator, pairs, direction):
        source = collate(examples).source.to(translator.device)  # (B, S)
        for row in greedy_batch(translator, source, direction.partition("-")[2]).tolist():
            pieces = [vocabulary.pieces[index] for index in row]
            yield tuple(pieces[: pieces.index(END)] if END in pieces else pieces)


@torch.no_grad()
def greedy_batch(translator: Translator, source: Tensor, language: str) -> Tensor:
    """What `Translator.translate` does, for many sentences at once.

    The limit alone differs: so many steps more than the batch's longest source has pieces.

    Args:
        translator: the model with its tokenizer.
        source: (B, S) ids, padded.
        language: to write, `en` or `zh`.

    Returns:
        (B, T) ids; what stands after a row's `<eos>` has no meaning.
    """
    model, vocabulary = translator.transformer, translator.tokenizer.vocabulary
    start, end = vocabulary.id(TAGS[language]), vocabulary.id(END)
    memory = model.encode(source)  # (B, S, D)
    mask = padding_mask(source, model.config.pad_id)  # (B, 1, 1, S)
    caches = model.new_caches()
    barred = barred_words(translator, source, language)  # (B, V)
    rows = [[index for index in row if index != model.config.pad_id] for row in source.tolist()]
    watches = [Watch(translator.guard(row), end) for row in rows]
    word = source.new_full((len(rows), 1), start)  # (B, 1)
    written: list[list[int]] = [[] for _ in rows]
    done = torch.zeros_like(word, dtype=torch.bool)  # (B, 1)
    for _ in range(source.size(1) + EXTRA_STEPS):
        logits = model.step(word, memory, mask, caches)[:, -1]  # (B, V)
        word = choose_batch(logits.masked_fill(barred, -torch.inf), written, watches)[:, None]
        for row, chosen in zip(written, word[:, 0].tolist(), strict=True):
            row.append(chosen)
        done |= word == end
        if bool(done.all()):
            break
    return source.new_tensor(written)  # (B, T)


def barred_words(translator: Translator, source: Tensor, language: str) -> Tensor:
    """The ids that each sentence never writes.

    Args:
        translator: the model with its tokenizer.
        source: (B, S) ids.
        language: to write, `en` or `zh`.

    Returns:
        Bool (B, V), True for what may not be written.
    """
    pieces = translator.tokenizer.vocabulary.pieces
    barred = torch.zeros(len(source), len(pieces), dtype=torch.bool)
    known: dict[frozenset[str], Tensor] = {}  # by the reserved pieces that a source has
    for row, ids in zip(barred, source.tolist(), strict=True):
        held = frozenset(RESERVED).intersection(pieces[index] for index in ids)
        if held not in known:
            known[held] = torch.tensor(translator.forbidden(held, language))
        row[known[held]] = True
    return barred.to(source.device)


def batches_in_order(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> Iterator[list[Example]]:
    """Examples of the pairs in their order; a word outside the vocabulary is `<unk>`.

    Args:
        translator: the model with its tokenizer.
        pairs: all are taken, whatever they teach.
        direction: `en-zh` or `zh-en`.

    Yields:
        At most `BATCH` examples at a time.
    """
    examples = Examples(translator.tokenizer.vocabulary, places=True)
    for start in range(0, len(pairs), BATCH):
        yield [examples.with_unknown(pair, direction) for pair in pairs[start : start + BATCH]]


@dataclass(frozen=True)
class Pass:
    """One batch that was run."""

    pairs: Sequence[Pair]
    batch: Batch
    words: Tensor  # bool (B, T), the rows that are no padding; N in all
    logits: Tensor  # (N, V)
    barred: Tensor  # bool (B, V), the words that each sentence may not write
    kept: dict[str, Tensor]  # by address

    @property
    def expected(self) -> Tensor:
        """(N,): the word that each row should write."""
        return self.batch.target_output[self.words]

    @property
    def preferred(self) -> Tensor:
        """(B, T): the word that each row prefers; padding where there is padding."""
        found = torch.zeros_like(self.batch.target_output)
        barred = self.barred[self.words.nonzero()[:, 0]]  # (N, V)
        found[self.words] = self.logits.masked_fill(barred, -torch.inf).argmax(dim=-1)
        return found


@torch.no_grad()
def run_passes(
    translator: Translator,
    pairs: Sequence[Pair],
    direction: Direction,
    keep: Callable[[Address], bool] = lambda _: False,
    edits: Edits | None = None,
) -> Iterator[Pass]:
    """Runs the pairs that teach a direction, in order: teacher-forced passes without dropout.

    Args:
        translator: the model with its tokenizer.
        pairs: those that do not teach the direction are left out.
        direction: `en-zh` or `zh-en`.
        keep: which recorded tensors stay in the pass.
        edits: are asked for anew each batch; None for none.

    Yields:
        A pass for each batch of at most `BATCH` pairs.
    """
    pairs = [pair for pair in pairs if direction in pair.directions]
    for number, examples in enumerate(batches_in_order(translator, pairs, direction)):
        part = pairs[number * BATCH :][: len(examples)]
        batch = collate(examples).to(translator.device)
        recorder = Recorder(edits(part) if edits else (), lambda name: keep(Address.of(name)))
        x = translator.transformer.decode(batch.source, batch.target_input, recorder)  # (B, T, D)
        recorder.finish()
        words = batch.target_output != translator.config.pad_id
        # Most of the work is here, so it is done for words alone and without probabilities.
        logits = translator.transformer.generator(x[words])  # (N, V)
        barred = barred_words(translator, batch.source, direction.partition("-")[2])  # (B, V)
        yield Pass(part, batch, words, logits, barred, recorder.tensors)


def word_for_word(
    translator: Translator, pairs: Sequence[Pair], direction: Direction, edits: Edits | None = None
) -> list[bool]:
    """Whether greedy decoding would give each pair's target, every word of it.

    Args:
        translator: the model with its tokenizer.
        pairs: those that do not teach the direction are left out.
        direction: `en-zh` or `zh-en`.
        edits: of each batch; None for none.

    Returns:
        A truth value for each pair that teaches the direction.
    """
    found: list[bool] = []
    for run in run_passes(translator, pairs, direction, edits=edits):
        found += exact_sentences(translator, run)
    return found


def exact_sentences(translator: Translator, run: Pass) -> list[bool]:
    """For each sentence of a pass, whether all its rows prefer the expected word.

    Args:
        translator: the model with its tokenizer.
        run: the pass.

    Returns:
        B truth values; False for a sentence that expects an unknown word.
    """
    expected = run.batch.target_output  # (B, T)
    unknown = translator.tokenizer.vocabulary.id(UNKNOWN)
    right = (run.preferred == expected) & (expected != unknown)  # `<unk>` is nobody's word
    matched: list[bool] = (right | ~run.words).all(dim=-1).tolist()
    return matched
