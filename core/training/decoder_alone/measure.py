"""What the small GPT has learned: how well it foresees a text, and two kinds of heads.

Read is something random, twice: x₁ … x₅₀ x₁ … x₅₀, x₅₀ a full stop. A *previous-word head* looks
one place back. An *induction head* (Olsson et al. 2022) looks at what followed the piece the last
time, one place after where it stood; nothing else tells what comes next. Random are words, as in
the lists of the training, or pieces, which are unlike anything in it.
"""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from glassformer.core.model.transformer import Transformer
from glassformer.core.trace.tape import Recorder
from glassformer.core.training.decoder_alone.byte_pairs import END
from glassformer.core.training.decoder_alone.documents import random_words

ROWS, HALF = 32, 50  # rows, and how many pieces before they come again
MORE_WORDS = 50  # than any row takes
DIGITS = 4
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Foresight:
    """How surprised a model was of texts, each from its second piece on."""

    nats: float
    pieces: int
    bytes: int

    @property
    def loss(self) -> float:
        """In nats a piece."""
        return self.nats / self.pieces

    def to_dict(self) -> dict[str, Any]:
        """Perplexity is e to the power of the mean surprise."""
        return {
            "perplexity_of_a_piece": round(math.exp(self.loss), DIGITS),
            "perplexity_of_a_byte": round(math.exp(self.nats / self.bytes), DIGITS),
            "bits_of_a_byte": round(self.nats / self.bytes / math.log(2), DIGITS),
            "pieces": self.pieces,
            "bytes": self.bytes,
        }


@dataclass(frozen=True)
class HeadScores:
    """Mean attention weights (L, H) on what is said twice, and what the repetition saves."""

    previous_word: Numbers  # from a piece to the one before it
    induction: Numbers  # in the second half, to the piece after the same one in the first
    first: float  # nats a piece in the first half,
    second: float  # and in the second

    def to_dict(self) -> dict[str, Any]:
        return {
            "previous_word": self.previous_word.round(DIGITS).tolist(),
            "induction": self.induction.round(DIGITS).tolist(),
            "first": round(self.first, DIGITS),
            "second": round(self.second, DIGITS),
        }


@torch.no_grad()
def foresee(model: Transformer, tokenizer: Tokenizer, documents: Iterable[str]) -> Foresight:
    """How well a model foresees documents; what is beyond its last position is left out.

    Args:
        model: a decoder alone.
        tokenizer: its byte pairs.
        documents: texts that it has not been trained on.

    Returns:
        The sums over all of them.
    """
    nats, pieces, size = 0.0, 0, 0
    for document in documents:
        found = tokenizer.encode(document)
        ids = torch.tensor([found.ids[: model.config.max_length]])
        nats += float(surprises(model, ids).sum())
        pieces += ids.size(1) - 1
        size += sum(map(len, found.tokens[1 : ids.size(1)]))  # a character of a piece is a byte
    return Foresight(nats, pieces, size)


def surprises(model: Transformer, ids: Tensor) -> Tensor:
    """The surprise of each piece but the first.

    Args:
        model: a decoder alone.
        ids: (B, T).

    Returns:
        (B, T − 1), in nats.
    """
    ids = ids.to(model.generator.weight.device)
    logits = model(ids[:, :0], ids[:, :-1])  # (B, T − 1, V)
    return functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")


def random_rows(
    tokenizer: Tokenizer, words: bool = True, rows: int = ROWS, half: int = HALF
) -> Tensor:
    """Random pieces and a full stop, twice in a row, the same on every machine.

    Args:
        tokenizer: its pieces.
        words: whether they are those of random words; else any but `END` are drawn.
        rows: how many rows.
        half: pieces before they come again, the full stop among them.

    Returns:
        Ids (rows, 2 · half).
    """
    rng, end, stop = random.Random("repeated"), *map(tokenizer.token_to_id, (END, "."))
    pieces = [each for each in range(tokenizer.get_vocab_size()) if each != end]
    found = []
    for _ in range(rows):
        text = f" {random_words(rng, MORE_WORDS)}" if words else ""
        ids = tokenizer.encode(text).ids if words else rng.choices(pieces, k=half)
        found.append([*ids[: half - 1], stop] * 2)
    return torch.tensor(found)


@torch.no_grad()
def score_heads(model: Transformer, ids: Tensor) -> HeadScores:
    """How much each head is a previous-word head, and an induction head.

    Args:
        model: a decoder alone.
        ids: what `random_rows` gave, (B, 2R).

    Returns:
        The scores.
    """
    half, length = ids.size(1) // 2, ids.size(1)
    recorder = Recorder(keep=lambda address: address.endswith("/weights"))
    model(ids[:, :0], ids.to(model.generator.weight.device), recorder)
    previous, induction = [], []
    back, later = torch.arange(1, length), torch.arange(half, length)
    for layer in range(model.config.decoder_layers):
        weights = recorder.tensors[f"decoder/{layer}/self_attention/weights"].cpu()  # (B, H, T, T)
        previous.append(weights[:, :, back, back - 1].mean(dim=(0, 2)).numpy())
        induction.append(weights[:, :, later, later - half + 1].mean(dim=(0, 2)).numpy())
    found = surprises(model, ids).cpu()  # (B, 2R − 1)
    return HeadScores(
        np.stack(previous).astype(np.float64), np.stack(induction).astype(np.float64),
        float(found[:, : half - 1].mean()), float(found[:, half:].mean()),
    )  # fmt: skip
