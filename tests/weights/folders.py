"""Whole folders as they are downloaded: config, random weights, tokenizer; how they are broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from tests.weights import small_tokenizers
from tests.weights.oracle import KINDS

MAKERS = {
    "marian": small_tokenizers.marian, "gpt2": small_tokenizers.byte_level,
    "llama 3": small_tokenizers.byte_level, "bert": small_tokenizers.word_piece,
    "t5": small_tokenizers.unigram, "bart": small_tokenizers.byte_level,
    "distilbert": small_tokenizers.word_piece, "m2m100": small_tokenizers.unigram,
    "mbart": small_tokenizers.unigram, "mistral": small_tokenizers.byte_level,
    "mt5": small_tokenizers.unigram, "qwen2": small_tokenizers.byte_level,
    "qwen3": small_tokenizers.byte_level,
}  # fmt: skip


def whole(kind: str, folder: Path, **changes: Any) -> Any:
    """Writes a folder that opens; returns the oracle's model."""
    MAKERS[kind](folder)
    names = {"vocab_size": _words(folder)}
    if kind == "marian":
        pad = json.loads((folder / "vocab.json").read_text("utf-8"))["<pad>"]
        names |= {"pad_token_id": pad, "decoder_start_token_id": pad}
    if kind == "llama 3":
        names |= {"bos_token_id": 0, "eos_token_id": 0}
    return KINDS[kind].make(folder, **{**names, **changes})


def _words(folder: Path) -> int:
    own = folder / "vocab.json"
    if own.is_file():
        return len(json.loads(own.read_text("utf-8")))
    about = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    return len(about)


def edit(name: str, **changes: Any) -> Callable[[Path], None]:
    """Sets names of a JSON file; None takes one away."""

    def change(folder: Path) -> None:
        about = json.loads((folder / name).read_text("utf-8")) | changes
        kept = {key: each for key, each in about.items() if each is not None}
        (folder / name).write_text(json.dumps(kept), encoding="utf-8")

    return change


def tensors(change: Callable[[dict[str, torch.Tensor]], None]) -> Callable[[Path], None]:
    """Changes what model.safetensors holds."""

    def changed(folder: Path) -> None:
        path = folder / "model.safetensors"
        held = {name: each.clone() for name, each in load_file(path).items()}
        change(held)
        path.unlink()
        save_file(held, path)

    return changed


def as_pickle(folder: Path) -> None:
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def in_shards(folder: Path) -> None:
    """Two files and an index, as large models come."""
    held = load_file(folder / "model.safetensors")
    index: dict[str, str] = {}
    for part, names in enumerate((sorted(held)[::2], sorted(held)[1::2])):
        file = f"model-{part + 1:05d}-of-00002.safetensors"
        save_file({name: held[name].clone() for name in names}, folder / file)
        index |= dict.fromkeys(names, file)
    (folder / "model.safetensors").unlink()
    about = {"metadata": {}, "weight_map": index}
    (folder / "model.safetensors.index.json").write_text(json.dumps(about), encoding="utf-8")
