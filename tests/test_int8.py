"""Weights in eight bits: close to what they were, and read back whoever wrote them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from glassformer.core.errors import GlassformerError
from glassformer.core.model.transformer import Transformer
from glassformer.core.text.tokenizer import Tokenizer
from glassformer.core.text_models.checkpoints import (
    CHECKPOINTS,
    SCALE,
    from_int8,
    load_model,
    save_model,
    save_snapshot,
    snapshot_file,
    to_int8,
)
from glassformer.core.text_models.history import History, SnapshotMetrics, save_history


def test_a_row_keeps_its_numbers_to_half_a_step() -> None:
    matrix = torch.tensor([[1.27, -0.635, 0.004], [0.0, 0.0, 0.0], [-254.0, 1.0, 3.0]])
    stored = to_int8({"w": matrix, "b": torch.tensor([0.1, 0.2])})
    assert stored["w"].tolist() == [[127, -64, 0], [0, 0, 0], [-127, 0, 2]]
    assert stored["w" + SCALE].tolist() == pytest.approx([0.01, 1.0, 2.0])
    assert stored["b"].dtype == torch.float16
    again = from_int8(stored)
    assert set(again) == {"w", "b"} and again["w"].dtype == torch.float32
    steps = matrix.abs().amax(dim=1, keepdim=True) / 127
    assert ((again["w"] - matrix).abs() <= 0.501 * steps).all()


@pytest.fixture
def folder(small_model: Callable[..., Transformer], tmp_path: Path) -> Path:
    """A model whose snapshots of steps 1 and 2 are its weights, in eight and in sixteen bits."""
    tokenizer = Tokenizer.load(CHECKPOINTS / "translator")
    tied = {"share_embeddings": True, "tie_generator": True}
    model = small_model(vocabulary_size=len(tokenizer.vocabulary), **tied)
    save_model(tmp_path / "model", model, tokenizer)
    save_snapshot(tmp_path / "model", model, 1)
    whole = load_file(tmp_path / "model" / "model.safetensors")
    save_file(whole, snapshot_file(tmp_path / "model", 2))
    save_history(tmp_path / "model", History((), tuple(map(SnapshotMetrics, (1, 2, 3)))))
    return tmp_path / "model"


def test_snapshots_of_both_kinds_are_read(folder: Path) -> None:
    end, eight, sixteen = (load_model(f"{folder}{at}").transformer for at in ("", "@1", "@2"))
    for one, other, same in zip(
        end.parameters(), eight.parameters(), sixteen.parameters(), strict=True
    ):
        assert torch.equal(one, same)
        assert other.dtype == torch.float32 and (one - other).abs().max() < one.abs().max() / 200
    sizes = [snapshot_file(folder, step).stat().st_size for step in (1, 2)]
    assert sizes[0] < 0.75 * sizes[1]  # its rows are short


@pytest.mark.parametrize("how", ["no scale", "short scale", "whole scale", "alone"])
def test_a_snapshot_that_does_not_hold_together(folder: Path, how: str) -> None:
    path = snapshot_file(folder, 1)
    stored = load_file(path)
    name = next(each.removesuffix(SCALE) for each in stored if each.endswith(SCALE))
    if how == "no scale":
        del stored[name + SCALE]
    elif how == "short scale":
        stored[name + SCALE] = stored[name + SCALE][1:].clone()
    elif how == "whole scale":
        stored[name + SCALE] = stored[name + SCALE].to(torch.int32)
    else:
        del stored[name]
    save_file(stored, path)
    with pytest.raises(GlassformerError) as caught:
        load_model(f"{folder}@1")
    assert caught.value.key == "checkpoint_mismatch"
