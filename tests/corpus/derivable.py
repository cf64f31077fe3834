"""Whether the grammar has a pattern for a sentence, looked at from one of its two sides.

Which words go together ("adjective(n)", "verb(n)") is left aside: the words of a category are
taken as they are. So what is not derivable is surely in no training sentence; what is, nearly.
"""

from __future__ import annotations

from functools import cache

from glassformer.core.corpus import Grammar
from glassformer.core.corpus.draw import ASPECTS, AUXILIARIES
from glassformer.core.corpus.grammar import Part, Rule, Source
from glassformer.core.corpus.lexicon import Entry, third_person

Ends = frozenset[int]
NOWHERE: Ends = frozenset()


class Derivations:
    """The ends that patterns, phrases and words can reach in one sentence."""

    def __init__(self, grammar: Grammar, words: tuple[str, ...], language: str) -> None:
        self._grammar, self._words, self._english = grammar, words, language == "en"
        self._known: dict[tuple[object, ...], Ends] = {}

    def templates(self) -> list[Rule]:
        """The patterns that make exactly this sentence."""
        present, last = set(self._words), len(self._words)
        rules = rules_of(self._grammar, self._english)
        return [r for r, plain in rules if plain <= present and last in self._rule(r, 0, "")]

    def _parts(self, rule: Rule) -> tuple[Part, ...]:
        return parts_of(rule, self._english)

    def _rule(self, rule: Rule, start: int, asked: str) -> Ends:
        index = (id(rule), start, asked)
        if index not in self._known:
            self._known[index] = NOWHERE  # what leads back to itself leads nowhere
            ends = frozenset([start])
            for part in self._parts(rule):
                ends = frozenset(e for at in ends for e in self._part(rule, part, at, asked))
                if not ends:
                    break
            self._known[index] = ends
        return self._known[index]

    def _part(self, rule: Rule, part: Part, at: int, asked: str) -> Ends:
        if part.slot:
            form = part.form or (asked if part.slot == rule.head else "")
            form = "agree" if part.agree else form
            return self._source(rule.slots[part.slot], at, form)
        forms = {part.word}
        if part.agree:
            forms = set(AUXILIARIES.get(part.word, {"": part.word}).values())
            forms |= {third_person(part.word), part.word} if len(forms) == 1 else set()
        return frozenset(end for form in forms for end in self._at(tuple(form.split(" ")), at))

    def _source(self, source: Source, at: int, form: str) -> Ends:
        index = (source, at, form)
        if index not in self._known:
            self._known[index] = NOWHERE
            found: set[int] = set()
            for name in source.names:
                if name in self._grammar.phrases and form not in ("c", "head"):
                    only = "zh-en" if self._english else "en-zh"
                    for rule in self._grammar.phrases[name].rules:
                        found |= self._rule(rule, at, form) if rule.only != only else NOWHERE
                else:
                    found |= self._leaves("noun" if name == "*" else name, at, form)
            self._known[index] = frozenset(found)
        return self._known[index]

    def _leaves(self, name: str, at: int, form: str) -> Ends:
        first = self._words[at] if at < len(self._words) else ""
        said, slots = spellings_of(self._grammar, name, form, self._english)
        carried = any(first.startswith(slot) for slot in slots)
        ends = (
            e for words in (*said.get(first, ()), *said.get("", ())) for e in self._at(words, at)
        )
        return frozenset((*ends, *([at + 1] if carried else [])))

    def _at(self, words: tuple[str, ...], at: int) -> Ends:
        end = at + len(words)
        return frozenset([end]) if self._words[at:end] == words else NOWHERE


def parts_of(rule: Rule, english: bool) -> tuple[Part, ...]:
    return rule.english if english else rule.chinese


@cache
def rules_of(grammar: Grammar, english: bool) -> list[tuple[Rule, set[str]]]:
    """The patterns of a language, each with the words that it has as they are."""
    only = "zh-en" if english else "en-zh"
    return [
        (rule, {p.word for p in parts_of(rule, english) if not p.slot and not p.agree})
        for rule in grammar.templates.rules
        if rule.only != only
    ]


@cache
def spellings_of(
    grammar: Grammar, name: str, form: str, english: bool
) -> tuple[dict[str, set[tuple[str, ...]]], set[str]]:
    """The words of a category in a form, by the first of them, and its copy slots' beginnings."""
    lexicon = grammar.lexicon
    all_of_them = form in ("c", "head") or name == "noun"
    entries = lexicon.entries if all_of_them else lexicon.category(name)
    said: dict[str, set[tuple[str, ...]]] = {}
    both = [word for entry in entries for word in (entry, *entry.synonyms)]
    for words in {words for entry in both for words in _spelled(entry, form, english)}:
        said.setdefault(words[0] if words else "", set()).add(words)
    slots = {f"<{entry.copy or '-'}" for entry in both}
    return said, slots if form != "c" else set()


def _spelled(entry: Entry, form: str, english: bool) -> list[tuple[str, ...]]:
    if english:
        return [entry.words(each) for each in (("", "third") if form == "agree" else (form,))]
    if form == "c":
        return [(entry.classifier,)]
    return [(*entry.chinese, *((ASPECTS[form],) if form in ASPECTS else ()))]


def derivable(grammar: Grammar, words: tuple[str, ...], language: str) -> list[str]:
    """Names of the patterns that make these pieces; [] where none does."""
    return [rule.name for rule in Derivations(grammar, words, language).templates()]
