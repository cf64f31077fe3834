"""Two runs' translations beside each other: word by word, probabilities and their distance."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

import torch
from torch import Tensor

from glassformer.core.model.device import to_float64
from glassformer.core.trace.trace import Trace

Kind = Literal["same", "other", "gone", "new"]
Rows = tuple[int | None, int | None]  # of the decoder, in the first run and in the second


@dataclass(frozen=True)
class TranslatedWord:
    """One place of both translations; a side that has no word here is None.

    kind: `same` word, an `other` one, `gone` afterwards, `new` afterwards.
    """

    kind: Kind
    before: str | None
    after: str | None
    before_row: int | None  # of the decoder
    after_row: int | None
    # Of the word that was written before and of the one written afterwards, each in both runs;
    # None on the side that has no row here.
    old_word: tuple[float | None, float | None]
    new_word: tuple[float | None, float | None]
    divergence: float | None  # KL(before ‖ after) of the two rows, in nats; None without a pair
    # Both rows answer the same words so far: the edit alone moved them, if no row looks ahead.
    same_prefix: bool


def align_words(before: Trace, after: Trace) -> tuple[TranslatedWord, ...]:
    """The translations, aligned; both runs are of one model and one vocabulary.

    A replaced stretch is paired from its left, what is left over is gone or new. Probabilities are
    those of the recorded pass, 0..1; with other words before a row it answers another question
    (`same_prefix` False): force one target on both runs to compare them throughout.

    Args:
        before: the first run.
        after: the second run.

    Returns:
        The places of both translations in order.
    """
    logs = log_probabilities(before), log_probabilities(after)
    shared = shared_rows(before, after)
    matcher = SequenceMatcher(None, before.output_pieces, after.output_pieces, autojunk=False)
    stretches = ((range(a, b), range(c, d)) for _, a, b, c, d in matcher.get_opcodes())
    return tuple(
        _word((before, after), logs, rows, shared)
        for stretch in stretches
        for rows in zip_longest(*stretch)
    )


def divergences(before: Trace, after: Trace) -> Tensor:
    """KL(before ‖ after) of the rows that both runs have.

    Args:
        before: the first run.
        after: the second run.

    Returns:
        (n,) float64, in nats; NaN where a run lost its numbers, ∞ where a word became impossible.
    """
    first, second = log_probabilities(before), log_probabilities(after)
    rows = min(len(first), len(second))
    return kullback_leibler(first[:rows], second[:rows])


def kullback_leibler(p: Tensor, q: Tensor) -> Tensor:
    """The Kullback–Leibler divergence Σ p (log p − log q) over the last axis.

    A word that p never writes adds nothing.

    Args:
        p: log-probabilities (…, V), in nats.
        q: log-probabilities (…, V), in nats.

    Returns:
        (…), in nats.
    """
    terms = p.exp() * (p - q)
    return terms.masked_fill(p == -torch.inf, 0.0).sum(dim=-1)


def shared_rows(before: Trace, after: Trace) -> int:
    """How many first rows of the decoder were given the same words.

    Args:
        before: the first run.
        after: the second run.

    Returns:
        The first row whose input differs, counted from 0; the shorter length where none does.
    """
    pairs = zip(before.target_pieces, after.target_pieces, strict=False)
    differ = (row for row, (one, two) in enumerate(pairs) if one != two)
    return next(differ, min(len(before.target_pieces), len(after.target_pieces)))


def log_probabilities(trace: Trace) -> Tensor:
    """The log-probability of every word at every row of a run.

    Args:
        trace: the run that is read.

    Returns:
        (T, V) float64, in nats.
    """
    return to_float64(trace["output/logits"][0]).log_softmax(dim=-1)  # (T, V)


def _word(
    runs: tuple[Trace, Trace], logs: tuple[Tensor, Tensor], rows: Rows, shared: int
) -> TranslatedWord:
    one, two = rows
    old, new = _of_rows(rows, runs[0].output_pieces, runs[1].output_pieces)
    before, after = _of_rows(rows, runs[0].output_tokens, runs[1].output_tokens)

    def probabilities(piece: str | None) -> tuple[float | None, float | None]:
        if piece is None:
            return None, None
        index = runs[0].vocabulary.index(piece)
        first, second = (
            None if row is None else float(log[row, index].exp())
            for row, log in zip(rows, logs, strict=True)
        )
        return first, second

    kind: Kind = "same" if old == new else "new" if old is None else "other"
    paired = one is not None and two is not None
    return TranslatedWord(
        kind="gone" if new is None else kind,
        before=before,
        after=after,
        before_row=one,
        after_row=two,
        old_word=probabilities(old),
        new_word=probabilities(new),
        divergence=float(kullback_leibler(logs[0][one], logs[1][two])) if paired else None,
        same_prefix=one is not None and one == two and one < shared,
    )


def _of_rows(
    rows: Rows, first: Sequence[str], second: Sequence[str]
) -> tuple[str | None, str | None]:
    one, two = rows
    return None if one is None else first[one], None if two is None else second[two]
