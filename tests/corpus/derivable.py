"""Whether the grammar has a pattern for a sentence, looked at from one of its two sides.

Which words go together ("adjective(n)", "verb(n)") is left aside: the words of a category are
taken as they are. So what is not derivable is surely in no training sentence; what is, nearly.
"""

from __future__ import annotations

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
        present = set(self._words)
        found = []
        for rule in self._grammar.templates.rules:
            if not self._misses(rule, present) and len(self._words) in self._rule(rule, 0, ""):
                found.append(rule)
        return found

    def _misses(self, rule: Rule, present: set[str]) -> bool:
        only = "zh-en" if self._english else "en-zh"
        plain = (part.word for part in self._parts(rule) if not part.slot and not part.agree)
        return rule.only == only or not all(word in present for word in plain)

    def _parts(self, rule: Rule) -> tuple[Part, ...]:
        return rule.english if self._english else rule.chinese

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
        index = (name, at, form)
        if index not in self._known:
            entries = self._grammar.lexicon.category(name)
            if form in ("c", "head") or name == "noun":
                entries = self._grammar.lexicon.entries
            both = (word for entry in entries for word in (entry, *entry.synonyms))
            self._known[index] = frozenset(e for word in both for e in self._leaf(word, at, form))
        return self._known[index]

    def _leaf(self, entry: Entry, at: int, form: str) -> Ends:
        slot = self._words[at : at + 1] and self._words[at].startswith(f"<{entry.copy or '-'}")
        carried = frozenset([at + 1]) if slot and form != "c" else NOWHERE
        if self._english:
            forms = ("", "third") if form == "agree" else (form,)
            return carried | frozenset(e for f in forms for e in self._at(entry.words(f), at))
        if form == "c":
            return self._at((entry.classifier,), at)
        behind = (ASPECTS[form],) if form in ASPECTS else ()
        return carried | self._at((*entry.chinese, *behind), at)

    def _at(self, words: tuple[str, ...], at: int) -> Ends:
        end = at + len(words)
        return frozenset([end]) if self._words[at:end] == words else NOWHERE


def derivable(grammar: Grammar, words: tuple[str, ...], language: str) -> list[str]:
    """Names of the patterns that make these pieces; [] where none does."""
    return [rule.name for rule in Derivations(grammar, words, language).templates()]
