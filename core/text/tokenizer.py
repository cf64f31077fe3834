"""The tokenizer: a typed text to sentences, pieces and slots, and pieces to a sentence."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, Self

from glassformer.core.errors import GlassformerError
from glassformer.core.text.chinese import split_chinese
from glassformer.core.text.detokenize import Decoded, detokenize_pieces
from glassformer.core.text.english import ABBREVIATED, ADDRESS, split_english
from glassformer.core.text.gazetteer import Filler, load_gazetteer
from glassformer.core.text.normalize import HAN, has_word, is_han, normalize, word_list
from glassformer.core.text.slots import Slots
from glassformer.core.text.tokens import Token
from glassformer.core.text.vocabulary import END, TAGS, Vocabulary

LETTERS = re.compile(r"[^\W\d_]+")
# English that looks like small words of another language: "it's", "a.m.", "100 m".
ENGLISH_ONLY = re.compile(
    r"(?<=\w)'(?:s|m|re|ve|ll|d|t)\b|\b[ap]\.m\.|(?<=\d) ?[a-z]{1,2}\b", re.IGNORECASE
)
# The commonest words of other languages, by the language's own name.
LANGUAGES = {name: {*words.split()} for name, words in word_list("english")["foreign"].items()}
ENOUGH = 0.4  # of all words
# After a mark: a space and anything, or, without a space, a Chinese character.
SENTENCE_END = re.compile(
    rf"[.?!]+[\"')\]»]*(?=\s|[{HAN}])|[。？！]+[”’\"'）」』]*|\n+|\.{{3,}}|…+(?=\s)"
)
Language = Literal["en", "zh"]
LIMIT = 64  # pieces of a sentence that is learned from, with <eos>
# Small words that tell what language holds a mixed sentence together, and what they weigh.
CHINESE_FRAME = frozenset("我你您他她它们們的了是在不吗嗎有这這那和也很说說")
ENGLISH_FRAME = frozenset("i you he she it we they the a an is are my your to in what do".split())
FRAME = 3
LONGEST_TEXT = 4_000  # characters looked at; longer text is refused unread
MOST_SENTENCES = 10  # of a text
MOST_PIECES = 4 * LIMIT  # of several sentences together


def foreign_language(text: str, known: Callable[[str], bool]) -> str:
    """The language that a text in Latin letters is written in, where that is not English.

    Most of a text that has English words is not foreign.

    Args:
        text: normalised.
        known: says which words are English.

    Returns:
        Its own name of the language; "" for English and for what none fits.
    """
    words = [word.lower() for word in LETTERS.findall(ENGLISH_ONLY.sub("", text))]
    if not words:
        return ""
    unknown = [word for word in words if not known(word)]
    hits = {name: sum(map(small.__contains__, unknown)) for name, small in LANGUAGES.items()}
    best = max(hits, key=lambda name: hits[name])
    english = len(words) - len(unknown)
    enough = hits[best] >= max(ENOUGH * len(words), english)
    return best if enough and (hits[best] > 1 or len(words) == 1) else ""


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text as they were typed, each with its marks.

    "Mr. Smith", "3.5" and "U.S. " do not end one. Marks and pictures alone are no sentence: they
    stay with the sentence before.

    Args:
        text: as typed.

    Returns:
        At least one; of an empty text it is "".
    """
    found: list[str] = []
    start = 0
    for match in SENTENCE_END.finditer(text):
        end = match.end()
        if _is_abbreviation(text[start:end]) or not has_word(text[end:]):
            continue
        if has_word(text[start:end]):
            found.append(text[start:end].strip())
            start = end
    return (*found, text[start:].strip())


def _is_abbreviation(text: str) -> bool:
    """Whether the full stop at the end belongs to the last word: "Mr.", "J.", "U.S."."""
    last = text.split()[-1] if text.split() else ""
    initials = re.fullmatch(r"(?:[A-Za-z]\.)+", last) and last != "I."
    return bool(ABBREVIATED.fullmatch(last) or initials)


@dataclass(frozen=True)
class Encoded:
    """A sentence as the encoder gets it.

    All of the same length: `pieces` of the vocabulary (the last is `<eos>`), their `ids`, and
    `surfaces`, what was typed for each. `fillers` says what each slot among the pieces stands
    for; `unknown` are the positions that a slot (or `<unk>`) carries.
    """

    pieces: tuple[str, ...]
    ids: tuple[int, ...]
    surfaces: tuple[str, ...]
    fillers: dict[str, Filler]
    unknown: tuple[int, ...]


