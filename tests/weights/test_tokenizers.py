"""Ids are those of `transformers`, on every sentence that is bundled; pieces can be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from glassformer.core.errors import GlassformerError
from glassformer.core.weights.tokenizers.pieces import readable_piece
from glassformer.core.weights.tokenizers.tokens import MarianTokens, tokens_of
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


# How a plain vocabulary is made, the oracle's tokenizer, and what tokenizer_config.json says.
PLAIN: dict[str, tuple[Callable[[Path], Path], str, dict[str, Any]]] = {
    "bert": (small.word_piece, "BertTokenizer", {}),
    "bert cased": (small.word_piece, "BertTokenizer", {"do_lower_case": False}),
    "bert, accents": (
        small.word_piece, "BertTokenizer",
        {"strip_accents": False, "tokenize_chinese_chars": False, "mask_token": "[MASK]"},
    ),
    "gpt2": (small.byte_level, "GPT2Tokenizer", {}),
    "bart": (small.byte_level, "RobertaTokenizer", {"mask_token": {
        "__type": "AddedToken", "content": "<mask>", "lstrip": True, "rstrip": False,
        "single_word": False, "normalized": False,
    }}),
}  # fmt: skip


@pytest.mark.parametrize("kind", PLAIN)
def test_a_plain_vocabulary_gives_the_oracles_ids(kind: str, tmp_path: Path) -> None:
    make, name, settings = PLAIN[kind]
    small.plain(make(tmp_path), framed=kind == "bart")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")
    ours = tokens_of(tmp_path, kind.partition(" ")[0].strip(","))
    theirs = getattr(transformers, name).from_pretrained(tmp_path)
    for text in (*small.texts(), "a [MASK] b", "a <mask> b"):
        assert ours.ids(text) == theirs(text)["input_ids"], text


def test_a_plain_vocabulary_without_its_marks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\n[CLS]\nhouse\n", "utf-8")
    with pytest.raises(GlassformerError, match=r"vocab\.txt lacks \[SEP\]"):
        tokens_of(tmp_path)
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).write_text("{}", "utf-8")
    (tmp_path / "vocab.txt").unlink()
    with pytest.raises(GlassformerError, match=r"vocab\.json is not read without tokenizer\.json"):
        tokens_of(tmp_path, "qwen2")


@pytest.mark.parametrize("old", [True, False])
def test_nllb_puts_the_language_where_the_oracle_puts_it(old: bool, tmp_path: Path) -> None:
    """Its published tokenizer.json has it behind the text, and the oracle does not heed that."""
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    specials = ["<s>", "<pad>", "</s>", "<unk>", "eng_Latn", "fra_Latn"]
    trainer = trainers.BpeTrainer(vocab_size=900, special_tokens=specials, show_progress=False)
    made.train_from_iterator(small.texts(), trainer)
    marks = [(each, made.token_to_id(each)) for each in ("</s>", "eng_Latn")]
    made.post_processor = processors.TemplateProcessing(
        single="$A </s> eng_Latn", special_tokens=marks
    )
    made.save(str(tmp_path / "tokenizer.json"))
    told = {"tokenizer_class": "NllbTokenizer", "legacy_behaviour": old, "unk_token": "<unk>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(told), "utf-8")
    theirs = transformers.NllbTokenizer.from_pretrained(tmp_path)
    ours, english = tokens_of(tmp_path), made.token_to_id("eng_Latn")
    for text in ("house", "the small house"):
        found = theirs(text)["input_ids"]
        assert found[-1 if old else 0] == english
        assert ours.ids(text) == ours.ids(f">>fra_Latn<< {text}") == found
    theirs.src_lang = "fra_Latn"
    assert ours.ids("fra_Latn>>eng_Latn<< house") == theirs("house")["input_ids"]
    theirs.tgt_lang = "fra_Latn"
    told = theirs(text_target="house")["input_ids"]
    assert ours.target_ids("house", made.token_to_id("fra_Latn")) == told


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
        ("č", True, "⏎"), ("ć", True, "⟨07⟩"), ("ġ", True, "⟨7F⟩"), ("Ń", True, "⟨AD⟩"),
        ("ÂŃ", True, "⟨C2⟩⟨AD⟩"), ("a\u200db\x07", False, "a⟨E2⟩⟨80⟩⟨8D⟩b⟨07⟩"),
    ],
)  # fmt: skip
def test_pieces_can_be_read(piece: str, byte_level: bool, seen: str) -> None:
    assert readable_piece(piece, byte_level) == seen


def test_an_added_piece_is_no_bytes_and_a_typed_one_is_what_is_seen(tmp_path: Path) -> None:
    """Typed é is no byte E9, though the vocabulary spells that byte as the letter é."""
    small.byte_level(tmp_path)
    made = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    made.add_tokens([AddedToken("đem", normalized=False)])
    made.save(str(tmp_path / "tokenizer.json"))
    ours, theirs = tokens_of(tmp_path), made
    assert ours.shown("đem") == "đem" and ours.typed("đem") == theirs.token_to_id("đem")
    for letter in "éßü°£":
        assert ours.typed(letter) is None and ours.id(letter) is not None, letter
        assert ours.why_none(letter) == "not_one"
    for text in small.texts()[:200]:
        for each in theirs.encode(text, add_special_tokens=False).ids:
            shown = ours.shown(theirs.id_to_token(each))
            if "⟨" not in shown and shown not in "⏎":
                assert ours.typed(shown.replace("␣", " ")) == each, shown


def test_what_follows_a_text_keeps_the_pieces_that_the_text_has_alone(tmp_path: Path) -> None:
    """The pieces of both together may reach over the join; a mark before every text may come."""
    line = "The small house is here, and nobody knows why it stands there."
    llama = Tokenizer(models.BPE(byte_fallback=True))
    llama.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    llama.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    ends = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    llama.decoder = decoders.Sequence([*ends, decoders.Strip(" ", 1, 0)])
    alphabet = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=450, special_tokens=alphabet, show_progress=False)
    llama.train_from_iterator([line] * 9 + list(filter(str.isascii, small.texts())), trainer)
    llama.save(str(tmp_path / "tokenizer.json"))
    folders = small.byte_level(tmp_path / "bytes"), tmp_path
    for folder in folders:
        ours, over = tokens_of(folder), 0
        for cut in range(1, len(line)):
            text, target = line[:cut], line[cut:]
            before, after = ours.ids(text), ours.following(text, target)
            whole = ours.ids(line)
            assert ours.text([*before, *after]) == line, (text, target)
            if whole[: len(before)] == before:
                assert [*before, *after] == whole
            over += whole[: len(before)] != before
        assert over > 10, folder


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
