"""What a model needs of a tokenizer: of tokenizer.json, a plain vocabulary, or Marian's pair."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import sentencepiece
from tokenizers import Encoding, Tokenizer

from glassformer.core.errors import GlassformerError
from glassformer.core.untrusted import UNREADABLE, problem_of, read_json_file
from glassformer.core.weights.read import file_inside
from glassformer.core.weights.tokenizers.pieces import SPACE, readable_piece
from glassformer.core.weights.tokenizers.plain import made_of, settings_of

JSON, SPM = "tokenizer.json", ("source.spm", "target.spm")
ALONE = (  # of M2M-100, mT5, Llama, Qwen
    "sentencepiece.bpe.model", "spiece.model", "tokenizer.model", "vocab.json",
)  # fmt: skip
LONGEST = 20_000  # characters of a text
CODE = ">>"  # what a language to write begins with, as in ">>fra<< Hello"
# The same of models that know languages by a piece each, and the one that is read in front of it:
# "eng_Latn>>fra_Latn<< Hello".
NAMED = re.compile(r"\s*([\w-]*)>>([\w-]+)<<\s*")
LANGUAGE = re.compile(r"[a-z]{2,3}_[A-Z]\w+|__[a-z_]+__")  # eng_Latn, en_XX, __en__
SHOWN = 5  # languages in an error
UNKNOWN = ("<unk>", "[UNK]")  # pieces that stand for whatever has none


@dataclass(frozen=True)
class Read:
    """A text as the model gets it: ids, the vocabulary's pieces, and those for people."""

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    tokens: tuple[str, ...]


@dataclass(frozen=True)
class Segmented:
    """A text or a pair of texts as a model reads it: ids, and which text each belongs to.

    segments are the tokenizer's `type_ids`, which a model may have a table for; second tells what
    belongs to the second text, whatever these are.
    """

    ids: tuple[int, ...]
    segments: tuple[int, ...] = ()
    second: tuple[bool, ...] = ()

    def segments_within(self, kinds: int, name: str) -> tuple[int, ...]:
        """Which of a model's segments each word is of.

        Args:
            kinds: how many the model tells apart; 0: none.
            name: of the model, for the error.

        Returns:
            A number a word, from 0; () where all are of the first.

        Raises:
            GlassformerError: `weights_tokenizer` for a segment that the model has not.
        """
        if not (kinds and any(self.segments)):
            return ()
        if max(self.segments) >= kinds:
            problem = f"it counts {max(self.segments) + 1} segments, its model has {kinds}"
            raise GlassformerError("weights_tokenizer", path=name, problem=problem)
        return self.segments


