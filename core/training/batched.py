"""Many sentences at once: batches of held-out pairs, decoded greedily."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from core.corpus import Direction, Pair
from core.decoding.guard import Watch, choose_batch
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
        for row in greedy_batch(translator, source, direction.partition("-")[2]).tolist():
            pieces = [vocabulary.pieces[index] for index in row]
            yield tuple(pieces[: pieces.index(END)] if END in pieces else pieces)


@torch.no_grad()
def greedy_batch(translator: Translator, source: Tensor, language: str) -> Tensor:
    """What `Translator.translate` does, for many sentences at once: ids (B, S) -> ids (B, T).

    The limit alone differs: so many steps more than the batch's longest source has pieces.
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
    """The ids that each sentence never writes: (B, S) -> (B, V)."""
    pieces = translator.tokenizer.vocabulary.pieces
    barred = torch.zeros(len(source), len(pieces), dtype=torch.bool)
    for row, ids in zip(barred, source.tolist(), strict=True):
        row[translator.forbidden([pieces[index] for index in ids], language)] = True
    return barred.to(source.device)


def batches_in_order(
    translator: Translator, pairs: Sequence[Pair], direction: Direction
) -> Iterator[list[Example]]:
    """Examples of the pairs in their order; a word outside the vocabulary is `<unk>`."""
    examples = Examples(translator.tokenizer.vocabulary, places=True)
    for start in range(0, len(pairs), BATCH):
        yield [examples.with_unknown(pair, direction) for pair in pairs[start : start + BATCH]]
