"""Many sentences at once: batches of held-out pairs, decoded greedily."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.corpus import Direction, Pair
from core.model.masks import padding_mask
from core.text.vocabulary import END, TAGS
from core.training.data import Example, Examples, collate
from core.translator import Translator

BATCH = 256
EXTRA_STEPS = 12  # a translation may be so much longer than its source


def translations(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> Iterator[tuple[str, ...]]:
    """Greedy translations of the pairs' source sides, as pieces without `<eos>`."""
    vocabulary = translator.tokenizer.vocabulary
    for examples in batches_in_order(translator, pairs, direction):
        source = collate(examples).source.to(translator.device)  # (B, S)
        tag = TAGS[direction.partition("-")[2]]
        for row in greedy_batch(translator, source, vocabulary.id(tag)).tolist():
            pieces = [vocabulary.pieces[index] for index in row]
            yield tuple(pieces[: pieces.index(END)] if END in pieces else pieces)


@torch.no_grad()
def greedy_batch(translator: Translator, source: Tensor, start: int) -> Tensor:
    """The most probable word again and again, for many sentences at once: (B, S) -> (B, T)."""
    model, end = translator.transformer, translator.tokenizer.vocabulary.id(END)
    memory = model.encode(source)  # (B, S, D)
    mask = padding_mask(source, model.config.pad_id)  # (B, 1, 1, S)
    caches = model.new_caches()
    word = source.new_full((source.size(0), 1), start)  # (B, 1)
    done = torch.zeros_like(word, dtype=torch.bool)
    written = []
    for _ in range(source.size(1) + EXTRA_STEPS):
        word = model.step(word, memory, mask, caches).argmax(dim=-1)  # (B, 1)
        written.append(word)
        done |= word == end
        if bool(done.all()):
            break
    return torch.cat(written, dim=1)  # (B, T)


def batches_in_order(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> Iterator[list[Example]]:
    """Examples of the pairs in their order; a word outside the vocabulary is `<unk>`."""
    examples = Examples(translator.tokenizer.vocabulary)
    for start in range(0, len(pairs), BATCH):
        yield [examples.with_unknown(pair, direction) for pair in pairs[start : start + BATCH]]
