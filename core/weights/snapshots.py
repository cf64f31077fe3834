"""A folder of another program's form that keeps the steps of its training, as ours do."""

from pathlib import Path

from safetensors.torch import load_file

from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import choose_device
from glassformer.core.model.stack import model_of
from glassformer.core.text_models.checkpoints import as_floats, from_int8, snapshot_file
from glassformer.core.text_models.history import read_history
from glassformer.core.untrusted import UNREADABLE, tensor_header
from glassformer.core.weights.opened_model import OpenedModel, open_model
from glassformer.core.weights.read import damaged_folder


def open_snapshot(folder: Path, step: int) -> OpenedModel:
    """The model of a folder as it was at a step of its training.

    Args:
        folder: with another program's config.json and tokenizer, history.json and the snapshots
            that `save_snapshot` wrote.
        step: one of its history; the last is the finished model.

    Returns:
        The model; its `name` has the step.

    Raises:
        GlassformerError: `snapshot_missing` for another step, `weights_damaged` for a snapshot that
            does not fit, and as `open_model`.
    """
    end, history = open_model(folder), read_history(folder)
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
        found = end.having(model.to(choose_device()).requires_grad_(False))
    found.name = f"{folder.name}@{step}"
    return found
