"""Held-out sentences, made by the grammar and never trained on, and how the model writes them."""

import importlib.util
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from glassformer.core.corpus import DIRECTIONS, Direction, Grammar, Pair, draw_pair, held_out_pairs
from glassformer.core.corpus.grammar import Rule
from glassformer.core.corpus.split import is_held_out
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text.vocabulary import SLOTS
from glassformer.core.text_models.translator import Translator
from glassformer.core.training.data import antecedents_in
from glassformer.core.training.evaluation.passes import Tally, count_true, translate_greedily

MOST_DRAWS = 400_000  # a grammar without pronouns would be searched for ever
TOKENIZERS = {"en": "13a", "zh": "zh"}  # how sacrebleu splits each language
MISTAKES_SHOWN = 40  # a direction


def unseen_pairs(grammar: Grammar, count: int) -> tuple[Pair, ...]:
    """The first `count` held-out pairs; a larger set begins with the smaller one.

    Args:
        grammar: the sentences' grammar.
        count: how many.

    Returns:
        The pairs.
    """
    return held_out_pairs(grammar, count).pairs


@cache
def coreference_readings(grammar: Grammar, count: int) -> tuple[tuple[Pair, Pair], ...]:
    """Held-out sentences in two versions, in which a pronoun stands for different nouns.

    The two differ in one English word alone, the one that decides. Sentences whose deciding
    word is a copy slot are left out: nothing in them says which noun is meant.

    Args:
        grammar: the sentences' grammar.
        count: how many sentences are wanted.

    Returns:
        The two versions of each. Fewer than `count` come back where the grammar has no more.
    """
    waiting: dict[tuple[str, ...], list[Pair]] = {}
    found: dict[tuple[str, ...], tuple[Pair, Pair]] = {}
    for pair in _referring(grammar, "coreference"):
        if not (pair.antecedents and "en-zh" in pair.directions and is_held_out(pair.key)):
            continue
        stem = pair.english[: pair.antecedents[0][0] + 1]
        if stem in found:
            continue
        others = waiting.setdefault(stem, [])
        match = next((other for other in others if _are_readings(other, pair)), None)
        if match is None:
            others.append(pair)
            continue
        found[stem] = (match, pair)
        if len(found) == count:
            break
    return tuple(found.values())


@cache
def referring_pairs(grammar: Grammar, direction: Direction, count: int) -> tuple[Pair, ...]:
    """Held-out pairs whose source, in a direction, has a pronoun of known antecedent.

    Args:
        grammar: the sentences' grammar.
        direction: `en-zh` or `zh-en`.
        count: how many are wanted.

    Returns:
        Pairs with different sources. Fewer than `count` come back where the grammar has no more.
    """
    found: dict[tuple[str, ...], Pair] = {}
    for pair in _referring(grammar, f"pronouns {direction}"):
        known = direction in pair.directions and is_held_out(pair.key)
        if known and antecedents_in(pair, direction):
            found[pair.sides(direction)[0]] = pair
        if len(found) == count:
            break
    return tuple(found.values())


def resolved_rows(pair: Pair) -> list[int]:
    """Chinese positions of the words that say what the pronoun stands for.

    Args:
        pair: with at least one antecedent; its first pronoun counts.

    Returns:
        Positions counted from 0, in their order.

    Raises:
        IndexError: the pair has no antecedents.
    """
    pronoun = pair.antecedents[0][0]
    return sorted({chinese for english, chinese in pair.alignment if english == pronoun})


def _are_readings(one: Pair, other: Pair) -> bool:
    """Whether one word decides between two nouns, and both languages show which."""
    if one.antecedents == other.antecedents or len(one.english) != len(other.english):
        return False
    differing = [
        words for words in zip(one.english, other.english, strict=True) if words[0] != words[1]
    ]
    if len(differing) != 1 or any(word in SLOTS for word in differing[0]):
        return False
    said, meant = ([pair.chinese[row] for row in resolved_rows(pair)] for pair in (one, other))
    return said != meant


def _referring(grammar: Grammar, seed: str) -> Iterator[Pair]:
    """Pairs of the templates that have a pronoun of known antecedent, if there are any."""
    narrow, rng = grammar.narrowed(has_pronoun), random.Random(seed)
    for _ in range(MOST_DRAWS if narrow.templates.rules else 0):
        yield draw_pair(narrow, rng)


def has_pronoun(rule: Rule) -> bool:
    """Whether a sentence pattern has a pronoun of known antecedent.

    Args:
        rule: the pattern.

    Returns:
        True where a word of its English side refers to a slot.
    """
    return any(part.refers for part in rule.english)


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


def translate_pairs(translator: Translator, pairs: Sequence[Pair]) -> Written:
    """Translates the pairs in both directions; right is what has every word right.

    Args:
        translator: the model with its tokenizer.
        pairs: each is translated in the directions that it teaches.

    Returns:
        Tallies, corpus scores, and at most `MISTAKES_SHOWN` mistakes a direction.
    """
    found = Written()
    for direction in DIRECTIONS:
        taught = [pair for pair in pairs if direction in pair.directions]
        given = list(translate_greedily(translator, taught, direction))
        wrong: list[dict[str, str]] = []
        for pair, words in zip(taught, given, strict=True):
            source, target = pair.sides(direction)
            judged = count_true([words == target])
            found.exact[direction] += judged
            found.by_template[pair.template][direction] += judged
            if not judged.right:
                said = {"source": source, "expected": target, "given": words}
                sentences = {name: " ".join(pieces) for name, pieces in said.items()}
                wrong.append({"template": pair.template, **sentences})
        found.mistakes += wrong[:MISTAKES_SHOWN]
        expected = [pair.sides(direction)[1] for pair in taught]
        found.scores |= scores(translator.tokenizer, given, expected, direction)
    return found


def scores(
    tokenizer: Tokenizer,
    given: Sequence[Sequence[str]],
    expected: Sequence[Sequence[str]],
    direction: Direction,
) -> dict[str, Score]:
    """BLEU and chrF of sentences as one reads them.

    Args:
        tokenizer: makes sentences of the pieces.
        given: the pieces of what was written.
        expected: those of what is right, in the same order.
        direction: `en-zh` or `zh-en`.

    Returns:
        Scores by names such as `en-zh BLEU`; {} for no sentences, and where sacrebleu is not
        installed.
    """
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
    """Pieces as a sentence; copy slots as one plain word each (`<name1>` as name1).

    Args:
        tokenizer: puts pieces together.
        words: the pieces, without marks of beginning or end.
        language: `en` or `zh`.

    Returns:
        The sentence.
    """
    text = tokenizer.decode(words, {}, language).text
    for slot in SLOTS:
        text = text.replace(slot, slot.strip("<>"))
    return text
