"""A model's folder: written, read back, and refused when it does not hold together."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from glassformer import list_models, load_model
from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.checkpoints import (
    CHECKPOINTS,
    list_snapshots,
    load_about,
    load_history,
    save_model,
    save_snapshot,
)
from glassformer.core.text_models.history import (
    SNAPSHOT_STEPS,
    CurvePoint,
    History,
    SnapshotMetrics,
    save_history,
    snapshot_steps,
)


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


def with_history(folder: Path) -> Path:
    """The model, with a snapshot of step 7 whose generator has another bias, and its end at 9."""
    transformer = load_model(folder).transformer
    assert transformer.generator.bias is not None
    with torch.no_grad():
        transformer.generator.bias += 1
    save_snapshot(folder, transformer, 7)
    measured = SnapshotMetrics(7, {"loss": 1.5})
    save_history(folder, History((CurvePoint(5, 2.0, 0.001),), (measured, SnapshotMetrics(9))))
    return folder


def test_a_snapshot_is_another_moment_of_the_model(folder: Path) -> None:
    with_history(folder)
    end, early, last = (load_model(f"{folder}{at}") for at in ("", "@7", "@9"))
    assert (end.name, early.name, last.name) == ("model", "model@7", "model@9")
    assert torch.equal(end.transformer.generator.bias, last.transformer.generator.bias)
    moved = early.transformer.generator.bias - end.transformer.generator.bias
    assert torch.allclose(moved, torch.ones_like(moved), atol=1e-2)


def test_history_round_trip(folder: Path) -> None:
    assert load_history(folder) is None and list_snapshots(folder) == ()
    with_history(folder)
    assert list_snapshots(folder) == list_snapshots(f"{folder}@7") == (7, 9)
    assert load_history(folder) == History(
        (CurvePoint(5, 2.0, 0.001),), (SnapshotMetrics(7, {"loss": 1.5}), SnapshotMetrics(9))
    )
    save_history(folder, History())
    assert load_history(folder) == History()


@pytest.mark.parametrize("step", [0, 8, 70])
def test_a_step_without_snapshot(folder: Path, step: int) -> None:
    with pytest.raises(GlassformerError, match=f"no snapshot of step {step}; it has 7, 9"):
        load_model(f"{with_history(folder)}@{step}")


def test_a_model_without_history_has_no_snapshots(folder: Path) -> None:
    with pytest.raises(GlassformerError, match="it has -"):
        load_model(f"{folder}@100")
    assert problem(Path(f"{folder}@early")).startswith("checkpoint_missing")


def test_a_snapshot_file_is_damaged(folder: Path) -> None:
    path = with_history(folder) / "snapshots" / "step-000007.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    assert problem(Path(f"{folder}@7")).startswith("checkpoint_damaged")
    path.unlink()
    assert problem(Path(f"{folder}@7")).startswith("checkpoint_damaged")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"curve": [{"step": 1}], "snapshots": []}',
        '{"curve": [{"step": 1, "loss": NaN, "rate": 1}], "snapshots": []}',
        '{"curve": [], "snapshots": [{"step": 1, "metrics": {"loss": "low"}}]}',
        '{"curve": [], "snapshots": [{"step": 1, "metrics": []}]}',
    ],
)
def test_a_damaged_history(folder: Path, text: str) -> None:
    (folder / "history.json").write_text(text, encoding="utf-8")
    with pytest.raises(GlassformerError, match=r"history\.json"):
        load_history(folder)
    assert load_model(folder).name == "model"  # the model itself does not need it


def test_the_calibration_of_a_model_travels_with_it(folder: Path) -> None:
    assert load_model(folder).calibration == {}
    table = {"intercept": 1.0, "weights": {"unknown": -2.0}}
    (folder / "confidence.json").write_text(json.dumps({**table, "cases": 3}), encoding="utf-8")
    assert load_model(folder).calibration == table
    (folder / "confidence.json").write_text("{}", encoding="utf-8")
    assert problem(folder).startswith("checkpoint_damaged")


def test_a_folder_may_have_an_at_in_its_name(folder: Path) -> None:
    other = folder.rename(folder.with_name("mine@2"))
    assert load_model(other).name == "mine@2"


def test_what_config_tells(folder: Path) -> None:
    assert load_about(folder)["note"] == "små"


def test_the_steps_that_are_kept() -> None:
    assert snapshot_steps(120) == (0, 50, 100, 120)
    assert snapshot_steps(100) == (0, 50, 100)
    assert snapshot_steps(12000) == (*SNAPSHOT_STEPS, 12000)
