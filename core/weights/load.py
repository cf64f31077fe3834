"""`load_model`: one of ours, or a folder of another program's."""

from collections.abc import Iterator
from pathlib import Path

from glassformer.core.errors import GlassformerError
from glassformer.core.model.device import Device, Dtype
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.text_models.checkpoints import load_model as load_ours
from glassformer.core.text_models.model import Model
from glassformer.core.weights.model_folder import is_foreign
from glassformer.core.weights.opened_model import open_model
from glassformer.core.weights.snapshots import open_snapshot

FETCHED = Path("models")  # in the working folder: what `python -m glassformer fetch` brought
SMALL_GPT = "small-gpt"  # the bundled decoder alone, as other people's models are: of GPT-2's form


def load_model(
    name_or_folder: str | Path | None = None, device: Device = None, dtype: Dtype = None
) -> Model:
    """A model ready to run, with `trace(text)`: a bundled one's name, or a folder.

    Args:
        name_or_folder: a folder that `save_model` wrote, or one with another program's config.json,
            weights as safetensors and tokenizer: here, in GLASSFORMER_MODELS, in `models/`. None
            loads the bundled translator. Followed by "@400" it is the model as it was at that step
            of its training, where its folder keeps it.
        device: where it runs, such as "cuda" or "cuda:1"; None for the best device here, which the
            variable GLASSFORMER_DEVICE overrides.
        dtype: in which numbers it computes, by name or as torch has it: "float32" (None),
            "bfloat16", "float16", "float64"; "auto" for those that its weights are stored in. Half
            the bytes are half the digits: bfloat16 has some three, float16 four and nothing beyond
            65,504.

    Returns:
        The model; a `Translator` of ours, an `OpenedModel` of another
        program's, and of the bundled "small-gpt".

    Raises:
        GlassformerError: as `core.text_models.checkpoints.load_model`,
            `core.weights.opened_model.open_model` and `core.weights.snapshots.open_snapshot`;
            `device_missing` for a device that is not here, `dtype_device` where it has not every
            operation for these numbers.
    """
    if name_or_folder is None:
        return load_ours(None, device, dtype)
    if (found := next(_places(str(name_or_folder), Path(), CHECKPOINTS), None)) is not None:
        if found[1] is not None:
            return open_snapshot(found[0], found[1], device, dtype)
        return open_model(found[0], device=device, dtype=dtype)
    try:
        return load_ours(name_or_folder, device, dtype)
    except GlassformerError as error:
        if error.key != "checkpoint_missing":
            raise
        roots = (Path(read_settings().models or FETCHED), FETCHED)
        if (found := next(_places(str(name_or_folder), *roots), None)) is None:
            raise
        return open_model(found[0], device=device, dtype=dtype)


load = load_model  # as one writes it where `glassformer` is `gf`


def _places(given: str, *roots: Path) -> Iterator[tuple[Path, int | None]]:
    """Folders of other programs' form that a name may mean, with the step after "@"."""
    name, _, step = given.rpartition("@")
    for root in roots:
        if is_foreign(root / given):
            yield root / given, None
        elif name and step.isdecimal() and is_foreign(root / name):
            yield root / name, int(step)
