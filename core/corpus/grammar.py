"""The sentence patterns: what `data/phrases.toml` and `data/templates/*.toml` say.

A rule has an English and a Chinese side and names the slots that both share:

    { en = "{s} {vp.past} {t}", zh = "{s} {t} {vp.le}",
      s = "person", vp = "action", t = "time.past" }

In a side, `{slot}` is what fills the slot, `{slot.form}` a form of it ("plural", "past",
"object"; in Chinese "le" adds 了 and "c" is the noun's classifier), `{verb:slot}` the present
tense agreeing with a slot, and `{be:slot}`, `{don't:slot}`, … an auxiliary that agrees.
`word~mark` aligns words of the two sides that carry the same mark; `it@slot` says what a
pronoun stands for.

A slot is filled from a word category ("noun.animal", "noun" for all), a phrase (another rule),
alternatives of these ("name.person | person"), or one that must go with another slot:
"adjective(n)" fits the noun n, "object(v)" is a phrase about something the verb v takes. In a
phrase that was asked for with such an argument, "*" is the word chosen for it.

An entry with places, `[A]` or `[clause]`, stands for many rules: `core/corpus/clauses.py`.
"""

import copy
import re
import threading
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from glassformer.core.corpus.clauses import SETTINGS, Clauses
from glassformer.core.corpus.lexicon import DATA, Lexicon, load_lexicon
from glassformer.core.errors import GlassformerError

_reading = threading.Lock()
PLACEHOLDER = re.compile(r"\{(?P<name>[\w']+)(?:\.(?P<form>\w+))?(?::(?P<agree>\w+))?\}")


@dataclass(frozen=True)
class Part:
    """One item of a rule's side: a literal word, or a slot's place."""

    word: str = ""
    mark: str = ""
    refers: str = ""  # the slot that this pronoun stands for
    slot: str = ""
    form: str = ""
    agree: str = ""  # the slot whose number this verb follows


@dataclass(frozen=True)
class Source:
    """Where a slot's filler comes from: categories or phrases, and what they must go with."""

    names: tuple[str, ...]
    partner: str = ""  # a slot, or "*"


@dataclass(frozen=True, eq=False)
class Rule:
    """One pattern with both sides."""

    name: str
    english: tuple[Part, ...]
    chinese: tuple[Part, ...]
    slots: dict[str, Source]
    head: str
    weight: float = 1.0
    agreement: str = ""
    needs: str = ""  # "count", "mass", "container": the topics this rule can speak of
    only: str = ""  # "en-zh" or "zh-en": the one direction that this rule teaches
    hold: tuple[str, ...] = ()  # the slots whose combination is held out
    copies: bool = True  # False: its words must be known ones, since a slot has no plural


@dataclass(frozen=True, eq=False)
class RuleSet:
    """Alternatives of one phrase, or all templates, with their cumulative weights."""

    rules: tuple[Rule, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, rules: list[Rule]) -> "RuleSet":
        """The rules with their cumulative weights.

        Args:
            rules: alternatives; there may be none.

        Returns:
            The set, in the order given.
        """
        return cls(tuple(rules), tuple(accumulate(rule.weight for rule in rules)))


class Grammar:
    """Word lists, phrases and templates."""

    def __init__(self, lexicon: Lexicon, phrases: dict[str, list[Rule]], templates: list[Rule]):
        self.lexicon = lexicon
        self.phrases = {name: RuleSet.of(rules) for name, rules in phrases.items()}
        self.templates = RuleSet.of(templates)
        self._usable: dict[tuple[str, bool, bool], RuleSet] = {}

    def narrowed(self, keep: Callable[[Rule], bool]) -> "Grammar":
        """The same grammar with some of the templates.

        Args:
            keep: which templates stay.

        Returns:
            A grammar that shares words and phrases with this one.
        """
        narrow = copy.copy(self)
        narrow.templates = RuleSet.of([rule for rule in self.templates.rules if keep(rule)])
        return narrow

    def rules(self, phrase: str, mass: bool, container: bool) -> RuleSet:
        """The alternatives of a phrase that can speak of such a topic.

        Args:
            phrase: its name.
            mass: whether the topic is a mass noun (tea), not one that is counted.
            container: whether it comes in a container (a cup of tea).

        Returns:
            The rules that need no more than the topic has; there may be none.

        Raises:
            KeyError: there is no such phrase.
        """
        index = (phrase, mass, container)
        if index not in self._usable:
            allowed = {"", "mass" if mass else "count"} | ({"container"} if container else set())
            fit = [rule for rule in self.phrases[phrase].rules if rule.needs in allowed]
            self._usable[index] = RuleSet.of(fit)
        return self._usable[index]


