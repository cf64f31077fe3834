"""`load_model`: one of ours, or a folder of another program's."""

from pathlib import Path

from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import load_model as load_ours
from glassformer.core.text_models.model import Model
from glassformer.core.weights.model_folder import is_foreign
from glassformer.core.weights.opened_model import open_model

FETCHED = Path("models")  # in the working folder: what `python -m glassformer fetch` brought


def load_model(name_or_folder: str | Path | None = None) -> Model:
    """A model ready to run, with `trace(text)`: a bundled one's name, or a folder.

    Args:
        name_or_folder: a folder that `save_model` wrote, or one with another program's config.json,
            weights as safetensors and tokenizer: here, in GLASSFORMER_MODELS, in `models/`. None
            loads the bundled translator.

    Returns:
        The model, on the best device here; a `Translator` of ours, an `OpenedModel` of another
        program's.

    Raises:
        GlassformerError: as `core.text_models.checkpoints.load_model` and
            `core.weights.opened_model.open_model`.
    """
    if name_or_folder is not None and is_foreign(Path(name_or_folder)):
        return open_model(name_or_folder)
    try:
        return load_ours(name_or_folder)
    except GlassformerError as error:
        if error.key != "checkpoint_missing" or name_or_folder is None:
            raise
        roots = (Path(read_settings().models or FETCHED), FETCHED)
        found = (root / name_or_folder for root in roots)
        if (folder := next(filter(is_foreign, found), None)) is None:
            raise
        return open_model(folder)
