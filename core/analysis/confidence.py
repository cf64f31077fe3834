"""How probable it is that a translation is right, and what speaks against it.

A logistic model of what `quality_features` measures. Its coefficients are fitted to the model that
translated (`glassformer calibrate` writes them beside the weights) and travel with the trace; a
trace without them is judged by `DEFAULT`.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from glassformer.core.analysis.choices import UNSURE_BELOW, least_sure, probabilities
from glassformer.core.analysis.unsaid import unsaid_nouns
from glassformer.core.decoding.no_repeat import GROUP_IN_A_ROW, WORD_IN_A_ROW, longest_run
from glassformer.core.text.vocabulary import END, SLOTS, UNKNOWN
from glassformer.core.trace.trace import Trace, once_a_run

ReasonKey = Literal[
    "cut", "repeated", "guarded", "lost", "dropped", "doubled", "unsaid", "unseen", "unknown",
    "undecided", "unusual",
]  # fmt: skip


@dataclass(frozen=True)
class Reason:
    """Something that speaks against a translation, and the words or the number of it."""

    key: ReasonKey
    words: tuple[str, ...] = ()
    count: int = 0


def repetition(tokens: Sequence[str]) -> Reason | None:
    """The longest stretch of the same words in a row.

    Punctuation counts for nothing, so "no, no, no" repeats itself too. Of equal stretches
    the shortest words are named: "no" four times, not "no no" twice.

    Args:
        tokens: the words of a translation, as shown.

    Returns:
        The words that are repeated and how often; None where nothing repeats itself more often than
        `WORD_IN_A_ROW` allows a word, `GROUP_IN_A_ROW` several words.
    """
    words = [token for token in tokens if any(map(str.isalnum, token))]
    said, times = longest_run(words)
    allowed = GROUP_IN_A_ROW if len(said) > 1 else WORD_IN_A_ROW
    return Reason("repeated", tuple(map(str, said)), times) if times > allowed else None


SEEN_FROM = 0.15  # a source word that no output word gives so much attention was not translated
FAIR = 0.6  # a word with less had a rival
LEAST, MOST = 1e-6, 13.8  # a probability below, and one that is no number, counts as this
# Words that often have no counterpart in the other language: nothing need look at them.
FUNCTION_WORDS = frozenset(
    "a the of to do does did am is are was were be been being 's at in on for it there that and "
    "will would have has had don't doesn't didn't not . , ? ! "
    "的 了 个 吗 吧 呢 地 得 着 过 是 在 把 被 就 都 也 很 和 会 要 们 这 那 一 只 本 位 条 张 "
    "件".split()
)


@dataclass(frozen=True)
class QualityFeatures:
    """Measured on one run; words are as typed."""

    unknown: tuple[str, ...]  # copied as typed, for no translation is known
    names: int  # so many of them are names, of which a copy is a translation
    lost: tuple[str, ...]  # unknown words for which no slot was free
    dropped: tuple[str, ...]  # words in slots that the translation does not have
    doubled: tuple[str, ...]  # words in slots that it has more often than the source
    unseen: tuple[str, ...]  # known words that no output word looked at
    repeated: Reason | None
    guarded: int  # steps at which the repetition guard spoke
    ended: bool  # False where the length limit cut the translation off
    chances: tuple[float, ...]  # of each row's word; NaN where there is no number
    entropy: float  # mean over the rows, nats
    seen: float  # least attention that a known content word got, 0..1
    longer: float  # ln of output words per source word
    unsaid: tuple[str, ...] = ()  # nouns of which the translation has nothing

    def numbers(self) -> dict[str, float]:
        """The features of the logistic model, each roughly between 0 and 5."""
        surprise = [-math.log(chance) if chance > LEAST else MOST for chance in self.chances]
        return {
            "unknown": min(len(self.unknown) - self.names, 3.0),
            "names": min(self.names, 2.0),
            "lost": float(bool(self.lost)),
            "slots": float(bool(self.dropped or self.doubled)),
            "unseen": min(len(self.unseen), 3.0),
            "unattended": 1 - self.seen,
            "circles": float(bool(self.guarded or self.repeated or not self.ended)),
            "weakest": min(max(surprise), 4.0),  # nats
            "surprise": 4 * min(sum(surprise) / len(surprise), 1.0),
            "entropy": min(self.entropy, 3.0),
            "undecided": min(sum(not chance >= FAIR for chance in self.chances), 4.0),
            "length": abs(self.longer),
            "words": math.log(len(self.chances)),
        }


def quality_features(trace: Trace) -> QualityFeatures:
    """Measures what speaks for and against a translation, and reads everything off its run.

    Args:
        trace: a run of an encoder–decoder, its first sentence.

    Returns:
        Words as typed, shares of 0..1, entropies in nats.

    Raises:
        GlassformerError: `unknown_address` for a decoder that stands alone.
    """
    written = Counter(trace.output_pieces)
    typed = Counter(trace.source_pieces)
    source = list(zip(trace.source_pieces, trace.source_tokens, strict=True))
    slots = {piece: token for piece, token in source if piece in SLOTS}
    seen = attention_by_word(trace)
    said = [t for t, p in zip(trace.output_tokens, trace.output_pieces, strict=True) if p != END]
    words = {p: t for p, t in slots.items() if not p.startswith("<num")}
    copied = {p: t for p, t in words.items() if trace.surfaces.get(p, t) == t}  # as typed
    return QualityFeatures(
        unknown=tuple(copied.values()),
        names=sum(piece.startswith("<name") for piece in copied),
        lost=tuple(token for piece, token in source if piece == UNKNOWN),
        dropped=tuple(t for p, t in slots.items() if not written[p]),
        doubled=tuple(t for p, t in slots.items() if written[p] > typed[p] + 1),
        unseen=tuple(trace.source_tokens[i] for i, most in seen.items() if most < SEEN_FROM),
        repeated=repetition(said),
        guarded=sum(step.guarded is not None for step in trace.steps),
        ended=trace.output_pieces[-1] == END,
        chances=probabilities(trace),
        entropy=_entropy(trace.pick("output/probabilities")),
        seen=min(seen.values(), default=1.0),
        longer=math.log(len(trace.output_pieces) / len(trace.source_pieces)),
        unsaid=unsaid_nouns(trace),
    )


def unseen_places(trace: Trace) -> set[int]:
    """The source positions of known words at which no word of the translation looks.

    Args:
        trace: a run of an encoder–decoder, its first sentence.

    Returns:
        Positions from 0 that no row gives an attention weight of `SEEN_FROM`.

    Raises:
        GlassformerError: `unknown_address` for a decoder that stands alone.
    """
    return {place for place, most in attention_by_word(trace).items() if most < SEEN_FROM}


@once_a_run
def attention_by_word(trace: Trace) -> Mapping[int, float]:
    """The most attention that any row, in any layer's mean of heads, gives to each content word.

    Function words, punctuation, the end, unknown words and slots are left out.

    Args:
        trace: a run of an encoder–decoder, its first sentence.

    Returns:
        The weight, 0..1, by the position in the source, from 0.

    Raises:
        GlassformerError: `unknown_address` for a decoder that stands alone.
    """
    maps = [
        trace[f"decoder/{layer}/cross_attention/weights"][0].mean(dim=0)  # (T, S)
        for layer in range(trace.config.decoder_layers)
    ]
    most = torch.stack(maps).amax(dim=(0, 1)).tolist()  # S numbers
    ignored = FUNCTION_WORDS | {END, UNKNOWN, *SLOTS}
    return {i: most[i] for i, piece in enumerate(trace.source_pieces) if piece not in ignored}


def _entropy(rows: Tensor) -> float:
    """Mean entropy of the rows (T, V), in nats; 0 where there is no number."""
    mean = float(-(rows * rows.clamp_min(1e-30).log()).sum(dim=-1).mean())
    return 0.0 if math.isnan(mean) else mean


# Whatever the score: what was calibrated on has next to none of these, so that it says nothing.
GRAVE: frozenset[ReasonKey] = frozenset(("cut", "repeated", "lost", "dropped", "doubled", "unsaid"))
SURE_FROM = 0.8  # less likely right than four times in five is called unsure


@dataclass(frozen=True)
class Calibration:
    """The logistic model: ln(p / (1 - p)) = intercept + Σ weight · feature."""

    intercept: float
    weights: Mapping[str, float]

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> "Calibration":
        """Reads what `to_dict` gives.

        Args:
            table: "intercept", a number, and "weights", numbers by name of a feature.

        Returns:
            The logistic model.

        Raises:
            ValueError: it is something else, or a number is not finite.
        """
        try:
            weights = {str(name): float(value) for name, value in table["weights"].items()}
            found = cls(float(table["intercept"]), weights)
        except (AttributeError, KeyError, TypeError, OverflowError) as error:
            raise ValueError(f"a calibration lacks or misstates {error}") from error
        if not all(map(math.isfinite, (found.intercept, *weights.values()))):
            raise ValueError("a calibration holds what is no finite number")
        return found

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def score(self, found: QualityFeatures) -> float:
        """The probability that a translation is right, by the logistic model.

        Args:
            found: what was measured on its run; a feature that the model has and it has not counts
                as 0.

        Returns:
            0..1.
        """
        features = found.numbers()
        power = self.intercept + sum(
            weight * features.get(name, 0.0) for name, weight in self.weights.items()
        )
        # In two forms: the exponential of a large positive number would not end.
        return 1 / (1 + math.exp(-power)) if power >= 0 else math.exp(power) / (1 + math.exp(power))


# Written by `python -m glassformer calibrate` for the first bundled translator.
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
)


@dataclass(frozen=True)
class Confidence:
    """How far a translation deserves trust; a sure one may still be wrong.

    measured: whether the score stands for it. If so it is sure from SURE_FROM on; if not, there is
    something in it that next to no sentence of the calibration had: an unknown word, one left out.
    """

    level: Literal["sure", "unsure"]
    score: float  # 0..1, the estimated probability that the translation is right
    measured: bool
    reasons: tuple[Reason, ...]  # the gravest first; a sure one may have harmless ones
    weakest: int  # the row with the least probability
    probability: float  # 0..1, of that row; NaN where the run has no number


def is_judged(trace: Trace) -> bool:
    """Whether it is known when such a run is right: measured of our own translators alone.

    Args:
        trace: any run.

    Returns:
        True where the run has a direction of translation.
    """
    return trace.direction != ""


@once_a_run
def confidence(trace: Trace) -> Confidence:
    """The verdict on a run, from its own numbers and the calibration that it carries.

    Read once a run; a run without a calibration is judged by `DEFAULT`.

    Args:
        trace: a run of an encoder–decoder; how often such a verdict holds is known where it
            `is_judged`.

    Returns:
        Sure or unsure, the estimated probability that the translation is right, and the reasons.

    Raises:
        GlassformerError: `unknown_address` for a decoder that stands alone.
        ValueError: its calibration cannot be read.
    """
    found = quality_features(trace)
    calibration = Calibration.from_dict(trace.calibration) if trace.calibration else DEFAULT
    score, reasons = calibration.score(found), _reasons(found)
    grave = any(reason.key in GRAVE for reason in reasons) or any(map(math.isnan, found.chances))
    unsure = grave or score < SURE_FROM or len(found.unknown) > found.names
    if unsure and not reasons:
        reasons = [Reason("unusual")]
    weakest = least_sure(trace, range(len(trace.output_pieces)))
    return Confidence(
        level="unsure" if unsure else "sure",
        score=score,
        measured=not (grave or found.unknown),
        reasons=tuple(reasons),
        weakest=weakest,
        probability=found.chances[weakest],
    )


def _reasons(found: QualityFeatures) -> list[Reason]:
    undecided = sum(not chance >= UNSURE_BELOW for chance in found.chances)
    named: dict[ReasonKey, tuple[str, ...]] = {
        "lost": found.lost, "dropped": found.dropped, "doubled": found.doubled,
        "unsaid": found.unsaid, "unseen": found.unseen, "unknown": found.unknown,
    }  # fmt: skip
    candidates = [
        Reason("cut", count=0 if found.ended else len(found.chances)),
        found.repeated or Reason("repeated"),
        Reason("guarded", count=found.guarded),
        *(Reason(key, words, len(words)) for key, words in named.items()),
        Reason("undecided", count=undecided),
    ]
    return [reason for reason in candidates if reason.count]
