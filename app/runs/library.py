"""The models of the operator's folder (GLASSFORMER_MODELS): what lies there, and those in use.

A model's name is that of its folder. Links carry names, never paths: they open nothing else.
"""

from functools import lru_cache
from pathlib import Path

from app.runs.cache import BoundedCache, Budget
from app.session.limits import LIBRARY_BYTES
from core.errors import GlassformerError
from core.models import Model
from core.settings import read_settings
from core.weights.open import Found, is_foreign, look
from core.weights.opened import open_model

MOST = 50  # models that are listed


def _bytes(model: Model) -> int:
    return sum(weight.nbytes for weight in model.transformer.parameters())


_opened: BoundedCache[Model] = BoundedCache(Budget(LIBRARY_BYTES), _bytes)


def folders() -> dict[str, Path]:
    """The models there by name, in alphabetical order; {} where no folder is named."""
    root = read_settings().models
    if not root:
        return {}
    try:
        inside = sorted(each for each in Path(root).iterdir() if (each / "config.json").is_file())
    except OSError:
        return {}
    return {each.name: each for each in inside[:MOST] if is_foreign(each)}


def about(name: str) -> Found | GlassformerError:
    """What a model of the folder is, or why it cannot be opened; not a weight is read."""
    folder = folders()[name]
    return _about(folder, (folder / "config.json").stat().st_mtime_ns)


@lru_cache(maxsize=2 * MOST)
def _about(folder: Path, _changed: int) -> Found | GlassformerError:
    try:
        return look(folder)
    except GlassformerError as error:
        return error


def get_opened(folder: Path) -> Model:
    """The model of a folder, opened once for all sessions. Errors: as `open_model`."""
    return _opened.get(folder, lambda: open_model(folder))
