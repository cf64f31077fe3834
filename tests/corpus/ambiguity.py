"""Which sentences the grammar translates in two ways: no model could know which is meant.

Two random sentences seldom agree, so ambiguity hides in a large grammar. `thinned` keeps few
words of each category and few alternatives of each phrase, but all templates: now sentences
repeat, and where one source has two targets, two templates (or two of their rules) clash.

    python -m tests.corpus.ambiguity        reports the clashes of 60,000 pairs by template
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from glassformer.core.corpus.draw import DIRECTIONS, Direction, Pair
from glassformer.core.corpus.grammar import Grammar, load_grammar
from glassformer.core.corpus.lexicon import Entry, Lexicon
from glassformer.core.corpus.split import draw_pair

PAIRS, GRAMMARS = 15_000, 4


@dataclass(frozen=True)
class Clash:
    """One source with a second target beside its usual one."""

    templates: tuple[str, str]  # of the usual and of the other translation
    source: str
    usual: str
    other: str
    count: int  # pairs drawn with the other translation


def thinned(grammar: Grammar, seed: int, words: int = 1, alternatives: int = 3) -> Grammar:
    """The grammar with so many words of each category and alternatives of each phrase."""
    rng = random.Random(seed)
    by_category: dict[str, list[Entry]] = defaultdict(list)
    for entry in grammar.lexicon.entries:
        by_category[entry.category].append(entry)
    kept = [e for es in by_category.values() for e in rng.sample(es, min(words, len(es)))]
    phrases = {
        name: rng.sample(rules.rules, min(alternatives, len(rules.rules)))
        for name, rules in grammar.phrases.items()
    }
    return Grammar(Lexicon(kept), phrases, list(grammar.templates.rules))


def clashes(pairs: Iterable[Pair], direction: Direction) -> list[Clash]:
    """Sources taught with more than one target in this direction, the most frequent first."""
    targets: dict[tuple[str, ...], Counter[tuple[str, ...]]] = defaultdict(Counter)
    template: dict[tuple[tuple[str, ...], tuple[str, ...]], str] = {}
    for pair in pairs:
        if direction in pair.directions:
            source, target = pair.sides(direction)
            targets[source][target] += 1
            template.setdefault((source, target), pair.template)
    found = [
        Clash(
            templates=(template[source, usual], template[source, other]),
            source=" ".join(source),
            usual=" ".join(usual),
            other=" ".join(other),
            count=count,
        )
        for source, counts in targets.items()
        for ((usual, _), *others) in [counts.most_common()]
        for other, count in others
    ]
    return sorted(found, key=lambda clash: -clash.count)


def report() -> str:
    """The share of ambiguous pairs in both directions, and an example of each pair of templates."""
    grammar, lines = load_grammar(), []
    for direction in DIRECTIONS:
        found: list[Clash] = []
        for seed in range(GRAMMARS):
            rng, small = random.Random(seed), thinned(grammar, seed)
            found += clashes((draw_pair(small, rng) for _ in range(PAIRS)), direction)
        lost = sum(clash.count for clash in found)
        lines.append(f"{direction}: {lost} of {PAIRS * GRAMMARS} pairs have another translation")
        by_templates: dict[tuple[str, str], list[Clash]] = defaultdict(list)
        for clash in found:
            by_templates[clash.templates].append(clash)
        for templates, group in by_templates.items():
            first, count = group[0], sum(clash.count for clash in group)
            lines.append(f"  {count:5} {' / '.join(templates)}")
            lines.append(f"        {first.source} | {first.usual} | {first.other}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(report() + "\n")