class Tokens(ABC):
    """Text to ids and back."""

    byte_level = False
    takes_pairs = False  # whether it knows how two texts are read together
    languages: Mapping[str, int] = MappingProxyType({})  # the pieces that stand for one

    @abstractmethod
    def ids(self, text: str) -> list[int]:
        """The ids of a source, with the marks that the model was trained with.

        Args:
            text: the source; of models that know languages by name it may begin with them.

        Returns:
            The ids, as the encoder or a model without one reads them.

        Raises:
            GlassformerError: `weights_language` for a language that the model does not know.
        """

    def in_segments(self, text: str, text_pair: str = "") -> Segmented:  # noqa: ARG002
        """The ids of a text, or of two that are read together, with their segments.

        Args:
            text: the first text.
            text_pair: the second; "" for none. A tokenizer that takes no pairs does not read it.

        Returns:
            The ids, and which of the texts each belongs to.
        """
        return Segmented(tuple(self.ids(text)))

    @abstractmethod
    def plain_ids(self, text: str) -> list[int]:
        """The ids of a part of a text to be written, without any marks.

        Args:
            text: the part.

        Returns:
            Its ids alone, no end among them.
        """

    @abstractmethod
    def target_ids(self, text: str, language: int | None = None) -> list[int]:
        """The ids of a text to be written, with its end but without what begins it.

        Args:
            text: what is forced on the decoder.
            language: the id of its language, where that is named by a piece; None: the tokenizer's
                own.

        Returns:
            The ids.
        """

    def language(self, text: str) -> int | None:
        """The language to write that a source names in front.

        Args:
            text: the source, as `>>fra_Latn<< Hello`.

        Returns:
            The id of the language; None where the source names none, and of models that know none
            by name.

        Raises:
            GlassformerError: `weights_language` for one that the model does not know.
        """
        found = NAMED.match(text) if self.languages else None
        return self._language(found[2]) if found else None

    def _language(self, name: str) -> int:
        if name not in self.languages:
            known = ", ".join([*sorted(self.languages)[:SHOWN], "…"])
            raise GlassformerError("weights_language", given=name, known=known)
        return self.languages[name]

    @abstractmethod
    def text(self, ids: Sequence[int]) -> str:
        """The text of ids, without marks.

        Args:
            ids: of what was written.

        Returns:
            The text.
        """

    @cached_property
    @abstractmethod
    def pieces(self) -> Mapping[int, str]:
        """Every piece by its id."""

    @property
    def last(self) -> int:
        """The last id of the vocabulary itself; pieces that were added to it later may follow."""
        return max(self.pieces, default=0)

    @property
    def source_ids(self) -> Mapping[str, int]:
        """The pieces of sources by name."""
        return self._ids

    @property
    def source_pieces(self) -> Mapping[int, str]:
        """The pieces of sources by id."""
        return self.pieces

    def read(self, ids: Sequence[int], source: bool = False) -> Read:
        """Ids with their pieces.

        Args:
            ids: of what is read or written.
            source: whether they are of the vocabulary of sources, of models with two.

        Returns:
            The ids, the vocabulary's pieces ("<7>" for an id that has none) and those for people.
        """
        known = self.source_pieces if source else self.pieces
        pieces = tuple(known.get(each, f"<{each}>") for each in ids)
        return Read(tuple(ids), pieces, tuple(self.shown(each) for each in pieces))

    def shown(self, piece: str) -> str:
        """A piece for people.

        Args:
            piece: as the vocabulary writes it.

        Returns:
            The piece with spaces and bytes made visible.
        """
        return readable_piece(piece, self.byte_level) or piece

    def typed(self, text: str) -> int | None:
        """The id of a piece that a person names as it is shown, with a space before it or without.

        Any other text has one where it alone is cut into one piece.

        Args:
            text: as typed.

        Returns:
            The id; None where the text is no piece, or none that the vocabulary knows.
        """
        seen = text.replace(" ", SPACE)
        for named in (seen, f"{SPACE}{seen}"):
            if (found := self._seen.get(named)) is not None:
                return found
        for written in (f" {text}", text):
            if len(ids := self.plain_ids(written)) == 1 and self.pieces[ids[0]] not in UNKNOWN:
                return ids[0]
        return None

    def why_none(self, text: str) -> Literal["unknown", "not_one"]:
        """Why a text is no piece.

        Args:
            text: one that `typed` gives no id for.

        Returns:
            "unknown" where a part of it has no piece, "not_one" where it is several pieces, or
            none.
        """
        unknown = any(self.pieces[each] in UNKNOWN for each in self.plain_ids(text))
        return "unknown" if unknown else "not_one"

    def following(self, text: str, target: str, plain: bool = False) -> list[int]:
        """The ids of a text that goes on with one, which keeps the ids that it has alone.

        They are those that both have together, but where a piece would reach over the join: then
        the ids of what follows, without the space that some tokenizers put before every text.

        Args:
            text: what goes before.
            target: what follows it.
            plain: no special tokens are put before the text, it has its own.

        Returns:
            The ids of `target` behind `text`.
        """
        ids = self.plain_ids if plain else self.ids
        before, whole = ids(text), ids(text + target)
        if whole[: len(before)] == before:
            return whole[len(before) :]
        line, alone = self.plain_ids("\n"), self.plain_ids(target)
        after_line = self.plain_ids(f"\n{target}")
        spaced = self.text([*before, *alone]) != self.text(before) + target
        if spaced and after_line[: len(line)] == line:
            return after_line[len(line) :]
        return alone

    def id(self, piece: str) -> int | None:
        """The id of a piece.

        Args:
            piece: as the vocabulary writes it.

        Returns:
            The id; None for a piece that is not in the vocabulary.
        """
        return self._ids.get(piece)

    def vocabulary(self, size: int) -> tuple[str, ...]:
        """A piece for every row of a table: some have more rows than there are pieces.

        Args:
            size: V, the rows.

        Returns:
            (V,) pieces in the order of their ids, "<7>" for a row without one.
        """
        return tuple(self.pieces.get(each, f"<{each}>") for each in range(size))

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {piece: each for each, piece in self.pieces.items()}

    @cached_property
    def _seen(self) -> dict[str, int]:
        """The ids by what is shown for them; of several the first."""
        last_first = sorted(self.pieces.items(), reverse=True)
        return {self.shown(piece): each for each, piece in last_first}


