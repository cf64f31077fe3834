"""Regular English word forms; what is irregular is written out in the word lists."""

from __future__ import annotations

import re

VOWELS = "aeiou"


def plural(noun: str) -> str:
    """Cat → cats, city → cities, box → boxes; of several words the last changes."""
    return _add_s(noun)


def third_person(verb: str) -> str:
    """Like → likes, watch → watches, study → studies, go → goes, have → has."""
    if verb == "have":
        return "has"
    return verb + "es" if verb.endswith("o") else _add_s(verb)


def past(verb: str) -> str:
    """Like → liked, study → studied, chat → chatted, visit → visited."""
    if verb.endswith("e"):
        return verb + "d"
    if _consonant_y(verb):
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def present_participle(verb: str) -> str:
    """Like → liking, swim → swimming, see → seeing."""
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def comparison(adjective: str) -> tuple[str, str]:
    """(comparative, superlative): big → bigger, biggest; useful → more useful, most useful."""
    short = _syllables(adjective) == 1 or (_syllables(adjective) == 2 and adjective[-1] == "y")
    if not short:
        return f"more {adjective}", f"most {adjective}"
    if _consonant_y(adjective):
        return adjective[:-1] + "ier", adjective[:-1] + "iest"
    stem = adjective[:-1] if adjective.endswith("e") else _doubled(adjective)
    return stem + "er", stem + "est"


def _add_s(word: str) -> str:
    if _consonant_y(word):
        return word[:-1] + "ies"
    if re.search(r"(s|x|z|ch|sh)$", word):
        return word + "es"
    return word + "s"


def _consonant_y(word: str) -> bool:
    return len(word) > 1 and word[-1] == "y" and word[-2] not in VOWELS


def _syllables(word: str) -> int:
    stem = word[:-1] if word.endswith("e") else word
    return max(1, len(re.findall(r"[aeiouy]+", stem)))


def _doubled(word: str) -> str:
    """One short vowel before one final consonant doubles it: swim → swimm."""
    ends_short = re.search(r"(^|[^aeiou])[aeiou][^aeiouwxy]$", word)
    return word + word[-1] if ends_short and _syllables(word) == 1 else word
