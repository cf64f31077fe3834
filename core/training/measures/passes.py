"""Teacher-forced passes over many pairs, recorded and edited.

Greedy decoding gives exactly the expected sentence if every row of a teacher-forced pass over that
sentence prefers the expected word among those that may be written. So one pass is enough to know
whether a model, also an edited one, would translate a sentence word for word. Only the guard
against circles saves a sentence now and then that a pass counts as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.corpus import Direction, Pair
from core.text.vocabulary import UNKNOWN
from core.trace.tape import Edit, Recorder
from core.training.batched import BATCH, barred_words, batches_in_order
from core.training.data import Batch, collate
from core.translator import Translator

Edits = Callable[[Sequence[Pair]], Sequence[Edit]]  # the edits of one batch of pairs


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
def passes(
    translator: Translator,
    pairs: Sequence[Pair],
    direction: Direction,
    keep: Callable[[str], bool] = lambda _: False,
    edits: Edits | None = None,
) -> Iterator[Pass]:
    """Runs the pairs in their order; `edits` are asked for anew for each batch."""
    for number, examples in enumerate(batches_in_order(translator, pairs, direction)):
        part = pairs[number * BATCH :][: len(examples)]
        batch = collate(examples).to(translator.device)
        recorder = Recorder(edits(part) if edits else (), keep)
        x = translator.transformer.decode(batch.source, batch.target_input, recorder)  # (B, T, D)
        recorder.finish()
        words = batch.target_output != translator.config.pad_id
        # Most of the work is here, so it is done for words alone and without probabilities.
        logits = translator.transformer.generator(x[words])  # (N, V)
        barred = barred_words(translator, batch.source, direction.partition("-")[2])  # (B, V)
        yield Pass(part, batch, words, logits, barred, recorder.tensors)


def word_for_word(
    translator: Translator,
    pairs: Sequence[Pair],
    direction: Direction,
    edits: Edits | None = None,
) -> list[bool]:
    """Whether greedy decoding would give each pair's target, every word of it."""
    found: list[bool] = []
    for run in passes(translator, pairs, direction, edits=edits):
        found += exactly(translator, run)
    return found


def exactly(translator: Translator, run: Pass) -> list[bool]:
    """For each sentence of a pass, whether all its rows prefer the expected word."""
    expected = run.batch.target_output  # (B, T)
    unknown = translator.tokenizer.vocabulary.id(UNKNOWN)
    right = (run.preferred == expected) & (expected != unknown)  # `<unk>` is nobody's word
    matched: list[bool] = (right | ~run.words).all(dim=-1).tolist()
    return matched
