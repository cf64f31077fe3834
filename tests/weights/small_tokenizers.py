"""Small tokenizers of every kind, trained on bundled sentences, in folders as models have them.

The same in every process, so that a small random model reads and says the same every time.
"""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

ROOT = Path(__file__).parents[2]
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
HOSTILE = (
    "", " ", "  two  spaces ", "Ünïcödé ñ", "emoji 👩‍👩‍👧 🎉", "日本語とかな",
    "tab\tand\nline", "…—“”", "a" * 200, "\u200bzero", "🏳️‍🌈", "<s> </s> [MASK]",
    "www.x.org/?q=1&b=2", "1,234.5 %", "it's I'm", "Ａｂｃ　全角", "\ufeffbom",
    "ﬁ ligature", "e\u0301 combining", "مرحبا", "<0x41>", "▁ low ▁line",
)  # fmt: skip


@cache
def texts() -> tuple[str, ...]:
    """Sentences that the project ships, in English and Chinese, and hostile ones."""
    held = [*(ROOT / "assets" / "sentences").glob("*.json")]
    found = [
        text
        for path in sorted(held)
        if "sealed" not in path.name and "judgements" not in path.name
        for text in _strings(json.loads(path.read_text("utf-8")))
    ]
    return (*HOSTILE, *dict.fromkeys(found))


def _strings(found: object) -> list[str]:
    if isinstance(found, str):
        return [found] if len(found) > 3 else []
    each = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return [text for one in each for text in _strings(one)]


def byte_level(folder: Path, size: int = 400) -> Path:
    """As GPT-2, Llama 3 and Qwen have it."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<|endoftext|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    made.train_from_iterator(texts(), trainer)
    made.enable_truncation(5)  # which belongs to somebody's training, not to a text
    return _saved(made, folder)


def word_piece(folder: Path, size: int = 400) -> Path:
    """As BERT has it."""
    made = Tokenizer(models.WordPiece(unk_token="<unk>"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.train_from_iterator(
        texts(),
        trainers.WordPieceTrainer(vocab_size=size, special_tokens=SPECIALS, show_progress=False),
    )
    # The trainer numbers what begins with ## as a hash has it, which is another in every process.
    pieces = [*SPECIALS, *sorted(made.get_vocab().keys() - {*SPECIALS})]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    made.model = models.WordPiece(numbers, unk_token="<unk>")
    ends = [(each, made.token_to_id(each)) for each in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return _saved(made, folder)


def unigram(folder: Path, size: int = 2500) -> Path:
    """As T5 and NLLB have it: spaces are ▁; of sentencepiece, whose scores are always the same."""
    _, cut = _sentencepiece([each for each in texts() if each.strip()], size)
    scores = dict.fromkeys(SPECIALS, 0.0)
    for at in range(cut.get_piece_size()):
        scores.setdefault(cut.id_to_piece(at), cut.get_score(at))
    made = Tokenizer(models.Unigram([*scores.items()], unk_id=SPECIALS.index("<unk>")))
    made.add_special_tokens(SPECIALS)
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", made.token_to_id("</s>"))]
    )
    return _saved(made, folder)


def marian(folder: Path, size: int = 1500) -> Path:
    """Two models of sentencepiece and one vocabulary for both."""
    folder.mkdir(parents=True, exist_ok=True)
    halves = {
        "source.spm": [each for each in texts() if each.isascii() and each.strip()],
        "target.spm": [each for each in texts() if not each.isascii()],
    }
    pieces: dict[str, int] = {"</s>": 0, "<unk>": 1}
    for name, lines in halves.items():
        model, cut = _sentencepiece(lines, size)
        (folder / name).write_bytes(model)
        for at in range(cut.get_piece_size()):
            pieces.setdefault(cut.id_to_piece(at), len(pieces))
    for special in (">>fra<<", "<pad>"):
        pieces.setdefault(special, len(pieces))
    text = json.dumps(pieces, ensure_ascii=False)
    (folder / "vocab.json").write_text(text, encoding="utf-8")
    return folder


def _sentencepiece(lines: list[str], size: int) -> tuple[bytes, Any]:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size,
        hard_vocab_limit=False, minloglevel=2, character_coverage=0.99,
    )  # fmt: skip
    return model.getvalue(), sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def plain(folder: Path, framed: bool = False) -> None:
    """The folder's tokenizer.json as a plain vocabulary, as slow tokenizers were saved.

    framed: with pieces that begin and end a text, and one for a blank, as BART has them.
    """
    path = folder / "tokenizer.json"
    model = json.loads(path.read_text("utf-8"))["model"]
    path.unlink()
    pieces = dict(model["vocab"])
    if "merges" not in model:
        words = sorted(pieces, key=pieces.__getitem__)
        words[words.index("<unk>")] = "[UNK]"
        (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
        return
    if framed:
        for special in (*SPECIALS[:4], "<mask>"):
            pieces[special] = len(pieces)
    (folder / "vocab.json").write_text(json.dumps(pieces), "utf-8")
    lines = [" ".join(each) for each in model["merges"]]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *lines]) + "\n", "utf-8")


def _saved(made: Tokenizer, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    made.save(str(folder / "tokenizer.json"))
    return folder
