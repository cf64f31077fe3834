"""Ids are those of `transformers`, on every sentence that is bundled; pieces can be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import GlassformerError
from core.weights.tokenizers.pieces import shown
from core.weights.tokenizers.tokens import MarianTokens, tokens_of
from tests.weights import small_tokenizers as small
from tests.weights.oracle import transformers

MAKERS = {"bytes": small.byte_level, "words": small.word_piece, "unigram": small.unigram}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_tokenizer_json_gives_the_oracles_ids(kind: str, tmp_path: Path) -> None:
    MAKERS[kind](tmp_path)
    ours = tokens_of(tmp_path)
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    assert len(small.texts()) >= 300
    for text in small.texts():
        ids = ours.ids(text)
        assert ids == theirs(text, truncation=False)["input_ids"], text
        assert ours.text(ids) == ours.text(theirs(text, truncation=False)["input_ids"])
        read = ours.read(ids)
        assert all(read.tokens) and len(read.tokens) == len(read.ids) == len(read.pieces)


@pytest.mark.filterwarnings("ignore:Recommended")  # what normalises punctuation, if it is there
def test_marians_pair_gives_the_oracles_ids(tmp_path: Path) -> None:
    small.marian(tmp_path)
    ours = tokens_of(tmp_path)
    assert isinstance(ours, MarianTokens)
    theirs = transformers.MarianTokenizer(
        source_spm=str(tmp_path / "source.spm"), target_spm=str(tmp_path / "target.spm"),
        vocab=str(tmp_path / "vocab.json"),
    )  # fmt: skip
    plain = [text for text in small.texts() if "</s>" not in text]  # typed, it is a text of ours
    for text in (*plain, ">>fra<< Hello", ">>fra<<Hello", "a >>fra<< b"):
        assert ours.ids(text) == theirs(text)["input_ids"], text
        assert ours.target_ids(text) == theirs(text_target=text)["input_ids"], text
        written = ours.target_ids(text)
        assert ours.text(written) == theirs.decode(written, skip_special_tokens=True), text


@pytest.mark.parametrize(
    ("piece", "byte_level", "seen"),
    [
        ("Ġhello", True, "␣hello"), ("Ċ", True, "⏎"), ("ä½ł", True, "你"), ("ä½", True, "⟨E4⟩⟨BD⟩"),
        ("▁hello", False, "␣hello"), ("<0xE4>", False, "⟨E4⟩"), ("##ing", False, "##ing"),
        ("▁", False, "␣"), ("<|endoftext|>", True, "<|endoftext|>"), ("你", False, "你"),
    ],
)  # fmt: skip
def test_pieces_can_be_read(piece: str, byte_level: bool, seen: str) -> None:
    assert shown(piece, byte_level) == seen


def _cut(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    return change


@pytest.mark.parametrize("name", ["source.spm", "target.spm", "vocab.json"])
def test_a_damaged_tokenizer_is_refused(name: str, tmp_path: Path) -> None:
    small.marian(tmp_path)
    _cut(name)(tmp_path)
    with pytest.raises(GlassformerError, match="no tokenizer that can be read"):
        tokens_of(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(GlassformerError, match="no tokenizer that can be read"):
        tokens_of(tmp_path)


def test_half_a_tokenizer_json_is_refused(tmp_path: Path) -> None:
    small.byte_level(tmp_path)
    _cut("tokenizer.json")(tmp_path)
    with pytest.raises(GlassformerError, match="no tokenizer that can be read"):
        tokens_of(tmp_path)
