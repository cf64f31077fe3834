"""Held-out sentences as the model writes them: word for word, and by BLEU and chrF."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.corpus import DIRECTIONS, Direction, Pair
from core.text.tokenizer import Tokenizer
from core.text.vocabulary import SLOTS
from core.training.batched import translations
from core.training.measures.tally import Tally
from core.translator import Translator

TOKENIZERS = {"en": "13a", "zh": "zh"}  # how sacrebleu splits each language
MISTAKES_SHOWN = 40  # a direction


@dataclass(frozen=True)
class Score:
    """A corpus score, 0..100, and the signature by which others can repeat it."""

    value: float
    signature: str

    def to_dict(self) -> dict[str, Any]:
        return {"score": round(self.value, 2), "signature": self.signature}


@dataclass
class Written:
    """What came of the held-out pairs; scores by names such as `en-zh BLEU`."""

    exact: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    by_template: dict[str, dict[str, Tally]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Tally))
    )
    scores: dict[str, Score] = field(default_factory=dict)
    mistakes: list[dict[str, str]] = field(default_factory=list)


def written(translator: Translator, pairs: Sequence[Pair]) -> Written:
    """Translates the pairs in both directions; right is what has every word right."""
    found = Written()
    for direction in DIRECTIONS:
        taught = [pair for pair in pairs if direction in pair.directions]
        given = list(translations(translator, taught, direction))
        for pair, words in zip(taught, given, strict=True):
            right = words == pair.sides(direction)[1]
            found.exact[direction].add(right)
            found.by_template[pair.template][direction].add(right)
            if not right and found.exact[direction].mistakes <= MISTAKES_SHOWN:
                found.mistakes.append(_mistake(pair, words, direction))
        expected = [pair.sides(direction)[1] for pair in taught]
        found.scores |= scores(translator.tokenizer, given, expected, direction)
    return found


def _mistake(pair: Pair, words: tuple[str, ...], direction: Direction) -> dict[str, str]:
    source, target = pair.sides(direction)
    return {
        "template": pair.template,
        "source": " ".join(source),
        "expected": " ".join(target),
        "given": " ".join(words),
    }


def scores(
    tokenizer: Tokenizer,
    given: Sequence[Sequence[str]],
    expected: Sequence[Sequence[str]],
    direction: Direction,
) -> dict[str, Score]:
    """BLEU and chrF of sentences as one reads them; {} where sacrebleu is not installed."""
    if not given or importlib.util.find_spec("sacrebleu") is None:
        return {}
    from sacrebleu.metrics.bleu import BLEU  # what the app itself never needs
    from sacrebleu.metrics.chrf import CHRF

    language = direction.partition("-")[2]
    texts = [as_text(tokenizer, words, language) for words in given]
    references = [[as_text(tokenizer, words, language) for words in expected]]
    found = {}
    for name, metric in (("BLEU", BLEU(tokenize=TOKENIZERS[language])), ("chrF", CHRF())):
        value = metric.corpus_score(texts, references).score
        found[f"{direction} {name}"] = Score(value, str(metric.get_signature()))
    return found


def as_text(tokenizer: Tokenizer, words: Sequence[str], language: str) -> str:
    """Pieces as a sentence; copy slots as one plain word each (`<name1>` as name1)."""
    text = tokenizer.decode(words, {}, language).text
    for slot in SLOTS:
        text = text.replace(slot, slot.strip("<>"))
    return text