class Tokenizer:
    """Turns text into pieces of a vocabulary and back, in English and Chinese.

    limit: pieces of a sentence, with its end, at most; a model reads as many as it has positions.
    """

    def __init__(self, vocabulary: Vocabulary, limit: int = LIMIT) -> None:
        self.vocabulary = vocabulary
        self.limit = limit
        self._gazetteer = load_gazetteer()

    def reading(self, limit: int) -> Self:
        """The same with another limit.

        Args:
            limit: pieces of a sentence, with its end, at most.

        Returns:
            A tokenizer that shares the vocabulary.
        """
        other = copy(self)
        other.limit = limit
        return other

    def encode(self, text: str, language: str) -> Encoded:
        """Splits a sentence; words outside the vocabulary travel in copy slots.

        Args:
            text: one sentence, as typed.
            language: "en" or "zh".

        Returns:
            Pieces, ids, surfaces and what the slots hold; `<eos>` is the last piece.

        Raises:
            GlassformerError: `empty_text`, `no_words` (punctuation alone), `too_long` (more than
                `limit` pieces), `unknown_language` (not "en" or "zh"), `unknown_script`,
                `other_language` (French, …).
        """
        check_language(language)
        clean = _readable(text, self.limit)
        if language == "en" and (other := foreign_language(clean, self.vocabulary.has_word)):
            raise GlassformerError("other_language", text=_shortened(clean), language=other)
        tokens = self._split(clean, language)
        if not any(has_word(token.surface) for token in tokens):
            raise GlassformerError("no_words", text=_shortened(clean))
        check_length(tokens, self.limit)
        slots = Slots(self.vocabulary, self._gazetteer, language)
        return self.encoded(slots.place(tokens), slots.fillers)

    def encoded(self, placed: Sequence[tuple[str, str]], fillers: dict[str, Filler]) -> Encoded:
        """Placed pieces, and the end, as the encoder gets them.

        Args:
            placed: (piece, surface) of each, in order.
            fillers: what each slot among the pieces stands for.

        Returns:
            The sentence with its ids; one position more than was placed, for `<eos>`.
        """
        pieces = (*(piece for piece, _ in placed), END)
        return Encoded(
            pieces=pieces,
            ids=tuple(map(self.vocabulary.id, pieces)),
            surfaces=(*(surface for _, surface in placed), END),
            fillers=fillers,
            unknown=tuple(i for i, (p, _) in enumerate(placed) if not self.vocabulary.has_word(p)),
        )

    def decode(
        self, pieces: Sequence[str], fillers: Mapping[str, Filler], language: str
    ) -> Decoded:
        """Writes pieces as a sentence: slots filled, capitals, "an", full-width marks.

        Args:
            pieces: of the vocabulary.
            fillers: what each slot stands for.
            language: "en" or "zh", that of the sentence.

        Returns:
            The sentence, and `surfaces`, one entry a piece; specials and slots without a filler
            stay as they are there.
        """
        return detokenize_pieces(pieces, fillers, language, self.vocabulary)

    def sentences(self, text: str) -> tuple[str, ...]:
        """The sentences of a text, as typed; the model translates one at a time.

        Args:
            text: as typed.

        Returns:
            At least one, as `split_sentences` finds them.

        Raises:
            GlassformerError: `too_long` for a text that is refused unread, `too_many_sentences`.
        """
        if len(text) > LONGEST_TEXT:
            _refuse_length(_rough_length(text), self.limit)
        found = split_sentences(text)
        if len(found) > MOST_SENTENCES:
            raise GlassformerError("too_many_sentences", given=len(found), limit=MOST_SENTENCES)
        return found

    def encode_all(self, text: str, language: str) -> tuple[Encoded, ...]:
        """The sentences of a text, each encoded; all are looked at before any is translated.

        Args:
            text: as typed.
            language: "en" or "zh".

        Returns:
            One a sentence.

        Raises:
            GlassformerError: as `sentences` and `encode`; `too_many_words` for more than 256 pieces
                of several sentences together.
        """
        found = tuple(self.encode(each, language) for each in self.sentences(text))
        pieces = sum(len(each.pieces) for each in found)
        if len(found) > 1 and pieces > MOST_PIECES:
            words, most = pieces - len(found), MOST_PIECES - len(found)  # without the ends
            raise GlassformerError("too_many_words", given=words, sentences=len(found), limit=most)
        return found

    def detect(self, text: str) -> Language:
        """The language of a text, by what most of its words are written in.

        Args:
            text: as typed.

        Returns:
            "en" or "zh".

        Raises:
            GlassformerError: as `encode` for text that is empty, too long to be looked at, has no
                word, or is in another script.
        """
        clean = _readable(text, self.limit)
        words = [chunk.lower() for chunk in _latin_words(clean)]
        chinese = sum(map(is_han, clean)) / 2
        if not chinese:
            return "en"
        chinese += FRAME if any(map(CHINESE_FRAME.__contains__, clean)) else 0
        english = len(words) + (FRAME if ENGLISH_FRAME & set(words) else 0)
        return "zh" if chinese > english else "en"

    def save(self, folder: str | Path) -> None:
        """Writes vocabulary.json into a folder.

        Args:
            folder: an existing one.

        Raises:
            OSError: it cannot be written.
        """
        self.vocabulary.save(Path(folder))

    @classmethod
    def load(cls, folder: str | Path) -> "Tokenizer":
        """Reads vocabulary.json.

        Args:
            folder: where it lies.

        Returns:
            A tokenizer with the usual limit.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no vocabulary.
        """
        return cls(Vocabulary.load(Path(folder)))

    def _split(self, text: str, language: str) -> list[Token]:
        if language == "en":
            return split_english(text, self.vocabulary.has_word)
        return split_chinese(text, self.vocabulary, self._gazetteer)