class JsonTokens(Tokens):
    """One of the `tokenizers` package: of a `tokenizer.json`, or made of a plain vocabulary.

    language_first: the piece that names a text's language comes first, wherever the file puts it.
    """

    def __init__(self, tokenizer: Tokenizer, language_first: bool = False) -> None:
        self._tokenizer, self._language_first = tokenizer, language_first
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        marks = self._tokenizer.num_special_tokens_to_add
        self.takes_pairs = marks(True) > marks(False)  # something stands between the two
        self.byte_level = "ByteLevel(" in repr(tokenizer.decoder)
        added = self._tokenizer.get_added_tokens_decoder().items()
        self._added = frozenset(each.content for _, each in added)
        self.languages = {
            each.content: place for place, each in added if LANGUAGE.fullmatch(each.content)
        }

    def ids(self, text: str) -> list[int]:
        found = NAMED.match(text) if self.languages else None
        if found is None:
            return self._spoken(self._tokenizer.encode(text).ids, None)
        ids = self._tokenizer.encode(text[found.end() :]).ids
        return self._spoken(ids, self._language(found[1]) if found[1] else None)

    def in_segments(self, text: str, text_pair: str = "") -> Segmented:
        found = self._tokenizer.encode(text, text_pair or None)
        return Segmented(tuple(found.ids), tuple(found.type_ids), tuple(_second(found)))

    def plain_ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def target_ids(self, text: str, language: int | None = None) -> list[int]:
        return self._spoken(self._tokenizer.encode(text).ids, language)

    def _spoken(self, ids: Sequence[int], language: int | None) -> list[int]:
        """Ids with another language in the place of the one that the tokenizer puts there."""
        known = set(self.languages.values())
        if self._language_first and ids and ids[-1] in known:
            ids = [ids[-1], *ids[:-1]]
        return [each if language is None or each not in known else language for each in ids]

    def text(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def shown(self, piece: str) -> str:
        """A piece for people; added ones are spelled in letters, whatever the others are.

        Args:
            piece: as the vocabulary writes it.

        Returns:
            The piece with spaces and bytes made visible.
        """
        return readable_piece(piece, self.byte_level and piece not in self._added) or piece

    @cached_property
    def pieces(self) -> Mapping[int, str]:
        return {each: piece for piece, each in self._tokenizer.get_vocab(True).items()}

    @property
    def last(self) -> int:
        return max(self._tokenizer.get_vocab(False).values(), default=0)


class MarianTokens(Tokens):
    """Marian's: sentencepiece cuts a source and a target each in its own way, vocab.json counts."""

    def __init__(self, folder: Path) -> None:
        self._cut = [_processor(file_inside(folder, name)) for name in SPM]
        self._vocabulary = _vocabulary(file_inside(folder, "vocab.json"))
        own = file_inside(folder, "target_vocab.json")  # of models with two vocabularies
        self._written = _vocabulary(own) if own.is_file() else self._vocabulary

    def ids(self, text: str) -> list[int]:
        return self._known(*self._pieces(text, 0), self._vocabulary)

    def plain_ids(self, text: str) -> list[int]:
        return self.target_ids(text)[:-1]

    @property
    def source_ids(self) -> Mapping[str, int]:
        return self._vocabulary

    def target_ids(self, text: str, language: int | None = None) -> list[int]:  # noqa: ARG002
        return self._known(*self._pieces(text, 1), self._written)

    def text(self, ids: Sequence[int]) -> str:
        pieces = [self.pieces[each] for each in ids if each in self.pieces]
        plain = [each for each in pieces if each not in ("</s>", "<pad>", "<unk>")]
        return str(self._cut[1].decode_pieces(plain)).replace("▁", " ").strip()

    @cached_property
    def pieces(self) -> Mapping[int, str]:
        return {each: piece for piece, each in self._written.items()}

    @cached_property
    def source_pieces(self) -> Mapping[int, str]:
        return {each: piece for piece, each in self._vocabulary.items()}

    def _pieces(self, text: str, side: int) -> tuple[list[str], list[str]]:
        """The language to write, where a text begins with one, and the pieces of the rest."""
        code, end, rest = text.partition("<<")
        if end and code.startswith(CODE):
            return [code + end], list(self._cut[side].encode(rest, out_type=str))
        return [], list(self._cut[side].encode(text, out_type=str))

    @staticmethod
    def _known(code: list[str], pieces: list[str], vocabulary: Mapping[str, int]) -> list[int]:
        unknown = vocabulary["<unk>"]
        found = [vocabulary.get(each, unknown) for each in (*code, *pieces)]
        return [*found, vocabulary["</s>"]]


def tokens_of(folder: Path, kind: str = "") -> Tokens:
    """The tokenizer of a folder with a kind of model.

    Args:
        folder: of the model.
        kind: `model_type` of its config; "" where it is not known.

    Returns:
        The tokenizer: of tokenizer.json, of Marian's source.spm and target.spm, or of a plain
        vocabulary.

    Raises:
        GlassformerError: `weights_tokenizer` where there is none to be read, and as
            `core.weights.read.file_inside`.
    """
    try:
        if (folder / JSON).is_file():
            read_json_file(file_inside(folder, JSON))  # which has a limit
            return JsonTokens(Tokenizer.from_file(str(folder / JSON)), _language_first(folder))
        if all((folder / name).is_file() for name in SPM):
            return MarianTokens(folder)
        if (made := made_of(folder, kind)) is not None:
            return JsonTokens(made)
    except GlassformerError:
        raise
    except (*UNREADABLE, RuntimeError, Exception) as error:
        problem = problem_of(error)
        raise GlassformerError("weights_tokenizer", path=folder.name, problem=problem) from error
    alone = next((name for name in ALONE if (folder / name).is_file()), "")
    problem = f"{alone} is not read without {JSON}" if alone else f"{JSON} is missing"
    raise GlassformerError("weights_tokenizer", path=folder.name, problem=problem)


def _language_first(folder: Path) -> bool:
    """Whether NLLB's order is the one of today, as `transformers` has it whatever the file says.

    Its first folders put the language behind the text, and models read better with it in front.
    """
    told = settings_of(folder)
    old = told.get("legacy_behaviour") is True
    return str(told.get("tokenizer_class")).startswith("Nllb") and not old


def _second(found: Encoding) -> Iterator[bool]:
    """Whether each piece belongs to the second text: a mark belongs to what stands before it."""
    at = 0
    for each in found.sequence_ids:
        at = at if each is None else each
        yield at == 1


def _processor(path: Path) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def _vocabulary(path: Path) -> dict[str, int]:
    found = read_json_file(path)
    if not all(isinstance(each, int) and each >= 0 for each in found.values()):
        raise ValueError(f"{path.name} counts its pieces wrongly")
    for name in ("</s>", "<unk>"):
        if name not in found:
            raise ValueError(f"{path.name} lacks {name}")
    return found
