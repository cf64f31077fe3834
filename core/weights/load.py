"""`load_model`: one of ours, or a folder of another program's."""

from pathlib import Path

from core.checkpoints import load_model as load_ours
from core.models import Model
from core.weights.open import is_foreign
from core.weights.opened import open_model


def load_model(name_or_folder: str | Path | None = None) -> Model:
    """A model ready to run, with `trace(text)`: a bundled one's name, or a folder.

    A folder that `save_model` wrote, or one with another program's config.json, weights as
    safetensors and tokenizer. None loads the bundled translator.

    Raises as `core.checkpoints.load_model` and `core.weights.opened.open_model`.
    """
    if name_or_folder is not None and is_foreign(Path(name_or_folder)):
        return open_model(name_or_folder)
    return load_ours(name_or_folder)