def check_language(language: str) -> None:
    """Refuses other languages than "en" and "zh".

    Args:
        language: asked for.

    Raises:
        GlassformerError: `unknown_language`.
    """
    if language not in TAGS:
        allowed = ", ".join(sorted(TAGS))
        raise GlassformerError("unknown_language", given=language, allowed=allowed)


def check_length(tokens: Sequence[Token], limit: int) -> None:
    """Refuses a sentence that has no room for its end.

    Args:
        tokens: of the sentence, without its end.
        limit: pieces at most, with the end.

    Raises:
        GlassformerError: `too_long`.
    """
    if len(tokens) + 1 > limit:
        _refuse_length(len(tokens), limit)


def with_words(text: str, limit: int) -> str:
    """The normalised text, where it has words.

    Args:
        text: as typed.
        limit: pieces of a sentence at most; told in the error.

    Returns:
        As `normalize` gives it.

    Raises:
        GlassformerError: `too_long` for more than `LONGEST_TEXT` characters, `empty_text`,
            `no_words`.
    """
    if len(text) > LONGEST_TEXT:
        _refuse_length(_rough_length(text), limit)
    clean = normalize(text)
    if not clean:
        raise GlassformerError("empty_text")
    if not has_word(clean):
        raise GlassformerError("no_words", text=_shortened(clean))
    return clean


@lru_cache(maxsize=16)  # its language is told, then it is split
def _readable(text: str, limit: int) -> str:
    """The same, in a script that the model reads."""
    clean = with_words(text, limit)
    letters = [character for character in clean if character.isalpha()]
    foreign = [c for c in letters if not is_han(c) and not _is_latin(c)]
    kana = any("HIRAGANA" in name or "KATAKANA" in name for name in map(_name, foreign))
    if kana or 2 * len(foreign) > len(letters):
        raise GlassformerError("unknown_script", text=_shortened(clean))
    return clean


def _latin_words(text: str) -> list[str]:
    """Words with Latin letters, Chinese around them taken off; an address belongs to no language.

    A text that is nothing but an address keeps it.
    """
    plain = ADDRESS.sub(" ", text)
    runs = re.sub(f"[{HAN}]+", " ", plain if has_word(plain) else text).split()
    return [run for run in runs if any(map(_is_latin, run))]


@lru_cache(maxsize=4096)
def _is_latin(character: str) -> bool:
    return (character.isascii() and character.isalpha()) or _name(character).startswith("LATIN")


def _name(character: str) -> str:
    return unicodedata.name(character, "")


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _rough_length(text: str) -> int:
    """About how many words a text has that is too long to be split."""
    return max(len(text.split()), sum(map(is_han, text[: 10 * LONGEST_TEXT])))


def _refuse_length(words: int, limit: int) -> None:
    raise GlassformerError("too_long", given=max(words, limit), limit=limit - 1)
