"""Byte pairs (Sennrich et al. 2016, on bytes as GPT-2 has them), learned from documents."""

from collections.abc import Iterable, Iterator
from itertools import islice

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

END = "<|endoftext|>"  # as GPT-2 writes it


def learn_byte_pairs(documents: Iterable[str], size: int) -> Tokenizer:
    """A tokenizer of all bytes and of the pairs that are joined most often.

    Args:
        documents: what it learns from.
        size: of the vocabulary, `END` among it.

    Returns:
        The tokenizer; the same for the same documents.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=[END], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(documents, trainer)
    return tokenizer


def rows_of(documents: Iterable[str], tokenizer: Tokenizer, length: int) -> Iterator[list[int]]:
    """Rows of ids: documents one after the other, each ended, the last one cut.

    Args:
        documents: what is read.
        tokenizer: has `END`.
        length: of a row, which begins with the beginning of a document.

    Yields:
        Rows of that length.
    """
    row = list[int]()
    for document in documents:
        row += tokenizer.encode(document + END).ids
        if len(row) >= length:
            yield row[:length]
            row = []


def batches_of(rows: Iterable[list[int]], size: int) -> Iterator[Tensor]:
    """Rows side by side.

    Args:
        rows: of one length T.
        size: B; what is left over at the end is dropped.

    Yields:
        Ids (B, T).
    """
    waiting = iter(rows)
    while len(batch := list(islice(waiting, size))) == size:
        yield torch.tensor(batch)
