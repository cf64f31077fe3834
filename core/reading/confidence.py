"""How probable it is that a translation is right, and what speaks against it.

A logistic model of what `core.reading.signals` measures. Its coefficients are fitted to the model
that translated (`python -m core calibrate` writes them beside the weights, as confidence.json) and
travel with the trace; a trace without them is judged by `DEFAULT`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from core.reading.choices import UNSURE_BELOW, least_sure
from core.reading.signals import Signals, signals
from core.trace.trace import Trace

ReasonKey = Literal[
    "cut", "repeated", "guarded", "lost", "dropped", "doubled", "unseen", "unknown", "undecided",
    "unusual",
]  # fmt: skip
GRAVE: frozenset[ReasonKey] = frozenset(("cut", "repeated", "lost", "dropped"))


@dataclass(frozen=True)
class Calibration:
    """The logistic model: ln(p / (1 - p)) = intercept + Σ weight · feature.

    threshold: a translation with a lower probability of being right is called unsure.
    """

    intercept: float
    weights: Mapping[str, float]
    threshold: float

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Calibration:
        """Reads what `to_dict` gives; ValueError where it is something else."""
        try:
            weights = {str(name): float(value) for name, value in table["weights"].items()}
            found = cls(float(table["intercept"]), weights, float(table["threshold"]))
        except (AttributeError, KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"a calibration lacks or misstates {error}") from error
        if not all(map(math.isfinite, (found.intercept, found.threshold, *weights.values()))):
            raise ValueError("a calibration holds what is no finite number")
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            "intercept": self.intercept,
            "weights": dict(self.weights),
            "threshold": self.threshold,
        }

    def score(self, found: Signals) -> float:
        """The probability that a translation is right, 0..1."""
        features = found.numbers()
        power = self.intercept + sum(
            weight * features.get(name, 0.0) for name, weight in self.weights.items()
        )
        # In two forms: the exponential of a large positive number would not end.
        return 1 / (1 + math.exp(-power)) if power >= 0 else math.exp(power) / (1 + math.exp(power))


# Written by `python -m core calibrate` for the first bundled translator.
DEFAULT = Calibration(
    intercept=3.737,
    weights={
        "unknown": -3.812,
        "names": -0.212,
        "slots": -1.006,
        "unseen": -0.608,
        "unattended": -1.484,
        "circles": -0.051,
        "weakest": -0.904,
        "surprise": -0.661,
        "entropy": -1.923,
        "undecided": -1.222,
        "length": -2.176,
        "words": 0.349,
    },
    threshold=0.5,
)


@dataclass(frozen=True)
class Reason:
    """Something that speaks against a translation, and the words or the number of it."""

    key: ReasonKey
    words: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True)
class Confidence:
    """How far a translation deserves trust; a sure one may still be wrong."""

    level: Literal["sure", "unsure"]
    score: float  # 0..1, the estimated probability that the translation is right
    reasons: tuple[Reason, ...]  # the gravest first; a sure one may have harmless ones
    weakest: int  # the row with the least probability
    probability: float  # 0..1, of that row; NaN where the run has no number


def confidence(trace: Trace) -> Confidence:
    """The verdict on a run, from its own numbers and the calibration that it carries."""
    found = signals(trace)
    calibration = Calibration.from_dict(trace.calibration) if trace.calibration else DEFAULT
    score, reasons = calibration.score(found), _reasons(found)
    unsure = score < calibration.threshold or any(reason.key in GRAVE for reason in reasons)
    unsure = unsure or any(map(math.isnan, found.chances))
    if unsure and not reasons:
        reasons = [Reason("unusual")]
    weakest = least_sure(trace, range(len(trace.output_pieces)))
    return Confidence(
        level="unsure" if unsure else "sure",
        score=score,
        reasons=tuple(reasons),
        weakest=weakest,
        probability=found.chances[weakest],
    )


def _reasons(found: Signals) -> list[Reason]:
    undecided = sum(not chance >= UNSURE_BELOW for chance in found.chances)
    again = found.repeated
    candidates = [
        Reason("cut", count=0 if found.ended else len(found.chances)),
        Reason("repeated", again.words, again.times) if again else Reason("repeated"),
        Reason("guarded", count=found.guarded),
        Reason("lost", found.lost, len(found.lost)),
        Reason("dropped", found.dropped, len(found.dropped)),
        Reason("doubled", found.doubled, len(found.doubled)),
        Reason("unseen", found.unseen, len(found.unseen)),
        Reason("unknown", found.unknown, len(found.unknown)),
        Reason("undecided", count=undecided),
    ]
    return [reason for reason in candidates if reason.count]
