"""Models of other programs' form: the bundled small GPT, and those of GLASSFORMER_MODELS.

A model's name is that of its folder. Links carry names, never paths: they open nothing else.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from os import scandir
from pathlib import Path

from glassformer.app.runs.cache import BoundedCache, Budget
from glassformer.app.session.limits import LIBRARY_BYTES
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import CHECKPOINTS
from glassformer.core.text_models.model import Model
from glassformer.core.weights.aside import LeftAside
from glassformer.core.weights.load import SMALL_GPT
from glassformer.core.weights.model_folder import is_foreign, look_into_folder
from glassformer.core.weights.opened_model import open_model

MOST = 50  # models that are listed


@dataclass(frozen=True)
class Facts:
    """What the menu says of a model that can be opened."""

    parameters: int
    nbytes: int  # memory that its weights take
    task: str  # "translate", "continue", "fill_in"; "vectors" of one that writes nothing
    licence: str  # "" where its card says none
    left_aside: LeftAside


def _bytes(model: Model) -> int:
    return sum(weight.nbytes for weight in model.transformer.parameters())


_opened: BoundedCache[Model] = BoundedCache(Budget(LIBRARY_BYTES), _bytes, "models")


def model_folders() -> dict[str, Path]:
    """The models by name: the bundled one, then the operator's in alphabetical order."""
    bundled, given = bundled_folders(), _given_folders()
    return bundled | {name: folder for name, folder in given.items() if name not in bundled}


@cache  # it changes with the code
def bundled_folders() -> dict[str, Path]:
    """The bundled ones; there is one."""
    folder = CHECKPOINTS / SMALL_GPT
    return {SMALL_GPT: folder} if is_foreign(folder) else {}


def _given_folders() -> dict[str, Path]:
    root = read_settings().models
    if not root:
        return {}
    try:
        with scandir(root) as entries:
            inside = tuple(sorted((each.path, each.stat().st_mtime_ns) for each in entries))
    except OSError:
        return {}
    return _folders(inside)


@lru_cache(maxsize=4)
def _folders(inside: tuple[tuple[str, int], ...]) -> dict[str, Path]:
    found = [Path(path) for path, _ in inside if is_foreign(Path(path))]
    return {each.name: each for each in found[:MOST]}


def facts_of_model(name: str) -> Facts | GlassformerError:
    """What a model of the folder is, or why it cannot be opened; not a weight is read."""
    folder = model_folders()[name]
    if folder == bundled_folders().get(name):  # every rerun asks
        return _about(folder, 0, 0)
    try:
        changed = (folder / "config.json").stat().st_mtime_ns
    except OSError:
        changed = 0  # it has just gone, and `look` says so
    return _about(folder, folder.stat().st_mtime_ns if changed else 0, changed)


@lru_cache(maxsize=2 * MOST)
def _about(folder: Path, _inside: int, _changed: int) -> Facts | GlassformerError:
    try:
        found = look_into_folder(folder)
    except GlassformerError as error:
        return error
    task = found.task if found.config.has_generator else "vectors"
    return Facts(found.parameters, found.nbytes(), task, found.licence, found.left_aside)


def is_open(name: str) -> bool:
    """Whether a model's weights are in memory already."""
    return model_folders()[name] in _opened


def get_opened(folder: Path) -> Model:
    """The model of a folder, opened once for all sessions. Errors: as `open_model`."""
    return _opened.get(folder, lambda: open_model(folder))
