"""Fits how sure the badge may be of a model's translations, on sentences that it was not taught.

Held-out sentences of the grammar say what being right looks like, sentences put together from
pieces of them what nonsense looks like, and those that people typed how often either happens. The
sealed set and its judgements are never read.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from glassformer.core.analysis.confidence import SURE_FROM, Calibration, quality_features
from glassformer.core.corpus import Grammar, held_out_pairs
from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import CALIBRATION
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.evaluation.typed import (
    OPEN_JUDGEMENTS,
    RIGHT,
    Judgements,
    Sentence,
    as_typed,
    read_judgements,
    read_sentences,
    verdict_on,
)

TYPED = ("everyday", "open", "teachers", "daily")  # not the sealed ones
PAIRS, DRAW = 300, 1  # held-out pairs, each in both directions; not those of the evaluation
NONSENSE = 200  # sentences
# A sentence of each kind counts so much: what is typed is what the badge is for.
WEIGHTS = {"typed": 2.0, "held out": 0.3, "nonsense": 0.3}
RIDGE, NEWTON_STEPS, FOLDS = 1.0, 30, 10


@dataclass(frozen=True)
class Case:
    """A translation: what was measured, whether it is right, how much it counts."""

    features: dict[str, float]
    right: bool
    kind: str


@dataclass(frozen=True)
class Fit:
    """The calibration, and how its badge does on typed sentences left out of the fit."""

    calibration: Calibration
    cases: int
    wrong_badged: float  # share of the wrong typed ones
    right_badged: float  # share of the right typed ones

    def to_dict(self) -> dict[str, Any]:
        found = {"cases": self.cases, "wrong_ones_badged": round(self.wrong_badged, 4)}
        found["right_ones_badged"] = round(self.right_badged, 4)
        return {**self.calibration.to_dict(), "cross_validated_on_typed_sentences": found}


def fit_calibration(
    translator: Translator, grammar: Grammar, folder: str | Path, pairs: int = PAIRS
) -> Fit:
    """Fits a calibration and writes it into the model's folder as confidence.json.

    Args:
        translator: the model with its tokenizer.
        grammar: the sentences' grammar.
        folder: the model's folder, which is there.
        pairs: held-out pairs, each in the directions that it teaches.

    Returns:
        The calibration, and how its badge does on typed sentences left out of the fit.
    """
    cases = [*typed_cases(translator), *grammar_cases(translator, grammar, pairs)]
    found = fit_badge(cases)
    text = json.dumps(found.to_dict(), indent=2) + "\n"
    (Path(folder) / CALIBRATION).write_text(text, encoding="utf-8")
    return found


def typed_cases(translator: Translator) -> Iterator[Case]:
    """What people typed; a translation that nobody has accepted or judged counts as wrong.

    Args:
        translator: the model with its tokenizer.

    Yields:
        A case of kind `typed` for each sentence of `TYPED` that is not refused.
    """
    judgements = read_judgements(files=[OPEN_JUDGEMENTS])
    for name in TYPED:
        yield from _cases(translator, read_sentences(name), "typed", judgements)


def grammar_cases(translator: Translator, grammar: Grammar, pairs: int) -> Iterator[Case]:
    """Held-out sentences, and nonsense made of them.

    Args:
        translator: the model with its tokenizer.
        grammar: the sentences' grammar.
        pairs: held-out pairs; those with copy slots are left out.

    Yields:
        Cases of kind `held out`, then of kind `nonsense`; none for a text that is refused.
    """
    held_out = as_typed(translator, held_out_pairs(grammar, pairs, DRAW).pairs)
    yield from _cases(translator, held_out, "held out", {})
    yield from _cases(translator, nonsense_sentences(held_out), "nonsense", {})


def nonsense_sentences(
    sentences: Sequence[Sentence], count: int = NONSENSE, seed: int = 0
) -> list[Sentence]:
    """Words in any order, and one half of a sentence before half of another: nothing is right.

    Args:
        sentences: what they are put together from, at least one.
        count: how many are tried: two sentences are drawn for each, and of two directions none
            is made.
        seed: of what is drawn.

    Returns:
        At most `count` sentences, without any accepted translation.

    Raises:
        IndexError: there are no sentences.
    """
    rng = random.Random(f"nonsense {seed}")
    found = []
    for index in range(count):
        one, other = rng.choice(sentences), rng.choice(sentences)
        words = _words(one)
        if index % 2:
            words = words[: len(words) // 2] + _words(other)[len(words) // 2 :]
        else:
            rng.shuffle(words)
        space = " " if one.direction.startswith("en") else ""
        if words and one.direction == other.direction:
            found.append(Sentence(f"nonsense {index}", space.join(words), one.direction, ()))
    return found


def _words(sentence: Sentence) -> list[str]:
    return sentence.text.split() if sentence.direction.startswith("en") else list(sentence.text)


def _cases(
    translator: Translator, sentences: Sequence[Sentence], kind: str, judgements: Judgements
) -> Iterator[Case]:
    for sentence in sentences:
        try:
            trace = translator.trace(sentence.text, direction=sentence.direction)
        except GlassformerError:
            continue  # refused: there is nothing to badge
        verdict, _ = verdict_on(sentence, trace.full_text, judgements)
        yield Case(quality_features(trace).numbers(), verdict in RIGHT, kind)


def fit_badge(cases: Sequence[Case]) -> Fit:
    """The logistic model of the cases, and how its badge does.

    Ridge logistic regression, each kind of case weighed by `WEIGHTS`. The badge is tried on typed
    cases by tenfold cross-validation.

    Args:
        cases: translations, at least one; all with the same features.

    Returns:
        The calibration from all cases; shares of the typed ones that would be badged, 0..1, by
        models fitted without their tenth.

    Raises:
        IndexError: there are no cases.
    """
    names = tuple(cases[0].features)
    rows = torch.tensor([[1.0, *case.features.values()] for case in cases], dtype=torch.float64)
    right = torch.tensor([float(case.right) for case in cases], dtype=torch.float64)
    weights = torch.tensor([WEIGHTS[case.kind] for case in cases], dtype=torch.float64)
    scores = _left_out_scores(rows, right, weights)
    typed = torch.tensor([case.kind == "typed" for case in cases])
    wrong, good = scores[typed & (right == 0)], scores[typed & (right == 1)]
    intercept, *found = _logistic(rows, right, weights).tolist()
    named = {name: round(value, 3) for name, value in zip(names, found, strict=True)}
    return Fit(
        Calibration(round(intercept, 3), named),
        len(cases),
        wrong_badged=_share_unsure(wrong),
        right_badged=_share_unsure(good),
    )


def _share_unsure(scores: Tensor) -> float:
    return float((scores < SURE_FROM).double().mean()) if len(scores) else 0.0


def _left_out_scores(rows: Tensor, right: Tensor, weights: Tensor) -> Tensor:
    """Each case's score by a model fitted without its tenth of the cases (N,)."""
    fold = torch.randperm(len(rows), generator=torch.Generator().manual_seed(0)) % FOLDS
    scores = torch.zeros_like(right)
    for number in range(FOLDS):
        kept = fold != number
        found = _logistic(rows[kept], right[kept], weights[kept])
        scores[~kept] = (rows[~kept] @ found).sigmoid()
    return scores


def _logistic(rows: Tensor, right: Tensor, weights: Tensor) -> Tensor:
    """Ridge logistic regression by Newton's method: rows (N, F) with ones first -> (F,)."""
    ridge = RIDGE * torch.eye(rows.size(1), dtype=rows.dtype)
    ridge[0, 0] = 0.0
    found = torch.zeros(rows.size(1), dtype=rows.dtype)
    for _ in range(NEWTON_STEPS):
        chance = (rows @ found).sigmoid()  # (N,)
        slope = rows.T @ (weights * (right - chance)) - ridge @ found
        curve = (rows.T * (weights * chance * (1 - chance))) @ rows + ridge
        found = found + torch.linalg.solve(curve, slope)
    return found
