"""What the decoder chose at each row, between what, and how sure of it the model was."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.reading.repetition import Repetition, repetition
from core.text.vocabulary import END
from core.trace.trace import Candidate, Trace

UNSURE_BELOW = 0.5  # a word chosen with less had the other words together against it
SURE_FROM = 0.8  # four times as probable as all other words together


@dataclass(frozen=True)
class Choice:
    """One step of the translation: the words before it, the word chosen, the runners-up."""

    row: int
    before: tuple[str, ...]
    chosen: Candidate
    others: tuple[Candidate, ...]  # best first, without the chosen one


@dataclass(frozen=True)
class Confidence:
    """How far a translation deserves trust by the model's own numbers; it may still be wrong."""

    unknown: tuple[str, ...]  # words of the source that the vocabulary lacks, each once
    unsure: tuple[int, ...]  # rows chosen with less than `UNSURE_BELOW`, or with no number at all
    weakest: int  # the row with the least probability
    probability: float  # 0..1, of that row
    ended: bool  # False where the length limit cut the translation off
    repeated: Repetition | None = None  # words said again and again

    @property
    def level(self) -> Literal["sure", "fair", "unsure"]:
        """The verdict: unsure where anything speaks against the translation."""
        if self.unknown or self.unsure or self.repeated or not self.ended:
            return "unsure"
        return "sure" if self.probability >= SURE_FROM else "fair"


def probabilities(trace: Trace) -> tuple[float, ...]:
    """The probability of each row's word, 0..1; NaN where the run itself has no number (T,)."""
    rows = trace.pick("output/probabilities")  # (T, V)
    ids = {piece: index for index, piece in enumerate(trace.vocabulary)}
    return tuple(float(rows[row, ids[piece]]) for row, piece in enumerate(trace.output_pieces))


def choice_at(trace: Trace, row: int, others: int = 5) -> Choice:
    """What a row of the decoder chose and the `others` next best words.

    Raises:
        GlassformerError: for a row that does not exist.
    """
    best = trace.candidates(row, others + 1)
    piece = trace.output_pieces[row]
    chosen = Candidate(trace.output_tokens[row], piece, probabilities(trace)[row])
    left = tuple(candidate for candidate in best if candidate.piece != piece)
    return Choice(row, trace.output_tokens[:row], chosen, left[:others])


def confidence(trace: Trace) -> Confidence:
    """Unknown words, unsure rows, a missing end and repetitions of a translation."""
    chances = probabilities(trace)
    unknown = dict.fromkeys(trace.source_tokens[place] for place in trace.source_unknown)
    weakest = least_sure(trace, range(len(chances)))
    said = zip(trace.output_tokens, trace.output_pieces, strict=True)
    return Confidence(
        unknown=tuple(unknown),
        unsure=tuple(row for row, p in enumerate(chances) if _or_nothing(p) < UNSURE_BELOW),
        weakest=weakest,
        probability=chances[weakest],
        ended=trace.output_pieces[-1] == END,
        repeated=repetition([token for token, piece in said if piece != END]),
    )


def least_sure(trace: Trace, rows: Iterable[int]) -> int:
    """The one of some rows whose word had the least probability; no number counts as less than 0.

    Raises:
        ValueError: for no rows.
    """
    chances = probabilities(trace)
    return min(rows, key=lambda row: _or_nothing(chances[row]))


def _or_nothing(probability: float) -> float:
    return -1.0 if math.isnan(probability) else probability
