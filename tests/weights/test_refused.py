"""Every folder that cannot be opened is refused in one sentence, before memory is spent."""

from __future__ import annotations

import json
import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.text_models.checkpoints import load_model
from glassformer.core.weights.model_folder import is_foreign, load_weights, look_into_folder
from glassformer.core.weights.opened_model import open_model
from tests.weights.folders import as_pickle, edit, in_shards, tensors, whole

Change = Callable[[Path], None]


def then(*changes: Change) -> Change:
    def change(folder: Path) -> None:
        for each in changes:
            each(folder)

    return change


def gone(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def linked_out(name: str) -> Change:
    """A file of the folder that is a link to one elsewhere."""

    def change(folder: Path) -> None:
        outside = folder.parent / f"elsewhere-{name}"
        (folder / name).rename(outside)
        (folder / name).symlink_to(outside)

    return change


def special(name: str, device: str = "") -> Change:
    """A file of the folder that is a pipe that nobody writes to, or a device without an end."""

    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        if device:
            (folder / name).symlink_to(device)
        else:
            os.mkfifo(folder / name)

    return change


def shard_called(name: str) -> Change:
    def change(folder: Path) -> None:
        path = folder / "model.safetensors.index.json"
        about = json.loads(path.read_text("utf-8"))
        about["weight_map"] = dict.fromkeys(about["weight_map"], name)
        path.write_text(json.dumps(about), encoding="utf-8")

    return then(in_shards, change)


def cut_at(share: float, name: str = "model.safetensors") -> Change:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(share * len(data))])

    return change


def nan(held: dict[str, torch.Tensor]) -> None:
    held["model.layers.1.mlp.up_proj.weight"][0, 0] = torch.nan


def misshapen(held: dict[str, torch.Tensor]) -> None:
    held["model.norm.weight"] = torch.ones(3)


def quantised(held: dict[str, torch.Tensor]) -> None:
    name = "model.layers.0.mlp.up_proj.weight"
    held[name] = held[name].to(torch.int8)


def strange(held: dict[str, torch.Tensor]) -> None:
    held["model.layers.0.mystery.weight"] = held["model.norm.weight"].clone()


def thirty(held: dict[str, torch.Tensor]) -> None:
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        held[name] = held[name][:30].clone()


def short_head(held: dict[str, torch.Tensor]) -> None:
    held["lm_head.weight"] = held["lm_head.weight"][:30].clone()


def many_missing(held: dict[str, torch.Tensor]) -> None:
    for name in [each for each in held if "mlp" in each]:
        del held[name]


def config(**changes: Any) -> Change:
    return edit("config.json", **changes)


