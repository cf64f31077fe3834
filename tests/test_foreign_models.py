"""Models that somebody gave us: whatever their folder claims is refused before it is built."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.checkpoints import (
    CHECKPOINTS,
    load_about,
    load_history,
    load_model,
    save_model,
)

MOST = 200 * 2**20  # bytes that a refused model may ask for: the bundled one has 3 MB of weights


@pytest.fixture
def folder(small_model: Callable[..., Transformer], tmp_path: Path) -> Path:
    tokenizer = Tokenizer.load(CHECKPOINTS / "translator")
    model = small_model(vocabulary_size=len(tokenizer.vocabulary), share_embeddings=True)
    save_model(tmp_path / "model", model, tokenizer, dtype=torch.float32)
    return tmp_path / "model"


@pytest.fixture
def _small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where a parameter of a size is made that no file here has."""
    made = torch.nn.Parameter.__new__

    def measured(cls: type, data: Any = None, *more: Any, **named: Any) -> Any:
        assert data is None or data.is_meta or data.nbytes < MOST, "built before it was compared"
        return made(cls, data, *more, **named)

    monkeypatch.setattr(torch.nn.Parameter, "__new__", measured)


def refused(folder: Path) -> str:
    with pytest.raises(GlassformerError) as caught:
        load_model(folder)
    assert len(str(caught.value)) < 400
    return f"{caught.value.key}: {caught.value}"


def change(path: Path, *where: str, value: Any) -> None:
    table = json.loads(path.read_text(encoding="utf-8"))
    inner = table
    for name in where[:-1]:
        inner = inner[name]
    inner[where[-1]] = value
    path.write_text(json.dumps(table), encoding="utf-8")


@pytest.mark.usefixtures("_small_memory")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("d_model", 2**62),
        ("d_model", 2**15),
        ("d_ff", 2**18),
        ("d_ff", 10**400),
        ("encoder_layers", 100_000),
        ("decoder_layers", 256),
        ("vocabulary_size", 2**20),
        ("n_heads", 2**40),
        ("n_heads", "4"),
        ("n_heads", [4]),
        ("max_length", 2**70),
        ("norm_epsilon", float("nan")),
        ("norm_initial_shift", float("inf")),
        ("positions", {"a": 1}),
        ("dropout", None),
    ],
)
def test_sizes_that_cannot_be(folder: Path, name: str, value: Any) -> None:
    change(folder / "config.json", "model", name, value=value)
    assert refused(folder).startswith(("config", "checkpoint_mismatch", "checkpoint_damaged"))


@pytest.mark.usefixtures("_small_memory")
def test_a_learned_table_of_positions_is_compared_too(folder: Path) -> None:
    change(folder / "config.json", "model", "positions", value="learned")
    change(folder / "config.json", "model", "max_length", value=2**20)
    assert "position_table" in refused(folder)


@pytest.mark.parametrize("model", [None, 3, "text", [["d_model", 16]], {}])
def test_settings_of_another_kind(folder: Path, model: Any) -> None:
    change(folder / "config.json", "model", value=model)
    assert refused(folder).startswith(("config: ", "checkpoint_damaged: "))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pieces", None),
        ("pieces", "text"),
        ("pieces", [1, 2]),
        ("spelling", {"a": 1}),
        ("spelling", []),
        ("counts", {"a": "many"}),
        ("counts", {"a": -1}),
        ("counts", {"a": 2**2000}),
        ("counts", None),
    ],
)
def test_a_vocabulary_of_another_kind(folder: Path, name: str, value: Any) -> None:
    change(folder / "vocabulary.json", name, value=value)
    assert refused(folder).startswith("checkpoint_damaged")


@pytest.mark.parametrize("piece", [7, None, ["a"], {}, ""])
def test_a_piece_that_is_no_word(folder: Path, piece: Any) -> None:
    path = folder / "vocabulary.json"
    pieces = json.loads(path.read_text(encoding="utf-8"))["pieces"]
    change(path, "pieces", value=[*pieces[:-1], piece])
    assert refused(folder).startswith("checkpoint_damaged")


@pytest.mark.parametrize("capitals", [7, "en", [7], {"en": 1}])
def test_capitals_of_another_kind(folder: Path, capitals: Any) -> None:
    change(folder / "vocabulary.json", "kind", value="words")
    change(folder / "vocabulary.json", "capitals", value=capitals)
    assert refused(folder).startswith("checkpoint_damaged")


@pytest.mark.parametrize("name", ["config.json", "vocabulary.json", "confidence.json"])
@pytest.mark.parametrize("text", ['{"a":' * 100_000, "[]", "null", '{"a": "\\udc00"}'])
def test_json_that_is_no_object(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    assert refused(folder).startswith("checkpoint_damaged")
    (folder / "history.json").write_text(text, encoding="utf-8")
    with pytest.raises(GlassformerError):
        load_history(folder)


def test_a_step_without_end_in_the_history(folder: Path) -> None:
    text = '{"curve": [], "snapshots": [{"step": 1e999, "metrics": {}}]}'
    (folder / "history.json").write_text(text, encoding="utf-8")
    with pytest.raises(GlassformerError, match=r"history\.json"):
        load_history(folder)


@pytest.mark.parametrize("intercept", [float("nan"), 10**400, True, "x"])
def test_a_confidence_without_a_number(folder: Path, intercept: Any) -> None:
    table = {"intercept": intercept, "weights": {}, "threshold": 0.5}
    if intercept is True:
        table["weights"] = {"unknown": float("inf")}
    (folder / "confidence.json").write_text(json.dumps(table), encoding="utf-8")
    assert refused(folder).startswith("checkpoint_damaged")


def test_weights_that_are_no_numbers_with_a_point(folder: Path) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    weights["generator.bias"] = weights["generator.bias"].to(torch.int32)
    save_file(weights, path)
    assert "generator.bias holds I32" in refused(folder)


@pytest.mark.parametrize(
    "taught",
    [[1], "x", {"alignment": 3}, {"alignment": {"head": 0}}, {"other": {"address": "a"}},
     {"alignment": {"address": "a", "head": "first"}}],
)  # fmt: skip
def test_what_config_tells_of_its_heads(folder: Path, taught: Any) -> None:
    change(folder / "config.json", "taught", value=taught)
    with pytest.raises(GlassformerError, match="taught"):
        load_about(folder)


def test_what_holds_together_is_still_read(folder: Path) -> None:
    place = {"address": "encoder/0/self_attention/weights", "head": None}
    change(folder / "config.json", "taught", value={"alignment": place})
    assert load_about(folder)["taught"]["alignment"] == place
    assert load_model(folder).trace("I love cats").output_tokens
