"""A folder of another program's form that keeps the steps of its training, as ours do."""

from pathlib import Path

from safetensors.torch import load_file

from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import Device, Dtype, move_model
from glassformer.core.model.stack import model_of
from glassformer.core.text_models.checkpoints import as_floats, from_int8, snapshot_file
from glassformer.core.text_models.history import read_history
from glassformer.core.untrusted import UNREADABLE, tensor_header
from glassformer.core.weights.opened_model import OpenedModel, open_model
from glassformer.core.weights.read import damaged_folder


def open_snapshot(
    folder: Path, step: int, device: Device = None, dtype: Dtype = None
) -> OpenedModel:
    """The model of a folder as it was at a step of its training.

    Args:
        folder: with another program's config.json and tokenizer, history.json and the snapshots
            that `save_snapshot` wrote.
        step: one of its history; the last is the finished model.
        device: where it runs; None for the best device here.
        dtype: in which numbers it computes, as `open_model` takes it.

    Returns:
        The model; its `name` has the step.

    Raises:
        GlassformerError: `snapshot_missing` for another step, `weights_damaged` for a snapshot that
            does not fit, and as `open_model`.
    """
    end, history = open_model(folder, device=device, dtype=dtype), read_history(folder)
    steps = history.steps if history else ()
    if step not in steps:
        known = ", ".join(map(str, steps)) or "-"
        raise GlassformerError("snapshot_missing", path=folder.name, step=step, steps=known)
    path, found = snapshot_file(folder, step), end
    if step != steps[-1] or path.is_file():
        try:
            model = model_of(end.config)
            shapes = {name: tuple(each.shape) for name, each in model.named_parameters()}
            stored = as_floats(tensor_header(path)[1])
            if {name: each.shape for name, each in stored.items()} != shapes:
                raise ValueError(f"{path.name} is of another model")
            model.load_state_dict(from_int8(load_file(path)), strict=False)  # tied: once
        except UNREADABLE as error:
            raise damaged_folder(folder, str(error)) from error
        move_model(model, end.device, end.transformer.generator.weight.dtype)
        found = end.having(model.requires_grad_(False))
    found.name = f"{folder.name}@{step}"
    return found
