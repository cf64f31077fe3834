"""Models on the way: a front says where its files are, a worker finds and checks them."""

import hashlib
from functools import lru_cache
from pathlib import Path

from glassformer.app.runs.engine.requests import ModelAddress
from glassformer.app.session.state import CHAT
from glassformer.app.stores.blobs import open_blobs
from glassformer.core.errors import GlassformerError
from glassformer.core.settings import read_settings
from glassformer.core.text_models.checkpoints import CHECKPOINTS, load_model
from glassformer.core.text_models.model import Model
from glassformer.core.weights.model_folder import is_foreign
from glassformer.core.weights.opened_model import OpenedModel, open_model
from glassformer.core.weights.snapshots import open_snapshot

WHOLE = 2**23  # bytes of a file; of larger ones samples are read
SAMPLES, SAMPLE = 64, 2**16  # a model that was trained on differs everywhere


def address_of(place: str) -> ModelAddress:
    """Where a worker finds what a front loads from a place; what only the front has is stored.

    Errors: those of the blobs.
    """
    folder = CHECKPOINTS / place  # an absolute place stays what it is
    return _address(folder, read_settings().models, _changed(folder))


@lru_cache(maxsize=256)
def _address(folder: Path, given: str, _changed: int) -> ModelAddress:
    if folder.parent == CHECKPOINTS:
        return ModelAddress("bundled", fingerprint_of(folder), folder.name)
    if given and folder.parent == Path(given):
        return ModelAddress("folder", fingerprint_of(folder), folder.name)
    return ModelAddress("blob", open_blobs().put_folder(folder), folder.name)


def load_addressed(address: ModelAddress, step: str) -> Model:
    """The model of an address at a step of its training; CHAT as `models.get_model` has it.

    Errors: engine_model for one that is not here, or another of its name; as `load_model`.
    """
    if step == CHAT:
        found = load_addressed(address, "")
        return found.with_chat_template(True) if isinstance(found, OpenedModel) else found
    folder = _folder_of(address)
    if is_foreign(folder):
        return open_snapshot(folder, int(step)) if step.isdecimal() else open_model(folder)
    return load_model(f"{folder}@{step}" if step else folder)


def fingerprint_of(folder: Path) -> str:
    """SHA-256 of a folder's files and their names; of files above `WHOLE` bytes, of samples.

    Errors: OSError.
    """
    found = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        size = path.stat().st_size
        found.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as file:
            if size <= WHOLE:
                found.update(file.read())
                continue
            for at in range(SAMPLES):
                file.seek(at * (size - SAMPLE) // (SAMPLES - 1))
                found.update(file.read(SAMPLE))
    return found.hexdigest()


def _folder_of(address: ModelAddress) -> Path:
    if address.source == "blob":
        return open_blobs().folder_of(address.fingerprint, address.name)
    roots = {"bundled": CHECKPOINTS, "folder": Path(read_settings().models or "-")}
    folder = roots[address.source] / address.name
    if not folder.is_dir() or address_of(str(folder)).fingerprint != address.fingerprint:
        raise GlassformerError("engine_model", name=address.name)
    return folder


def _changed(folder: Path) -> int:
    try:
        return max(each.stat().st_mtime_ns for each in folder.iterdir())
    except (OSError, ValueError):
        return 0
