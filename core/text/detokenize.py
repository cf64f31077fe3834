"""From pieces back to a sentence one can read: slots filled, capitals, a/an, spaces, marks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from glassformer.core.text.gazetteer import Filler
from glassformer.core.text.vocabulary import RESERVED, SLOTS, Vocabulary

ENDS = frozenset(".?!")
FULL_WIDTH = {".": "。", ",": "，", "?": "？", "!": "！"}
PLURAL_CUES = frozenset(
    "these those many some few two three four five six seven eight nine ten several all".split()
)
SINGULAR_CUES = frozenset("a the this that my your his her our their its 's every each one".split())
SILENT_H = ("hour", "honest", "honor", "honour", "heir")
LIKE_YOU = re.compile("uni(?!n|m)|us[eu]|eu|one(?![a-z])|once|ufo|u-|ewe|ubiq")  # and "one": w
LETTERS = frozenset("AEFHILMNORSX")  # said with a vowel first: an MRI
MOST_LETTERS = 3  # of what is spelled out
VOWELS = frozenset("aeiou")
PLURAL_OWNER = re.compile(r"(?<=[a-z][a-rtv-z]s) 's\b")  # parents's, but neither boss nor bus
EIGHT = re.compile("8|11(?![0-9])|18(?![0-9])|11,|18,")


@dataclass(frozen=True)
class Decoded:
    """What each piece is written as, and the sentence."""

    surfaces: tuple[str, ...]
    text: str


def detokenize_pieces(
    pieces: Sequence[str], fillers: Mapping[str, Filler], language: str, vocabulary: Vocabulary
) -> Decoded:
    """The surfaces of the pieces, one each, and the sentence that they make.

    Args:
        pieces: of the vocabulary, specials and copy slots among them.
        fillers: what each slot holds.
        language: "en" or "zh", that of the sentence.
        vocabulary: says which words are spelled with capitals.

    Returns:
        A surface for each piece, and the sentence, without specials.
    """
    surfaces = [_surface(i, pieces, fillers, language, vocabulary) for i in range(len(pieces))]
    spoken = [i for i, piece in enumerate(pieces) if piece not in RESERVED or piece in SLOTS]
    if language == "zh":
        return Decoded(tuple(surfaces), _chinese([surfaces[i] for i in spoken]))
    for i, following in pairwise(spoken):
        if pieces[i] == "a" and _vowel_sound(surfaces[following]):
            surfaces[i] = "an"
    for place, i in enumerate(spoken):
        begins = not place or pieces[spoken[place - 1]] in ENDS
        # A word of a slot keeps capitals of its own, and an address its small letters.
        if begins and (pieces[i] not in SLOTS or surfaces[i].replace(" ", "").isalpha()):
            surfaces[i] = _capital(surfaces[i])
    return Decoded(tuple(surfaces), _english([surfaces[i] for i in spoken]))


def _capital(word: str) -> str:
    """A word at the beginning of a sentence; "iPhone" stays."""
    own = any(map(str.isupper, word))
    return word if own else word[:1].upper() + word[1:]


def _surface(
    i: int,
    pieces: Sequence[str],
    fillers: Mapping[str, Filler],
    language: str,
    vocabulary: Vocabulary,
) -> str:
    piece = pieces[i]
    filler = fillers.get(piece)
    if filler is not None:
        plural = language == "en" and filler.plural and _is_plural(pieces[:i])
        return filler.plural if plural else filler.written(language)
    if language == "zh":
        if piece == "个":
            return _classifier(pieces[i + 1 : i + 4], fillers)
        return FULL_WIDTH.get(piece) or vocabulary.spelling.get(piece, piece)
    return vocabulary.spelling.get(piece, piece)


def _classifier(following: Sequence[str], fillers: Mapping[str, Filler]) -> str:
    """个 before a slot whose noun is counted otherwise: 一只企鹅."""
    for piece in following:
        if piece in fillers:
            return fillers[piece].classifier or "个"
        if piece in FULL_WIDTH:
            break
    return "个"


def _is_plural(before: Sequence[str]) -> bool:
    """Whether a slot is read as plural: after "these", "three", or bare after a verb."""
    for piece in reversed(before[-3:]):
        if piece in PLURAL_CUES or piece.startswith("<num"):
            return True
        if piece in SINGULAR_CUES or piece.startswith("<name"):
            return False
    return True


def _vowel_sound(word: str) -> bool:
    """Whether a word is said with a vowel first: "an hour", "an MRI", "an 8", but "a unit"."""
    if len(word) > 1 and word.isupper() and word.isalpha() and len(word) <= MOST_LETTERS:
        return word[0] in LETTERS
    lower = word.lower()
    if lower.startswith(SILENT_H) or EIGHT.match(lower):
        return True
    return lower[:1] in VOWELS and not LIKE_YOU.match(lower)


def _english(surfaces: Sequence[str]) -> str:
    text = PLURAL_OWNER.sub("'", " ".join(surfaces))
    return re.sub(r" (?=(?:[.,?!]|'s)(?: |$))|,(?= [.?!])", "", text)


def _chinese(surfaces: Sequence[str]) -> str:
    text = re.sub(r"， (?=[。？！])", "", " ".join(surfaces))
    return re.sub(r"(?<![A-Za-z0-9]) | (?![A-Za-z0-9])", "", text)
