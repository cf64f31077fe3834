"""Drawing one sentence: a template, its slots filled, down to the words of both sides."""

import random
from bisect import bisect
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Literal

from glassformer.core.corpus import lexicon
from glassformer.core.corpus.grammar import Grammar, Part, Rule, RuleSet, Source
from glassformer.core.corpus.lexicon import Entry

Direction = Literal["en-zh", "zh-en"]
DIRECTIONS: tuple[Direction, ...] = ("en-zh", "zh-en")
SYNONYM_RATE = 0.25  # of the words that have synonyms
COPY_RATE = 0.12  # of the words that a copy slot may stand for
SLOTS_PER_KIND = 4
# An auxiliary by the subject's agreement: I am, he is, they are.
AUXILIARIES = {
    "be": {"first": "am", "third": "is", "other": "are"},
    "was": {"first": "was", "third": "was", "other": "were"},
    "do": {"first": "do", "third": "does", "other": "do"},
    "have": {"first": "have", "third": "has", "other": "have"},
    "isn't": {"first": "am not", "third": "isn't", "other": "aren't"},
    "wasn't": {"first": "wasn't", "third": "wasn't", "other": "weren't"},
    "don't": {"first": "don't", "third": "doesn't", "other": "don't"},
    "haven't": {"first": "haven't", "third": "hasn't", "other": "haven't"},
}
ASPECTS = {"le": "了", "guo": "过", "zhe": "着"}  # what a Chinese verb form adds to the verb
Tag = tuple[int, str] | None  # words of the two sides with the same tag are aligned
Word = tuple[str, Tag, Tag]  # the word, its tag, and (of a pronoun) the tag of its noun


