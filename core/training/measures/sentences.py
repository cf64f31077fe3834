"""The sentences that a translator is measured on, made by the grammar and never trained on."""

from __future__ import annotations

import copy
import random
from functools import cache

from core.corpus import Direction, Grammar, Pair, draw_pair, held_out_pairs
from core.corpus.grammar import Rule, RuleSet
from core.corpus.split import is_held_out
from core.text.vocabulary import SLOTS
from core.training.data import antecedents_in

MOST_DRAWS = 400_000  # a grammar without pronouns would be searched for ever


@cache
def unseen_pairs(grammar: Grammar, count: int) -> tuple[Pair, ...]:
    """The first `count` held-out pairs; a larger set begins with the smaller one."""
    return held_out_pairs(grammar, count).pairs


@cache
def coreference_readings(grammar: Grammar, count: int) -> tuple[tuple[Pair, Pair], ...]:
    """Held-out sentences in two versions, in which a pronoun stands for different nouns.

    The two differ in one English word alone, the one that decides. Sentences whose deciding
    word is a copy slot are left out: nothing in them says which noun is meant. Fewer than
    `count` come back where the grammar has no more.
    """
    narrow = _referring(grammar)
    if narrow is None:
        return ()
    rng = random.Random("coreference")
    waiting: dict[tuple[str, ...], list[Pair]] = {}
    found: dict[tuple[str, ...], tuple[Pair, Pair]] = {}
    for _ in range(MOST_DRAWS):
        pair = draw_pair(narrow, rng)
        if not _is_usable(pair):
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

    Fewer than `count` come back where the grammar has no more.
    """
    narrow = _referring(grammar)
    if narrow is None:
        return ()
    rng = random.Random(f"pronouns {direction}")
    found: dict[tuple[str, ...], Pair] = {}
    for _ in range(MOST_DRAWS):
        pair = draw_pair(narrow, rng)
        known = direction in pair.directions and is_held_out(pair)
        if known and antecedents_in(pair, direction):
            found[pair.sides(direction)[0]] = pair
        if len(found) == count:
            break
    return tuple(found.values())


def resolved_rows(pair: Pair) -> list[int]:
    """Chinese positions of the words that say what the pronoun stands for."""
    pronoun = pair.antecedents[0][0]
    return sorted({chinese for english, chinese in pair.alignment if english == pronoun})


def _is_usable(pair: Pair) -> bool:
    return bool(pair.antecedents) and "en-zh" in pair.directions and is_held_out(pair)


def _are_readings(one: Pair, other: Pair) -> bool:
    """Whether one word decides between two nouns, and both languages show which."""
    if one.antecedents == other.antecedents or len(one.english) != len(other.english):
        return False
    differing = [
        words for words in zip(one.english, other.english, strict=True) if words[0] != words[1]
    ]
    return (
        len(differing) == 1
        and not any(word in SLOTS for word in differing[0])
        and _noun(one) != _noun(other)
    )


def _noun(pair: Pair) -> list[str]:
    return [pair.chinese[row] for row in resolved_rows(pair)]


def _referring(grammar: Grammar) -> Grammar | None:
    """The grammar with only those templates that have a pronoun of known antecedent."""
    rules = [rule for rule in grammar.templates.rules if refers(rule)]
    if not rules:
        return None
    narrow = copy.copy(grammar)
    narrow.templates = RuleSet.of(rules)
    return narrow


def refers(rule: Rule) -> bool:
    """Whether a sentence pattern has a pronoun of known antecedent."""
    return any(part.refers for part in rule.english)
