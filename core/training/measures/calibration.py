"""Whether the badge "unsure" is right: does it stand on the wrong translations, and only there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.corpus import DIRECTIONS, Pair
from core.text.vocabulary import SLOTS
from core.training.measures.free_typed import Sentence
from core.training.measures.tally import Tally, tally
from core.training.measures.written import as_text
from core.translator import Translator

BINS = 10


class Judged(Protocol):
    """A translation that is right or wrong, and how sure the model was of it."""

    @property
    def right(self) -> bool: ...
    @property
    def sure(self) -> bool: ...
    @property
    def score(self) -> float: ...


@dataclass(frozen=True)
class Bin:
    """The translations with a score from `low` up to `low` + 1 / BINS."""

    low: float
    right: Tally
    score: float  # mean

    @property
    def gap(self) -> float:
        return abs(self.right.rate - self.score)

    def to_dict(self) -> dict[str, Any]:
        return {"from": self.low, "mean_score": round(self.score, 4), **self.right.to_dict()}


@dataclass(frozen=True)
class Calibration:
    """How far the badge and the score can be trusted."""

    wrong_badged: Tally  # of the wrong ones, how many were badged: the recall
    badged_wrong: Tally  # of the badged ones, how many were wrong: the precision
    right_badged: Tally  # of the right ones, how many were badged: false alarms
    bins: tuple[Bin, ...]  # those that are not empty
    error: float  # expected calibration error: mean gap of the bins, weighted by their size

    def to_dict(self) -> dict[str, Any]:
        return {
            "wrong_ones_badged": self.wrong_badged.to_dict(),
            "badged_ones_wrong": self.badged_wrong.to_dict(),
            "right_ones_badged": self.right_badged.to_dict(),
            "expected_calibration_error": round(self.error, 4),
            "reliability": [each.to_dict() for each in self.bins],
        }


def calibrate(found: Sequence[Judged]) -> Calibration | None:
    """Compares badge and score with what is right; None for no translations."""
    if not found:
        return None
    bins = tuple(filter(None, (_bin(found, number) for number in range(BINS))))
    error = sum(each.right.total * each.gap for each in bins) / len(found)
    return Calibration(
        wrong_badged=tally(not each.sure for each in found if not each.right),
        badged_wrong=tally(not each.right for each in found if not each.sure),
        right_badged=tally(not each.sure for each in found if each.right),
        bins=bins,
        error=error,
    )


def _bin(found: Sequence[Judged], number: int) -> Bin | None:
    inside = [each for each in found if min(int(each.score * BINS), BINS - 1) == number]
    if not inside:
        return None
    mean = sum(each.score for each in inside) / len(inside)
    return Bin(number / BINS, tally(each.right for each in inside), mean)


def as_typed(translator: Translator, pairs: Sequence[Pair]) -> list[Sentence]:
    """Held-out pairs as somebody would type them; those with copy slots are left out."""
    found = []
    for index, pair in enumerate(pairs):
        if any(word in SLOTS for word in pair.english):
            continue
        for direction in DIRECTIONS:
            if direction not in pair.directions:
                continue
            languages = direction.split("-")
            source, target = (
                as_text(translator.tokenizer, words, language)
                for words, language in zip(pair.sides(direction), languages, strict=True)
            )
            found.append(Sentence(f"held out {index}", source, direction, (target,)))
    return found
