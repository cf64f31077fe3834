"""Sentences that people type: which outputs are right, and whether the badge "unsure" knows.

An output is *accepted* if it is one of a sentence's listed translations (marks, letter case and
spaces do not count). Another one is right only if somebody has judged it `acceptable`, in
`assets/sentences/judgements.json` (of the sealed set in
`judgements_sealed.json`): a reader of both languages finds nothing missing, added or
changed, and the sentence could be said so. The list says of each output why. Without a verdict it
counts as wrong, and is listed as not judged.

    {"text": …, "direction": "en-zh", "output": …, "verdict": "acceptable" or "wrong", "why": …}
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from glassformer.core.analysis.confidence import confidence
from glassformer.core.corpus import Pair
from glassformer.core.errors import GlassformerError
from glassformer.core.text.normalize import normalize, simplify
from glassformer.core.text.vocabulary import SLOTS
from glassformer.core.text_models.model import Direction
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.evaluation.held_out import as_text
from glassformer.core.training.evaluation.passes import Tally, count_true

SENTENCES = Path(__file__).resolve().parents[3] / "assets" / "sentences"
SETS = {
    "everyday": "everyday.json",  # in the repository since the first grammar
    "open": "free_typed_open.json",  # the grammar was widened with these in mind
    "sealed": "free_typed_sealed.json",  # frozen before any result was seen, never tuned on
    "teachers": "teachers_open.json",  # what teaching on Transformers uses; widened with it in mind
    "teachers_sealed": "teachers_sealed.json",  # the other half: frozen, never tuned on
    "daily": "daily_open.json",  # short everyday sentences; widened with them in mind
    "daily_sealed": "daily_sealed.json",  # others of that kind: frozen, never tuned on
}
SEALED = ("sealed", "teachers_sealed", "daily_sealed")
OPEN_JUDGEMENTS = "judgements.json"
JUDGEMENTS = (OPEN_JUDGEMENTS, "judgements_sealed.json")  # apart: one can be left unread
Verdict = Literal["accepted", "acceptable", "wrong", "not judged"]
RIGHT: tuple[Verdict, ...] = ("accepted", "acceptable")
Judgements = Mapping[tuple[str, str, str], tuple[Verdict, str]]
BINS = 10


@dataclass(frozen=True)
class Sentence:
    """What is typed, and all that is right."""

    id: str
    text: str
    direction: Direction
    accepted: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What the model wrote, how sure it was, and whether that is right."""

    sentence: Sentence
    output: str  # "" where the text was refused
    verdict: Verdict
    why: str
    sure: bool
    score: float  # 0..1, the higher the surer

    @property
    def right(self) -> bool:
        return self.verdict in RIGHT


def read_sentences(name: str, folder: Path = SENTENCES) -> tuple[Sentence, ...]:
    """The sentences of a set.

    Args:
        name: a key of `SETS`.
        folder: that holds the set's file.

    Returns:
        The sentences; () where the file is not there.

    Raises:
        KeyError: there is no such set.
    """
    path = folder / SETS[name]
    if not path.is_file():
        return ()
    rows = json.loads(path.read_text(encoding="utf-8"))
    named = ((row.get("id", f"{name} {i}"), row) for i, row in enumerate(rows, 1))
    return tuple(Sentence(i, r["text"], r["direction"], tuple(r["accepted"])) for i, r in named)


def read_judgements(folder: Path = SENTENCES, files: Sequence[str] = JUDGEMENTS) -> Judgements:
    """Verdicts by (text, direction, output as compared); a verdict must be one of two words.

    Args:
        folder: that holds the files.
        files: their names; one that is not there has no verdicts.

    Returns:
        Verdict and reason by what was judged.

    Raises:
        ValueError: a verdict is neither `acceptable` nor `wrong`.
    """
    found: dict[tuple[str, str, str], tuple[Verdict, str]] = {}
    for path in (folder / name for name in files):
        rows = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
        for row in rows:
            if row["verdict"] not in ("acceptable", "wrong"):
                raise ValueError(f"{path.name}: {row['verdict']!r} is no verdict: {row['text']}")
            key = (row["text"], row["direction"], comparable_text(row["output"]))
            found[key] = (row["verdict"], row["why"])
    return found


@lru_cache(maxsize=4096)
def comparable_text(text: str) -> str:
    """A text as it is compared: simplified characters, no marks, no case, single spaces.

    Args:
        text: in either language.

    Returns:
        The text; no spaces beside Chinese.
    """
    plain = simplify(normalize(text)).casefold().replace("'", "")
    words = re.sub(r"[\W_]+", " ", plain).strip()
    return re.sub(r"(?<![a-z0-9]) | (?![a-z0-9])", "", words)  # Chinese is written without spaces


