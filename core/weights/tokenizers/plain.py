"""A tokenizer made of a plain vocabulary: folders of earlier days have no tokenizer.json.

BERT's vocab.txt cuts words from their beginnings on, GPT-2's vocab.json and merges.txt join letters
that stand for bytes. What else they differ in stands in tokenizer_config.json.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from glassformer.core.untrusted import LARGEST_JSON, UNREADABLE, read_json_file
from glassformer.core.weights.read import file_inside

WORDS, PIECES, MERGES = "vocab.txt", "vocab.json", "merges.txt"
ENDS = (("cls", "<s>"), ("sep", "</s>"))  # of BART
BYTE_PAIRS = ("gpt2", "bart")  # others cut a text in a way of their own before they join letters


def made_of(folder: Path, kind: str) -> Tokenizer | None:
    """The tokenizer of a kind of model, of its plain vocabulary.

    Args:
        folder: with vocab.txt, or with vocab.json and merges.txt.
        kind: `model_type` of its config; the second pair of files is read of "gpt2" and "bart"
            alone.

    Returns:
        The tokenizer; None where there is no such vocabulary.

    Raises:
        GlassformerError: as `core.weights.read.file_inside`.
        OSError: a file cannot be read.
        ValueError: the vocabulary lacks a mark, is too large, cannot be read as what it should be,
            or counts an added piece wrongly.
    """
    if (folder / WORDS).is_file():
        made = _word_piece(_lines(folder, WORDS), settings_of(folder))
    elif kind in BYTE_PAIRS and all((folder / name).is_file() for name in (PIECES, MERGES)):
        pieces = read_json_file(file_inside(folder, PIECES))
        made = _byte_pairs(pieces, _lines(folder, MERGES), settings_of(folder), kind)
    else:
        return None
    later = sorted(_told(folder, "added_tokens.json").items(), key=lambda each: each[1])
    made.add_tokens([AddedToken(piece, normalized=False) for piece, _ in later])
    for piece, place in later:
        if made.token_to_id(piece) != place:
            raise ValueError(f"added_tokens.json counts {piece} wrongly")
    return made


def settings_of(folder: Path) -> dict[str, Any]:
    """What tokenizer_config.json says.

    Args:
        folder: of the model.

    Returns:
        Its settings by name; {} where there is none that can be read.
    """
    return _told(folder, "tokenizer_config.json")


def _told(folder: Path, name: str) -> dict[str, Any]:
    try:
        return read_json_file(file_inside(folder, name))
    except UNREADABLE:
        return {}


def _lines(folder: Path, name: str) -> list[str]:
    path = file_inside(folder, name)
    if path.stat().st_size > LARGEST_JSON:
        raise ValueError(f"{name} has more than {LARGEST_JSON:,} bytes")
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def _mark(settings: Mapping[str, Any], name: str, usual: str) -> str:
    """How a special piece is written; AddedToken is a table of its own there."""
    told = settings.get(name)
    told = told.get("content") if isinstance(told, dict) else told
    return told if isinstance(told, str) else usual


def _word_piece(lines: list[str], settings: Mapping[str, Any]) -> Tokenizer:
    words = {line.rstrip("\r"): place for place, line in enumerate(lines)}
    names = ("unk", "cls", "sep", "pad", "mask")
    marks = {name: _mark(settings, f"{name}_token", f"[{name.upper()}]") for name in names}
    _check(words, [marks[name] for name in names[:3]], WORDS)
    made = Tokenizer(models.WordPiece(words, unk_token=marks["unk"]))
    accents = settings.get("strip_accents")
    made.normalizer = normalizers.BertNormalizer(
        lowercase=settings.get("do_lower_case") is not False,
        handle_chinese_chars=settings.get("tokenize_chinese_chars") is not False,
        strip_accents=accents if isinstance(accents, bool) else None,
    )
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    first, last = marks["cls"], marks["sep"]
    made.post_processor = processors.TemplateProcessing(
        single=f"{first}:0 $A:0 {last}:0", pair=f"{first}:0 $A:0 {last}:0 $B:1 {last}:1",
        special_tokens=[(each, words[each]) for each in (first, last)],
    )  # fmt: skip
    made.add_special_tokens([each for each in marks.values() if each in words])
    return made


def _byte_pairs(
    pieces: dict[str, int], lines: list[str], settings: Mapping[str, Any], kind: str
) -> Tokenizer:
    plain = [line for line in lines if line and not line.startswith("#version")]
    pairs = [(one, other) for one, other in (line.split(" ") for line in plain)]
    made = Tokenizer(models.BPE(pieces, pairs))
    spaced = settings.get("add_prefix_space") is True
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=spaced)
    made.decoder = decoders.ByteLevel()
    if kind == "gpt2":
        marks = [
            _mark(settings, f"{name}_token", "<|endoftext|>") for name in ("bos", "eos", "unk")
        ]
    else:
        first, last = (_mark(settings, f"{name}_token", usual) for name, usual in ENDS)
        _check(pieces, [first, last], PIECES)
        made.post_processor = processors.RobertaProcessing(
            (last, pieces[last]), (first, pieces[first]), True, spaced
        )
        marks = [first, last, "<pad>", "<unk>"]
        if "<mask>" in pieces:  # it takes the space before it along
            made.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    made.add_special_tokens([each for each in dict.fromkeys(marks) if each in pieces])
    return made


def _check(words: Mapping[str, int], marks: list[str], name: str) -> None:
    if lacking := [each for each in marks if each not in words]:
        raise ValueError(f"{name} lacks {', '.join(lacking)}")
