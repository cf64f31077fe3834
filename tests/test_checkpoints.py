"""A model's folder: written, read back, and refused when it does not hold together."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from core import list_models, load_model
from core.checkpoints import CHECKPOINTS, save_model
from core.errors import GlassformerError
from core.model.transformer import Transformer
from core.text.tokenizer import Tokenizer


@pytest.fixture
def folder(small_model: Callable[..., Transformer], tmp_path: Path) -> Path:
    tokenizer = Tokenizer.load(CHECKPOINTS / "translator")
    tied = {"share_embeddings": True, "tie_generator": True}
    model = small_model(vocabulary_size=len(tokenizer.vocabulary), **tied)
    save_model(tmp_path / "model", model, tokenizer, {"note": "små"}, dtype=torch.float32)
    return tmp_path / "model"


def problem(folder: Path) -> str:
    with pytest.raises(GlassformerError) as caught:
        load_model(folder)
    return f"{caught.value.key}: {caught.value}"


def test_round_trip(folder: Path, small_model: Callable[..., Transformer]) -> None:
    again = load_model(folder)
    same = small_model(**again.config.to_dict())
    weights = again.transformer.state_dict()
    assert all(torch.equal(weights[name].cpu(), value) for name, value in same.state_dict().items())
    assert again.transformer.generator.weight is again.transformer.source_embedding.table.weight
    stored = load_file(folder / "model.safetensors")
    assert "generator.weight" not in stored  # tied weights are stored once


def test_half_precision_is_half_the_size(
    folder: Path, small_model: Callable[..., Transformer], tmp_path: Path
) -> None:
    translator = load_model(folder)
    save_model(tmp_path / "half", translator.transformer, translator.tokenizer)
    sizes = [(path / "model.safetensors").stat().st_size for path in (tmp_path / "half", folder)]
    assert sizes[0] < 0.6 * sizes[1]
    assert load_model(tmp_path / "half").transformer.generator.weight.dtype == torch.float32


def test_the_bundled_model_comes_first() -> None:
    assert list_models()[0] == "translator"
    assert load_model().name == load_model("translator").name == "translator"


def test_missing(tmp_path: Path) -> None:
    assert problem(tmp_path / "nowhere").startswith("checkpoint_missing")


@pytest.mark.parametrize("name", ["config.json", "vocabulary.json", "model.safetensors"])
@pytest.mark.parametrize("how", ["cut", "emptied", "scrambled"])
def test_damaged(folder: Path, name: str, how: str) -> None:
    path = folder / name
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[: len(whole) // 2], "emptied": b"", "scrambled": b"{]"}[how])
    assert problem(folder).startswith("checkpoint_damaged")


@pytest.mark.parametrize("name", ["vocabulary.json", "model.safetensors"])
def test_a_file_is_gone(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert problem(folder).startswith("checkpoint_damaged")


def test_weights_of_another_config(folder: Path) -> None:
    path = folder / "config.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    about["model"]["d_ff"] = 25
    path.write_text(json.dumps(about), encoding="utf-8")
    assert "checkpoint_mismatch" in problem(folder) and "feed_forward" in problem(folder)


def test_a_layer_is_missing(folder: Path) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    del weights["encoder.layers.0.feed_forward.w_1.bias"]
    save_file(weights, path)
    assert "checkpoint_mismatch" in problem(folder) and "absent" in problem(folder)


def test_vocabulary_of_another_model(folder: Path) -> None:
    path = folder / "config.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    weights = load_file(folder / "model.safetensors")
    about["model"]["vocabulary_size"] += 1
    for name, weight in weights.items():
        if name.endswith(("table.weight", "generator.bias")):
            weights[name] = torch.cat([weight, weight[:1]])
    path.write_text(json.dumps(about), encoding="utf-8")
    save_file(weights, folder / "model.safetensors")
    assert "the vocabulary has" in problem(folder)