def judge_translations(
    translator: Translator, sentences: Sequence[Sentence], judgements: Judgements
) -> list[Answer]:
    """Translates each sentence as the app does, and looks its verdict up.

    Args:
        translator: the model with its tokenizer.
        sentences: what is typed.
        judgements: as `read_judgements` gives them.

    Returns:
        An answer for each sentence; one that is refused is wrong.
    """
    return [_answer(translator, sentence, judgements) for sentence in sentences]


def _answer(translator: Translator, sentence: Sentence, judgements: Judgements) -> Answer:
    try:
        trace = translator.trace(sentence.text, direction=sentence.direction)
    except GlassformerError as refused:
        return Answer(sentence, "", "wrong", f"refused: {refused}", sure=False, score=0.0)
    output = trace.full_text
    verdict, why = verdict_on(sentence, output, judgements)
    badge = confidence(trace)
    return Answer(sentence, output, verdict, why, badge.level == "sure", badge.score)


def verdict_on(sentence: Sentence, output: str, judgements: Judgements) -> tuple[Verdict, str]:
    """The verdict on what was written for a sentence, and why.

    Args:
        sentence: what is typed.
        output: what was written.
        judgements: as `read_judgements` gives them.

    Returns:
        Verdict and reason; the reason is "" for `accepted` and `not judged`.
    """
    if comparable_text(output) in map(comparable_text, sentence.accepted):
        return "accepted", ""
    key = (sentence.text, sentence.direction, comparable_text(output))
    return judgements.get(key, ("not judged", ""))


def by_direction(found: Sequence[Answer]) -> dict[str, Tally]:
    """So many right, by direction.

    Args:
        found: the answers.

    Returns:
        Tallies of the directions that occur.
    """
    directions = dict.fromkeys(answer.sentence.direction for answer in found)
    return {d: count_true(a.right for a in found if a.sentence.direction == d) for d in directions}


def answer_rows(found: Sequence[Answer]) -> list[dict[str, Any]]:
    """What came of each answer, without its words, for metrics.json.

    Args:
        found: the answers.

    Returns:
        Id, verdict, whether the badge was sure, and the score, 0..1.
    """
    return [
        {"id": each.sentence.id, "verdict": each.verdict, "sure": each.sure,
         "score": round(each.score, 4)}
        for each in found
    ]  # fmt: skip


def to_judge(found: Sequence[Answer]) -> list[dict[str, str]]:
    """What nobody has judged, as rows of judgements.json with the verdict left to be filled in.

    Args:
        found: the answers.

    Returns:
        A row for each that is not judged.
    """
    return [
        {"text": answer.sentence.text, "direction": answer.sentence.direction,
         "output": answer.output, "verdict": "", "why": ""}
        for answer in found
        if answer.verdict == "not judged"
    ]  # fmt: skip


@dataclass(frozen=True)
class Bin:
    """The translations with a score from `low` up to `low` + 1 / BINS."""

    low: float
    right: Tally
    score: float  # mean

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


def calibrate_badge(found: Sequence[Answer]) -> Calibration | None:
    """Compares badge and score with what is right.

    Args:
        found: the answers.

    Returns:
        How far both can be trusted; None for no translations.
    """
    if not found:
        return None
    bins = tuple(filter(None, (_bin(found, number) for number in range(BINS))))
    gaps = (each.right.total * abs(each.right.rate - each.score) for each in bins)
    return Calibration(
        wrong_badged=count_true(not each.sure for each in found if not each.right),
        badged_wrong=count_true(not each.right for each in found if not each.sure),
        right_badged=count_true(not each.sure for each in found if each.right),
        bins=bins,
        error=sum(gaps) / len(found),
    )


def _bin(found: Sequence[Answer], number: int) -> Bin | None:
    inside = [each for each in found if min(int(each.score * BINS), BINS - 1) == number]
    if not inside:
        return None
    mean = sum(each.score for each in inside) / len(inside)
    return Bin(number / BINS, count_true(each.right for each in inside), mean)


def as_typed(translator: Translator, pairs: Sequence[Pair]) -> list[Sentence]:
    """Held-out pairs as somebody would type them; those with copy slots are left out.

    Args:
        translator: the model with its tokenizer.
        pairs: of the grammar.

    Returns:
        A sentence for each direction that a pair teaches.
    """
    found = []
    for index, pair in enumerate(pairs):
        if any(word in SLOTS for word in pair.english):
            continue
        for direction in pair.directions:
            source, target = map(
                partial(as_text, translator.tokenizer), pair.sides(direction), direction.split("-")
            )
            found.append(Sentence(f"held out {index}", source, direction, (target,)))
    return found
