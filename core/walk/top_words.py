"""The last steps of a walk in words: the most likely ones of a row, with score and probability."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.tables import as_numpy
from core.trace.trace import Trace


@dataclass(frozen=True)
class TopWord:
    """A word of the vocabulary at one row of the decoder; `chosen` is the one that was taken."""

    index: int
    token: str
    logit: float
    probability: float
    chosen: bool


def top_words(trace: Trace, row: int, count: int = 8) -> tuple[TopWord, ...]:
    """The most probable words of a row, the best first; the chosen one is always among them."""
    chances = as_numpy(trace.pick("output/probabilities", position=row))  # (V,)
    logits = as_numpy(trace.pick("output/logits", position=row))  # (V,)
    taken = trace.vocabulary.index(trace.output_pieces[row])
    best = [int(index) for index in (-logits).argsort(kind="stable")[:count]]
    if taken not in best:
        best[-1] = taken
    return tuple(
        TopWord(
            index,
            trace.surfaces.get(trace.vocabulary[index], trace.vocabulary[index]),
            float(logits[index]),
            float(chances[index]),
            index == taken,
        )
        for index in best
    )
