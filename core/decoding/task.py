"""What is to be decoded, as one value: every strategy gets the same one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor

from core.decoding.guard import Guard
from core.errors import GlassformerError
from core.model.transformer import Transformer

Forced = Mapping[int, int]  # position of the output -> the id that is written there, whatever comes
NOTHING: Forced = MappingProxyType({})


@dataclass(frozen=True)
class Task:
    """One sentence to write.

    source: its ids, (S,). start: the begin token, here the language to write. end: the end token.
    limit: most words to write, the end token included. forbidden: ids that are never chosen.
    guard: forbids words that would close a circle; None lets the decoder loop.
    """

    source: tuple[int, ...]
    start: int
    end: int
    limit: int
    forbidden: frozenset[int] = frozenset()
    guard: Guard | None = None

    def source_ids(self, model: Transformer) -> Tensor:
        """The source where the model is: (1, S)."""
        return torch.tensor([self.source], device=model.generator.weight.device)

    def check(
        self, model: Transformer, words: Iterable[int], positions: Iterable[int] = ()
    ) -> None:
        """Raises `out_of_range` for an id the vocabulary lacks, a position beyond the limit."""
        for word in words:
            _check("word", word, model.config.vocabulary_size - 1)
        for position in positions:
            _check("position", position, self.limit - 1)


def most_words(source_length: int, max_length: int) -> int:
    """How many words a translation may take, the end token included."""
    return min(2 * source_length + 12, max_length)


def check_number(name: str, given: float, low: float, high: float) -> None:
    """Raises `decoding_range` for a setting that is no number between these, both allowed."""
    if not low <= given <= high:  # not a number is neither
        raise GlassformerError("decoding_range", name=name, given=given, low=low, high=high)


def _check(name: str, given: int, last: int) -> None:
    if not 0 <= given <= last:
        raise GlassformerError("out_of_range", name=name, given=given, last=last)
