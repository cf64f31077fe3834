"""Two runs' translations beside each other: word by word, probabilities and their distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

import torch
from torch import Tensor

from core.device import precise
from core.trace.trace import Trace

Kind = Literal["same", "other", "gone", "new"]


@dataclass(frozen=True)
class Word:
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


def words(before: Trace, after: Trace) -> tuple[Word, ...]:
    """The translations, aligned; both runs are of one model and one vocabulary.

    A replaced stretch is paired from its left, what is left over is gone or new. Probabilities are
    those of the recorded pass, 0..1; with other words before a row it answers another question
    (`same_prefix` False): force one target on both runs to compare them throughout.
    """
    first, second = log_probabilities(before), log_probabilities(after)
    shared = shared_rows(before, after)
    return tuple(
        _word(before, after, first, second, one, two, shared) for one, two in _rows(before, after)
    )


def divergences(before: Trace, after: Trace) -> Tensor:
    """KL(before ‖ after) in nats of the rows that both runs have, (n,), float64.

    NaN where a run lost its numbers, ∞ where a word became impossible.
    """
    first, second = log_probabilities(before), log_probabilities(after)
    rows = min(len(first), len(second))
    return kullback_leibler(first[:rows], second[:rows])


def kullback_leibler(p: Tensor, q: Tensor) -> Tensor:
    """Σ p (log p − log q) over the last axis, in nats; p and q are log-probabilities (…, V).

    A word that p never writes adds nothing.
    """
    terms = p.exp() * (p - q)
    return terms.masked_fill(p == -torch.inf, 0.0).sum(dim=-1)


def shared_rows(before: Trace, after: Trace) -> int:
    """How many first rows of the decoder were given the same words."""
    pairs = zip(before.target_pieces, after.target_pieces, strict=False)
    differ = (row for row, (one, two) in enumerate(pairs) if one != two)
    return next(differ, min(len(before.target_pieces), len(after.target_pieces)))


def log_probabilities(trace: Trace) -> Tensor:
    """Of every word at every row of a run, (T, V), float64, in nats."""
    return precise(trace["output/logits"][0]).log_softmax(dim=-1)  # (T, V)


def _rows(before: Trace, after: Trace) -> Iterator[tuple[int | None, int | None]]:
    """Which row stands beside which."""
    matcher = SequenceMatcher(None, before.output_pieces, after.output_pieces, autojunk=False)
    for _, a, a_end, b, b_end in matcher.get_opcodes():
        for step in range(max(a_end - a, b_end - b)):
            one = a + step if a + step < a_end else None
            two = b + step if b + step < b_end else None
            yield one, two


def _word(
    before: Trace,
    after: Trace,
    first: Tensor,
    second: Tensor,
    one: int | None,
    two: int | None,
    shared: int,
) -> Word:
    old = None if one is None else before.output_pieces[one]
    new = None if two is None else after.output_pieces[two]
    paired = one is not None and two is not None
    kinds: dict[tuple[bool, bool], Kind] = {(True, False): "gone", (False, True): "new"}
    kind = kinds.get((one is not None, two is not None), "same" if old == new else "other")

    def probabilities(piece: str | None) -> tuple[float | None, float | None]:
        if piece is None:
            return None, None
        index = before.vocabulary.index(piece)
        return (
            None if one is None else float(first[one, index].exp()),
            None if two is None else float(second[two, index].exp()),
        )

    return Word(
        kind=kind,
        before=None if one is None else before.output_tokens[one],
        after=None if two is None else after.output_tokens[two],
        before_row=one,
        after_row=two,
        old_word=probabilities(old),
        new_word=probabilities(new),
        divergence=float(kullback_leibler(first[one], second[two])) if paired else None,
        same_prefix=paired and one == two and two is not None and two < shared,
    )
