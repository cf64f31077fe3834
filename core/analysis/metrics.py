"""What is measured of a run: a number a text, which tools follow while they change the run.

A metric is any function from a `Batch` to a tensor (B,). These three take a `Trace`, too, and read
the logits of one row of the output: what scores the word that follows (§3.4). They can be
differentiated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.errors import GlassformerError, check_index, index_from_end
from glassformer.core.trace.batch import Batch
from glassformer.core.trace.trace import Trace, places_of

LOGITS = "output/logits"
SPACE = "␣"  # as people are shown the space that a piece begins with
Kind = Literal["logit", "log probability"]
Word = str | int


@dataclass(frozen=True)
class WordMetric:
    """The logit of a word, less another's, or its log probability, at a row of each text.

    at: counted from 0, or from a text's own last row backwards: −1 is that row.
    """

    kind: Kind
    word: Word
    other: Word | None = None
    at: int = -1

    @property
    def reads(self) -> tuple[str, ...]:
        """The addresses that a run must keep for it."""
        return (LOGITS,)

    def __call__(self, run: Batch | Trace) -> Tensor:
        """The number of each text: (B,), in float32 at least, on the run's device."""
        if not run.config.has_generator:
            raise GlassformerError("no_generator", name=run.model_name)
        logits = run[LOGITS]  # (B, T, V)
        if isinstance(run, Trace):
            rows = [index_from_end("position", self.at, logits.size(1))]
        else:
            rows = [run.row(text, self.at) for text in range(len(run))]
        device = logits.device
        picked = logits[torch.arange(len(rows), device=device), torch.tensor(rows, device=device)]
        picked = picked.to(torch.promote_types(picked.dtype, torch.float32))  # (B, V)
        if self.kind == "log probability":
            picked = picked.log_softmax(dim=-1)
        value = picked[:, id_in(run, self.word)]
        return value if self.other is None else value - picked[:, id_in(run, self.other)]

    def __str__(self) -> str:
        less = "" if self.other is None else f" − logit of {_name(self.other)}"
        return f"{self.kind} of {_name(self.word)}{less} at row {self.at}"


def _name(word: Word) -> str:
    return word.strip() if isinstance(word, str) else f"word {word}"


def id_in(run: Batch | Trace, word: Word) -> int:
    """The id of a word of what a run's model writes.

    Args:
        run: a batch asks its model, a run of one text looks at what its pieces are shown as.
        word: as it is written, or its id.

    Returns:
        The id, from 0.

    Raises:
        GlassformerError: `out_of_range` for an id that no word has, and as `Batch.id_of` for a text
            that is no word of the model.
    """
    if not isinstance(word, str):
        check_index("word", word, run.config.vocabulary_size)
        return word
    if isinstance(run, Batch):
        return run.id_of(word)
    if word in (ids := places_of(run.vocabulary)):
        return ids[word]
    shown = {run.surfaces.get(piece, piece): index for piece, index in ids.items()}
    seen = word.replace(" ", SPACE)
    for name in (seen, f"{SPACE}{seen}"):
        if name in shown:
            return shown[name]
    raise GlassformerError("word_unknown", word=word)


def logit(word: Word, at: int = -1) -> WordMetric:
    """The logit of a word.

    A logit alone moves with all the others without any change of what is written; a difference of
    two, or a log probability, does not.

    Args:
        word: as it is written, or its id.
        at: the row of the output, from 0; −1 is a text's own last row, whatever the padding.

    Returns:
        A metric: larger means that the word is scored higher.
    """
    return WordMetric("logit", word, None, at)


def logit_diff(word: Word, other: Word, at: int = -1) -> WordMetric:
    """The logit of a word less another's: the log of how much more probable it is.

    It says nothing of the rest of the vocabulary: both may be improbable. Wang et al. 2022
    (arXiv 2211.00593) follow it in a circuit.

    Args:
        word: as it is written, or its id; larger numbers favour it.
        other: the word that it is held against.
        at: the row of the output, from 0; −1 is a text's own last row, whatever the padding.

    Returns:
        A metric, in nats.
    """
    return WordMetric("logit", word, other, at)


def log_probability(word: Word, at: int = -1) -> WordMetric:
    """The natural logarithm of a word's probability.

    Args:
        word: as it is written, or its id.
        at: the row of the output, from 0; −1 is a text's own last row, whatever the padding.

    Returns:
        A metric, in nats, at most 0.
    """
    return WordMetric("log probability", word, None, at)
