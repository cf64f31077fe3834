"""Another form of a word that the vocabulary has: "jumping" where only "jump" is known.

Tense or number may be lost; the rest of the sentence is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

BRITISH = {
    "grey": "gray",
    "cheque": "check",
    "tyre": "tire",
    "aeroplane": "plane",
    "airplane": "plane",
    "programme": "program",
    "practise": "practice",
    "practised": "practiced",
    "practising": "practicing",
    "licence": "license",
    "defence": "defense",
    "pyjamas": "pajamas",
    "mum": "mom",
    "learnt": "learned",
    "dreamt": "dreamed",
    "spelt": "spelled",
    "burnt": "burned",
}
SHORTEST = 3  # letters of a stem
# What looks like another form of a word, but means something else.
OTHERS = frozenset(
    "news goods pants shorts glasses woods evening forest ceiling wedding during king united "
    "species series bus gas yes this always sometimes perhaps customs arms thanks indeed "
    "hundred".split()
)


def stem(word: str, known: Callable[[str], bool]) -> str:
    """The known form of a lower-case English word; "" where there is none."""
    if word in OTHERS:
        return ""
    return next((form for form in _forms(word) if len(form) >= SHORTEST and known(form)), "")


def _forms(word: str) -> Iterator[str]:
    """Forms of which the word may be another one, the likeliest first."""
    yield from _spellings(word)
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith(("iest", "ier")):
        yield f"{word.rpartition('i')[0]}y"
    elif word.endswith("est"):
        yield from (word[:-3], word[:-2])
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base == word or len(base) < SHORTEST:
            continue
        yield from (f"{base}{other}" for other in ("ing", "ed") if other != ending)
        yield from (base, f"{base}e")
        if base[-1] == base[-2]:
            yield base[:-1]
        if ending == "ed" and base.endswith("i"):
            yield f"{base[:-1]}y"
    yield f"{word}s"


def _spellings(word: str) -> Iterator[str]:
    """British and American: "favorite" and "favourite", "organize" and "organise"."""
    for one, other in (("or", "our"), ("our", "or"), ("iz", "is"), ("is", "iz"), ("er", "re")):
        if one in word[2:]:
            yield word[:2] + word[2:].replace(one, other, 1)
    for ending in ("ed", "ing", "er"):
        if word.endswith(f"ll{ending}"):  # travelled
            yield word.removesuffix(ending)[:-1] + ending
    for ending in ("re", "res"):
        if word.endswith(ending):  # theatre, litres
            yield f"{word.removesuffix(ending)}er{ending[2:]}"
    if word in BRITISH:
        yield BRITISH[word]