@dataclass(frozen=True)
class Pair:
    """Vocabulary pieces of both sides; positions count from 0.

    `alignment` holds (English position, Chinese position); words that only one language has
    (articles, classifiers, aspect) are in none. `antecedents` holds (position of the English
    pronoun, position of the noun it stands for). `directions` says which translations the
    pair teaches: a synonym is understood in English but never written, so such a pair is
    "en-zh" alone. `key` names the template and fillers by which pairs are held out.
    """

    english: tuple[str, ...]
    chinese: tuple[str, ...]
    alignment: tuple[tuple[int, int], ...]
    antecedents: tuple[tuple[int, int], ...]
    template: str
    key: str
    directions: tuple[Direction, ...]

    def sides(self, direction: Direction) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Source and target in the given direction.

        Args:
            direction: `en-zh` or `zh-en`.

        Returns:
            (source, target), in pieces.
        """
        if direction == "en-zh":
            return self.english, self.chinese
        return self.chinese, self.english


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
    children: "dict[str, Leaf | Node]"
    tag: int


Tree = Leaf | Node


def head_of_phrase(tree: Tree) -> Leaf | None:
    """The word that a phrase is about: of "the red apple" it is apple.

    Args:
        tree: a word, or a rule with its slots filled.

    Returns:
        The word; None if all is fixed.
    """
    while isinstance(tree, Node):
        if not tree.rule.head:
            return None
        tree = tree.children[tree.rule.head]
    return tree


def agreement(tree: Tree) -> str:
    """Which verb form follows this subject.

    Args:
        tree: the subject.

    Returns:
        "first", "third" or "other".
    """
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
        leaf = head_of_phrase(tree)
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


def pair_of(tree: Node, draw: Draw) -> Pair:
    """The finished pair of a drawn sentence.

    Args:
        tree: the template with its slots filled.
        draw: the draw that made it; it knows the one direction that the pair may teach.

    Returns:
        Both sides in pieces, with alignment, antecedents and key.
    """
    english, chinese = _english(tree, ""), _chinese(tree, "")
    by_tag: dict[Tag, list[int]] = defaultdict(list)
    for position, (_, tag, _) in enumerate(chinese):
        by_tag[tag].append(position)
    alignment = [
        (i, j) for i, (_, tag, _) in enumerate(english) if tag for j in by_tag.get(tag, ())
    ]
    last_of = {tag: position for position, (_, tag, _) in enumerate(english)}
    antecedents = [
        (i, last_of[noun]) for i, (_, _, noun) in enumerate(english) if noun in last_of and noun
    ]
    return Pair(
        english=tuple(word for word, _, _ in english),
        chinese=tuple(word for word, _, _ in chinese),
        alignment=tuple(alignment),
        antecedents=tuple(antecedents),
        template=tree.rule.name,
        key=key_of(tree),
        directions=tuple(d for d in DIRECTIONS if not draw.only or draw.only == {d}),
    )


def key_of(tree: Node) -> str:
    """What is held out together.

    Where one phrase alone varies, its head and what goes with the head are the combination:
    of "please wear a hat" wear and hat, not every sentence with wear.

    Args:
        tree: the template with its slots filled.

    Returns:
        The template's name and the words, parted by "|"; "" for a sentence with nothing to vary.
    """
    held = [tree.children[slot] for slot in tree.rule.hold]
    if len(held) == 1 and isinstance(held[0], Node):
        held = list(held[0].children.values())
    names = [_name(child) for child in held]
    return "|".join((tree.rule.name, *names)) if names else ""


def _name(tree: Tree) -> str:
    leaf = head_of_phrase(tree)
    return leaf.entry.key if leaf else " ".join(word for word, _, _ in _english(tree, ""))


def _english(tree: Tree, form: str) -> list[Word]:
    if isinstance(tree, Leaf):
        if form.startswith("container"):
            return [(word, (tree.tag, "c"), None) for word in tree.entry.words(form)]
        return _tagged(tree.entry.words(form), tree)
    written: list[Word] = []
    for part in tree.rule.english:
        if part.slot:
            words = _english(tree.children[part.slot], _form(part, tree, form))
            written.extend(_marked(words, part, tree))
        else:
            written.extend(_literal(part, tree))
    return written


def _chinese(tree: Tree, form: str) -> list[Word]:
    if form in ("head", "c"):
        tree = head_of_phrase(tree) or tree
    if isinstance(tree, Leaf):
        if form == "c":
            return [(tree.entry.classifier, (tree.tag, "c"), None)]
        words = _tagged(tree.entry.chinese, tree)
        return [*words, (ASPECTS[form], None, None)] if form in ASPECTS else words
    written: list[Word] = []
    for part in tree.rule.chinese:
        if part.slot:
            own = part.form or (form if part.slot == tree.rule.head else "")
            written.extend(_marked(_chinese(tree.children[part.slot], own), part, tree))
        else:
            written.extend(_literal(part, tree))
    return written


def _tagged(words: tuple[str, ...], leaf: Leaf) -> list[Word]:
    """As many words in both languages: the first goes with the first; else all go with all."""
    last = _last(leaf)
    return [(word, (leaf.tag, str(min(k, last))), None) for k, word in enumerate(words)]


def _last(leaf: Leaf) -> int:
    """Index of the last word that has a partner of its own; 0 where all go together."""
    count = len(leaf.entry.english[""])
    return count - 1 if count == len(leaf.entry.chinese) else 0


def _marked(words: list[Word], part: Part, tree: Node) -> list[Word]:
    """A slot with a mark is aligned by the mark, not as what fills it."""
    return [(word, (tree.tag, part.mark), None) for word, _, _ in words] if part.mark else words


def _form(part: Part, tree: Node, asked: str) -> str:
    if part.agree:
        return "third" if agreement(tree.children[part.agree]) == "third" else ""
    return part.form or (asked if part.slot == tree.rule.head else "")


def _literal(part: Part, tree: Node) -> list[Word]:
    text = part.word
    if part.agree:
        number = agreement(tree.children[part.agree])
        third = lexicon.third_person(text) if number == "third" else text
        text = AUXILIARIES[text][number] if text in AUXILIARIES else third
    tag: Tag = (tree.tag, part.mark) if part.mark else None
    noun: Tag = None
    if part.refers:
        leaf = head_of_phrase(tree.children[part.refers])
        noun = (leaf.tag, str(_last(leaf))) if leaf else None
    return [(word, tag, noun) for word in text.split(" ")]