yarn = {"rope_type": "yarn", "factor": 2.0, "rope_theta": 1e4}
REFUSED: dict[str, tuple[Change, str, str]] = {
    "pickle": (as_pickle, "weights_pickle", "python -m glassformer convert"),
    "nothing": (gone("model.safetensors"), "weights_missing", "no model.safetensors"),
    "no config": (gone("config.json"), "weights_damaged", "config.json: No such file"),
    "shard": (
        then(in_shards, gone("model-00002-of-00002.safetensors")), "weights_shard", "00002",
    ),
    "shard outside": (shard_called("../model.safetensors"), "weights_outside", "outside"),
    "shard anywhere": (shard_called("/etc/passwd"), "weights_outside", "passwd"),
    "link": (linked_out("model.safetensors"), "weights_outside", "outside"),
    "linked config": (linked_out("config.json"), "weights_outside", "outside"),
    "linked tokenizer": (linked_out("tokenizer.json"), "weights_outside", "outside"),
    "zeros": (special("config.json", "/dev/zero"), "weights_outside", "config.json"),
    "pipe": (special("config.json"), "weights_damaged", "no regular file"),
    "piped weights": (special("model.safetensors"), "weights_damaged", "no regular file"),
    "piped shard": (
        then(in_shards, special("model-00002-of-00002.safetensors")), "weights_damaged", "regular",
    ),
    "piped index": (
        then(in_shards, special("model.safetensors.index.json")), "weights_missing", "no model",
    ),
    "piped tokenizer": (special("tokenizer.json"), "weights_tokenizer", "tokenizer.json"),
    "no index": (then(in_shards, edit("model.safetensors.index.json", weight_map=None)),
                 "weights_damaged", "weight_map is missing"),
    "unknown tensor": (tensors(strange), "weights_unknown", "has: layers.0.mystery.weight"),
    "missing tensors": (tensors(many_missing), "weights_tensors", "and 13 more"),
    "shape of a table that is tied": (
        then(config(tie_word_embeddings=True), tensors(short_head)), "weights_tensors",
        r"lm_head.weight is \(30, 24\) of F32, not \(400, 24\)",
    ),
    "shape": (tensors(misshapen), "weights_tensors", r"\(3,\), not \(24,\)"),
    "integers": (tensors(quantised), "weights_unsupported", "numbers of I8"),
    "nan": (tensors(nan), "weights_numbers", "up_proj"),
    "cut": (cut_at(0.7), "weights_damaged", "model.safetensors"),
    "empty": (cut_at(0.0), "weights_damaged", "model.safetensors"),
    "half a config": (cut_at(0.5, "config.json"), "weights_damaged", "not JSON"),
    "family": (config(model_type="mamba"), "weights_family", "mamba"),
    "no family": (config(model_type=None), "weights_family", "can be opened are marian"),
    "code": (config(auto_map={"AutoModel": "x.Y"}), "weights_unsupported", "code of its own"),
    "quantised": (config(quantization_config={}), "weights_unsupported", "quantised"),
    "rope": (config(rope_parameters=yarn), "weights_unsupported", "'yarn'"),
    "window": (config(model_type="mistral", sliding_window=16), "weights_unsupported", "window"),
    "cap": (config(final_logit_softcapping=30.0), "weights_unsupported", "cap"),
    "activation": (config(hidden_act="xielu"), "weights_unsupported", "xielu"),
    "heads": (config(num_attention_heads=5), "weights_config", "5 heads cannot share"),
    "enormous": (config(hidden_size=2**40), "weights_config", "more than 65,536"),
    "text": (config(hidden_size="wide"), "weights_config", "not a whole number"),
    "negative": (config(num_hidden_layers=-3), "weights_config", "at least"),
    "no layers": (config(num_hidden_layers=0), "weights_config", "at least 1"),
    "no float": (config(rms_norm_eps=10**400), "weights_config", "not a finite number"),
    "no tokenizer": (gone("tokenizer.json"), "weights_tokenizer", "tokenizer.json is missing"),
    "more words": (
        then(config(vocab_size=30), tensors(thirty)), "weights_pieces", "up to 399, the model’s",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_folder_is_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    whole("llama 3", folder)
    change, key, said = REFUSED[name]
    change(folder)
    with pytest.raises(GlassformerError, match=said) as refused:
        open_model(folder)
    assert refused.value.key == key
    assert "\n" not in str(refused.value) and str(tmp_path) not in str(refused.value)


def test_the_size_is_known_before_memory_is_spent(tmp_path: Path) -> None:
    whole("gpt2", tmp_path)
    found = look_into_folder(tmp_path)
    with pytest.raises(GlassformerError, match="can be spared here"):
        load_weights(found, limit=found.nbytes() - 1)
    assert load_weights(found, limit=found.nbytes())


def test_a_header_that_promises_too_much_costs_nothing(tmp_path: Path) -> None:
    """A config of a hundred gigabytes is measured against the header, not built."""
    whole("llama 3", tmp_path)
    huge = {"hidden_size": 2**14, "intermediate_size": 2**17, "num_hidden_layers": 200}
    config(**huge)(tmp_path)
    tracemalloc.start()
    with pytest.raises(GlassformerError, match="and 3189 more") as refused:
        look_into_folder(tmp_path)
    spent = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.value.key == "weights_tensors" and spent < 100 * 2**20


CUTS = 60


@pytest.mark.parametrize("seed", range(4))
def test_hostile_folders_end_in_one_sentence_or_open(seed: int, tmp_path: Path) -> None:
    lot = random.Random(seed)
    whole("llama 3" if seed % 2 else "bert", tmp_path)
    plain = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    refused = 0
    for _ in range(CUTS):
        for name, data in plain.items():
            (tmp_path / name).write_bytes(data)
        hostile(tmp_path, lot)
        said = refusal(tmp_path)
        assert "\n" not in said
        refused += bool(said)
    assert refused > 0


def refusal(folder: Path) -> str:
    """What is said of a folder; "" where it opens. Whatever else happens fails the test."""
    try:
        open_model(folder, limit=2**26)
    except GlassformerError as error:
        return str(error)
    return ""


def hostile(folder: Path, lot: random.Random) -> None:
    """One file cut, flipped or filled with something else, or one setting that is strange."""
    name = lot.choice(["config.json", "model.safetensors", "tokenizer.json", "config.json"])
    path = folder / name
    data = bytearray(path.read_bytes())
    kind = lot.randrange(4)
    if kind == 0:
        path.write_bytes(data[: lot.randrange(len(data))])
    elif kind == 1:
        for _ in range(lot.randrange(1, 30)):
            data[lot.randrange(min(len(data), 3000))] = lot.randrange(256)
        path.write_bytes(data)
    elif kind == 2:
        path.write_bytes(lot.randbytes(lot.randrange(2000)))
    else:
        about: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
        strange = [-1, 0, 2**31, 2**70, 1e308, "", [], {}, None, True, "relu", 0.5, [[]] * 3]
        about[lot.choice(list(about))] = lot.choice(strange)
        (folder / "config.json").write_text(json.dumps(about), encoding="utf-8")


def test_a_card_that_is_a_pipe_names_no_licence(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    whole("qwen2", folder)
    special("README.md")(folder)
    assert look_into_folder(folder).licence == ""


@pytest.mark.parametrize("device", ["", "/dev/zero"])
def test_a_folder_of_special_files_is_no_model(device: str, tmp_path: Path) -> None:
    special("config.json", device)(tmp_path)
    assert not is_foreign(tmp_path)
    with pytest.raises(GlassformerError):
        load_model(tmp_path)
