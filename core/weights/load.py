"""`load_model`: one of ours, or a folder of another program's."""

from collections.abc import Iterator
from pathlib import Path

from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.text_models.checkpoints import load_model as load_ours
from glassformer.core.text_models.model import Model
from glassformer.core.weights.model_folder import is_foreign
from glassformer.core.weights.opened_model import open_model
from glassformer.core.weights.snapshots import open_snapshot

FETCHED = Path("models")  # in the working folder: what `python -m glassformer fetch` brought
SMALL_GPT = "small-gpt"  # the bundled decoder alone, as other people's models are: of GPT-2's form


def load_model(name_or_folder: str | Path | None = None) -> Model:
    """A model ready to run, with `trace(text)`: a bundled one's name, or a folder.

    Args:
        name_or_folder: a folder that `save_model` wrote, or one with another program's config.json,
            weights as safetensors and tokenizer: here, in GLASSFORMER_MODELS, in `models/`. None
            loads the bundled translator. Followed by "@400" it is the model as it was at that step
            of its training, where its folder keeps it.

    Returns:
        The model, on the best device here; a `Translator` of ours, an `OpenedModel` of another
        program's, and of the bundled "small-gpt".

    Raises:
        GlassformerError: as `core.text_models.checkpoints.load_model`,
            `core.weights.opened_model.open_model` and `core.weights.snapshots.open_snapshot`.
    """
    if name_or_folder is None:
        return load_ours()
    if (found := next(_places(str(name_or_folder), Path(), CHECKPOINTS), None)) is not None:
        return open_model(found[0]) if found[1] is None else open_snapshot(found[0], found[1])
    try:
        return load_ours(name_or_folder)
    except GlassformerError as error:
        if error.key != "checkpoint_missing":
            raise
        roots = (Path(read_settings().models or FETCHED), FETCHED)
        if (found := next(_places(str(name_or_folder), *roots), None)) is None:
            raise
        return open_model(found[0])


def _places(given: str, *roots: Path) -> Iterator[tuple[Path, int | None]]:
    """Folders of other programs' form that a name may mean, with the step after "@"."""
    name, _, step = given.rpartition("@")
    for root in roots:
        if is_foreign(root / given):
            yield root / given, None
        elif name and step.isdecimal() and is_foreign(root / name):
            yield root / name, int(step)