def load_grammar(folder: Path = DATA) -> Grammar:
    """Reads and checks the grammar.

    It is read once: threads that ask meanwhile wait for the first one.

    Args:
        folder: with the word lists, phrases.toml and templates/.

    Returns:
        The grammar, the same object for the same folder.

    Raises:
        GlassformerError: `grammar`, for mistakes in it.
        ValueError: a file is no TOML.
    """
    with _reading:
        return _read(folder)


@cache
def _read(folder: Path) -> Grammar:
    lexicon = load_lexicon(folder)
    clauses = Clauses.load(folder)
    phrases = _rules(folder / "phrases.toml", clauses)
    templates: list[Rule] = []
    for file in sorted((folder / "templates").glob("*.toml")):
        for rules in _rules(file, clauses).values():
            templates.extend(rules)
    templates.sort(key=repr)  # what is drawn does not depend on where a pattern stands
    grammar = Grammar(lexicon, phrases, templates)
    for rule in (*templates, *(rule for rules in phrases.values() for rule in rules)):
        _check(rule, grammar)
    return grammar


def _rules(file: Path, clauses: Clauses) -> dict[str, list[Rule]]:
    found = tomllib.loads(file.read_text("utf-8"))
    return {
        name: [_rule(name, plain) for entry in entries for plain in clauses.expand(name, entry)]
        for name, entries in found.items()
    }


def _rule(name: str, table: dict[str, Any]) -> Rule:
    slots = {key: _source(str(text)) for key, text in table.items() if key not in SETTINGS}
    return Rule(
        name=name,
        english=_side(table["en"], slots),
        chinese=_side(table["zh"], slots),
        slots=slots,
        head=table.get("head", next(iter(slots), "")),
        weight=float(table.get("weight", 1)),
        agreement=table.get("agreement", ""),
        needs=table.get("needs", ""),
        only=table.get("only", ""),
        hold=tuple(table.get("hold", list(slots)[:2])),
        copies=table.get("copies", True),
    )


@cache  # as of parts: the same few thousand stand in all the patterns
def _source(text: str) -> Source:
    match = re.fullmatch(r"([^()]+)(?:\(([\w.*]+)\))?", text.strip())
    if match is None:
        return Source((text,))
    names = tuple(name.strip() for name in match[1].split("|"))
    return Source(names, match[2] or "")


def _side(text: str, slots: dict[str, Source]) -> tuple[Part, ...]:
    readings = map(_readings, text.split())
    return tuple(of_slot if name in slots else of_word for name, of_slot, of_word in readings)


@cache
def _readings(item: str) -> tuple[str, Part, Part]:
    """The name in an item, the part that it is if this names a slot, and what it is if not."""
    body, _, mark = item.partition("~")
    match = PLACEHOLDER.fullmatch(body)
    if match is None:
        word, _, refers = body.partition("@")
        part = Part(word=word, mark=mark, refers=refers)
        return "", part, part
    name, form, agree = match["name"], match["form"] or "", match["agree"] or ""
    of_slot = Part(slot=name, form=form, agree=agree, mark=mark)
    return name, of_slot, Part(word=name, agree=agree, mark=mark)


def _check(rule: Rule, grammar: Grammar) -> None:
    """Every slot is used and can be filled, and every reference names a slot."""
    for name, source in rule.slots.items():
        for choice in source.names:
            known = choice == "*" or choice in grammar.phrases or grammar.lexicon.category(choice)
            if not known:
                _refuse(rule, f"slot {name} names {choice}, which is no phrase and no category")
        partner = source.partner
        known = partner in ("", "*") or partner in rule.slots or grammar.lexicon.category(partner)
        if not known:
            _refuse(rule, f"slot {name} depends on {source.partner}, which is not there")
    for part in (*rule.english, *rule.chinese):
        for reference in (part.refers, part.agree):
            if reference and reference not in rule.slots:
                _refuse(rule, f"{reference} is not a slot")
        if "{" in part.word:
            _refuse(rule, f"{part.word} is no placeholder")


def _refuse(rule: Rule, problem: str) -> None:
    raise GlassformerError("grammar", file=rule.name, problem=problem)
