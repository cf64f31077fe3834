"""A tokenizer for any two languages: words between spaces, Chinese by the words it knows.

It belongs to models that people train on pairs of their own. The first language of a pair takes
the place of English, the second that of Chinese, whatever they are. There are no copy slots: a
word that no pair has taught is `<unk>`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from glassformer.core.text.chinese import split_chinese
from glassformer.core.text.detokenize import FULL_WIDTH, Decoded
from glassformer.core.text.gazetteer import Filler, load_gazetteer
from glassformer.core.text.normalize import HAN, has_word, is_han, simplify
from glassformer.core.text.tokenizer import (
    Encoded,
    Language,
    Tokenizer,
    check_language,
    check_length,
    with_words,
)
from glassformer.core.text.tokens import Token
from glassformer.core.text.vocabulary import FILE, RESERVED, UNKNOWN, Vocabulary
from glassformer.core.untrusted import read_json_file, string_list

KIND = "words"  # what vocabulary.json calls this kind of tokenizer
RUNS = re.compile(rf"[{HAN}]+|[^{HAN}]+")
MARKS = '.,!?;:()[]{}«»“”„‘"…¿¡/%'  # peeled off words; an apostrophe belongs to its word
CLOSING, OPENING = frozenset(".,!?;:)]}»”’%…"), frozenset("([{«“‘¿¡")


class WordTokenizer(Tokenizer):
    """Turns text of two languages into words of a vocabulary and back.

    `capitals` names the sides, "en" and "zh", whose sentences begin with a capital.
    """

    def __init__(self, vocabulary: Vocabulary, capitals: Sequence[str] = ()) -> None:
        super().__init__(vocabulary)
        self.capitals = tuple(capitals)

    def encode(self, text: str, language: str) -> Encoded:
        """Splits a sentence; words outside the vocabulary become `<unk>`.

        Args:
            text: one sentence, as typed.
            language: "en" for the first language of the pair, "zh" for the second.

        Returns:
            Pieces, ids and surfaces; `<eos>` is the last piece, no piece is a slot.

        Raises:
            GlassformerError: `empty_text`, `no_words`, `too_long`, `unknown_language`.
        """
        check_language(language)
        tokens = split_words(with_words(text, self.limit), self.vocabulary)
        check_length(tokens, self.limit)
        return self.encoded([(self.piece(token), token.surface) for token in tokens], {})

    def piece(self, token: Token) -> str:
        """The piece of a word that was in the pairs.

        Args:
            token: of a sentence.

        Returns:
            The word itself, else `<unk>`.
        """
        return token.word if self.knows(token.word) else UNKNOWN

    def decode(
        self,
        pieces: Sequence[str],
        fillers: Mapping[str, Filler],  # noqa: ARG002 there are no slots to fill
        language: str,
    ) -> Decoded:
        """Writes pieces as a sentence: spaces between words that need them, the first capital.

        Args:
            pieces: of the vocabulary.
            fillers: makes no difference: there are no slots to fill.
            language: "en" or "zh", the side of the pair; it decides about the capital.

        Returns:
            A surface for each piece, and the sentence, without specials.
        """
        chinese = any(is_han(piece[0]) for piece in pieces if piece)
        surfaces = [self._surface(piece, chinese) for piece in pieces]
        spoken = [i for i, piece in enumerate(pieces) if piece not in RESERVED]
        if spoken and language in self.capitals:
            first = surfaces[spoken[0]]
            surfaces[spoken[0]] = first[:1].upper() + first[1:]
        return Decoded(tuple(surfaces), _joined([surfaces[i] for i in spoken]))

    def detect(self, text: str) -> Language:
        """The side whose words the text has; the first one where that does not decide.

        Args:
            text: as typed.

        Returns:
            "en" for the first language of the pair, "zh" for the second.

        Raises:
            GlassformerError: `empty_text`, `no_words`, `too_long`.
        """
        words = [token.word for token in split_words(with_words(text, self.limit), self.vocabulary)]
        known = [word for word in words if has_word(word) and self.knows(word)]
        second = sum(word in self.vocabulary.counts for word in known)
        return "zh" if 2 * second > len(known) else "en"

    def knows(self, word: str) -> bool:
        """Whether a word was in the pairs; specials cannot be typed.

        Args:
            word: in lower case.

        Returns:
            True for a word of the vocabulary.
        """
        return word not in RESERVED and self.vocabulary.id(word) != self.vocabulary.id(UNKNOWN)

    def save(self, folder: str | Path) -> None:
        """Writes vocabulary.json into a folder.

        Args:
            folder: an existing one.

        Raises:
            OSError: it cannot be written.
        """
        self.vocabulary.save(Path(folder), kind=KIND, capitals=self.capitals)

    @classmethod
    def load(cls, folder: str | Path) -> "WordTokenizer":
        """Reads vocabulary.json.

        Args:
            folder: where it lies.

        Returns:
            A tokenizer with the usual limit.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no vocabulary.
        """
        table = read_json_file(Path(folder) / FILE)
        capitals = string_list(table.get("capitals", []), f"capitals in {FILE}")
        return cls(Vocabulary.from_table(table), capitals)

    def _surface(self, piece: str, chinese: bool) -> str:
        if chinese and piece in FULL_WIDTH:
            return FULL_WIDTH[piece]
        return self.vocabulary.spelling.get(piece, piece)


def load_tokenizer(folder: str | Path) -> Tokenizer:
    """The tokenizer that a folder names.

    Args:
        folder: with vocabulary.json.

    Returns:
        A `WordTokenizer` where the file says so, else a `Tokenizer`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no vocabulary.
    """
    own = read_json_file(Path(folder) / FILE).get("kind") == KIND
    return WordTokenizer.load(folder) if own else Tokenizer.load(folder)


def split_words(text: str, vocabulary: Vocabulary) -> list[Token]:
    """Tokens of normalised text: chunks between spaces without the marks around them.

    A run of Chinese is divided into words of the vocabulary, unless the text itself is spaced.

    Args:
        text: normalised.
        vocabulary: whose words Chinese is divided into.

    Returns:
        The tokens; marks are words, too. Words are in lower case, Chinese simplified.
    """
    chunks = text.split(" ")
    chinese = [chunk for chunk in chunks if any(map(is_han, chunk))]
    spaced = len(chinese) > 2 and sum(map(len, chinese)) <= 3 * len(chinese)
    tokens: list[Token] = []
    for chunk in chunks:
        for part in _parts(chunk):
            if not is_han(part[0]):
                tokens.append(Token(part, part.lower()))
            elif spaced and part == chunk.strip(MARKS):
                tokens.append(Token(part, simplify(part)))
            else:
                tokens += split_chinese(part, vocabulary, load_gazetteer())
    return tokens


def _parts(chunk: str) -> Iterator[str]:
    """The words and marks of a chunk without spaces: Chinese apart, marks peeled off the rest."""
    for run in RUNS.findall(chunk):
        if is_han(run[0]):
            yield run
            continue
        word = run.lstrip(MARKS).rstrip(MARKS)
        before, _, after = run.partition(word) if word else (run, "", "")
        yield from (*before, *([word] if word else ()), *after)


def _joined(surfaces: Sequence[str]) -> str:
    text = ""
    for i, surface in enumerate(surfaces):
        before = surfaces[i - 1][-1:] if i else ""
        tight = surface in CLOSING or before in OPENING
        wide = _is_wide(before) or _is_wide(surface[:1])
        text += surface if not i or tight or wide else f" {surface}"
    return text


def _is_wide(character: str) -> bool:
    return bool(character) and (is_han(character) or character in FULL_WIDTH.values())
