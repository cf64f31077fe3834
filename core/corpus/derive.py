"""Drawing one sentence: a template, its slots filled, down to the words."""

from __future__ import annotations

import random
from bisect import bisect
from dataclasses import dataclass, field, replace

from core.corpus.grammar import Grammar, Rule, RuleSet, Source
from core.corpus.lexicon import Entry

SYNONYM_RATE = 0.25  # of the words that have synonyms
COPY_RATE = 0.12  # of the words that a copy slot may stand for
SLOTS_PER_KIND = 4


class ClashError(Exception):
    """This draw cannot be completed (a word would be used twice); draw again."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A word in its place."""

    entry: Entry
    tag: int


@dataclass(frozen=True, eq=False)
class Node:
    """A rule with its slots filled."""

    rule: Rule
    children: dict[str, Leaf | Node]
    tag: int


Tree = Leaf | Node


def head(tree: Tree) -> Leaf | None:
    """The word that a phrase is about: of "the red apple" it is apple; None if all is fixed."""
    while isinstance(tree, Node):
        if not tree.rule.head:
            return None
        tree = tree.children[tree.rule.head]
    return tree


def agreement(tree: Tree) -> str:
    """Which verb form follows this subject: "first", "third" or "other"."""
    while isinstance(tree, Node):
        if tree.rule.agreement or not tree.rule.head:
            return tree.rule.agreement or "third"
        tree = tree.children[tree.rule.head]
    return tree.entry.agreement


@dataclass
class Draw:
    """The state of one sentence being drawn."""

    grammar: Grammar
    rng: random.Random
    only: set[str] = field(default_factory=set)
    _used: set[str] = field(default_factory=set)
    _copies: dict[str, list[int]] = field(default_factory=dict)
    _tag: int = 0

    def sentence(self) -> Node:
        return self._expand(self._choose(self.grammar.templates), None)

    def _choose(self, rules: RuleSet) -> Rule:
        if not rules.rules:
            raise ClashError
        return self.rng.choices(rules.rules, cum_weights=rules.weights)[0]

    def _expand(self, rule: Rule, topic: Entry | None) -> Node:
        if rule.only:
            self.only.add(rule.only)
        self._tag += 1
        tag = self._tag
        children: dict[str, Tree] = {}
        for name, source in rule.slots.items():
            children[name] = self._fill(source, children, topic, rule.copies)
        return Node(rule, children, tag)

    def _fill(
        self, source: Source, children: dict[str, Tree], topic: Entry | None, copies: bool
    ) -> Tree:
        name = source.names[0]
        if len(source.names) > 1:
            name = source.names[int(self.rng.random() * len(source.names))]
        if name == "*":
            if topic is None:
                raise ClashError
            return self._leaf(topic, copies)
        if name in self.grammar.phrases:
            about = self._topic(source.partner, children, topic)
            mass, container = (about.mass, bool(about.container)) if about else (False, False)
            return self._expand(self._choose(self.grammar.rules(name, mass, container)), about)
        if not source.partner:
            return self._leaf(self._pick(self.grammar.lexicon.category(name)), copies)
        partner = topic if source.partner == "*" else self._word(children[source.partner])
        if partner is None:
            raise ClashError
        return self._leaf(self._pick(self.grammar.lexicon.matching(name, partner)), copies)

    def _word(self, tree: Tree) -> Entry:
        leaf = head(tree)
        if leaf is None:
            raise ClashError
        return leaf.entry

    def _topic(self, partner: str, children: dict[str, Tree], topic: Entry | None) -> Entry | None:
        """The word a phrase is asked to be about: what the verb takes, or any of a category."""
        if not partner:
            return None
        if partner == "*":
            return topic
        if partner in children:
            verb = self._word(children[partner])
            return self._pick(self.grammar.lexicon.matching("noun", verb))
        return self._pick(self.grammar.lexicon.category(partner))

    def _pick(self, entries: tuple[Entry, ...]) -> Entry:
        """One of the entries; of two from one category the one listed first is likelier."""
        if not entries:
            raise ClashError
        reached = self.grammar.lexicon.cumulative(entries)
        return entries[bisect(reached, self.rng.random() * reached[-1], 0, len(entries) - 1)]

    def _leaf(self, entry: Entry, copies: bool) -> Leaf:
        """Places a word, or a synonym of it, or a slot in its stead."""
        if entry.key in self._used:
            raise ClashError
        if not entry.category.startswith("pronoun."):  # "I am tired because I worked"
            self._used.add(entry.key)
        self._tag += 1
        if copies and entry.copy and (entry.copy == "num" or self.rng.random() < COPY_RATE):
            entry = self._copied(entry)
        elif entry.synonyms and self.rng.random() < SYNONYM_RATE:
            self.only.add("en-zh")
            entry = entry.synonyms[int(self.rng.random() * len(entry.synonyms))]
        return Leaf(entry, self._tag)

    def _copied(self, entry: Entry) -> Entry:
        """The slot `<noun3>` in place of a noun: any free number, so that all are learned."""
        taken = self._copies.setdefault(entry.copy, [])
        free = [n for n in range(1, SLOTS_PER_KIND + 1) if n not in taken]
        if not free:
            raise ClashError
        taken.append(self.rng.choice(free))
        piece = (f"<{entry.copy}{taken[-1]}>",)
        return replace(
            entry, key=f"<{entry.copy}>", english={"": piece}, chinese=piece, classifier="个"
        )
