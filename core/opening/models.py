"""A trained model as a zip: what it holds is checked before anything is written or built."""

import io
import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

import torch

from glassformer.core.errors import GlassformerError
from glassformer.core.opening.kinds import (
    MEGABYTE,
    as_object,
    damaged_by,
    refuse_large,
    require_facts,
)
from glassformer.core.opening.runs import UNREADABLE, check_config
from glassformer.core.text_models.checkpoints import WEIGHTS, load_model
from glassformer.core.text_models.history import HISTORY, History, read_history, save_history

# What may be in it, and how large each may be unpacked.
NEEDED = {"config.json": MEGABYTE // 4, "vocabulary.json": 16 * MEGABYTE, WEIGHTS: 96 * MEGABYTE}
FURTHER = {HISTORY: 4 * MEGABYTE, "confidence.json": MEGABYTE // 4}
FILES = {**NEEDED, **FURTHER}
FORMAT = 1
LONGEST_NAME = 40
# What a zip may raise that is cut, changed, locked or packed in a way that is not known here.
UNZIPPABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError,
    ValueError,
)  # fmt: skip
TRIALS = {"en": "I like you", "zh": "我喜欢你"}


def pack(folder: Path, name: str) -> bytes:
    """A zip of a model's files; unpacked, `load_model(folder)` reads it.

    Args:
        folder: of the model.
        name: of its folder in the zip.

    Returns:
        The bytes of the zip; snapshots of the training are not in it.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in FILES:
            if (folder / file).is_file():
                archive.write(folder / file, f"{name}/{file}")
    return buffer.getvalue()


def unpack(data: bytes, folder: Path) -> Path:
    """Writes the model of a zip into a folder of its own name, and tries it.

    Only what a model consists of is read, each file up to its limit, however small the zip says it
    is. Snapshots of the training do not travel: of its steps the end is left.

    Args:
        data: the whole zip.
        folder: empty; it gets the model's folder.

    Returns:
        The model's folder.

    Raises:
        GlassformerError: `file_foreign` for a zip of something else, `file_large`, `file_damaged`,
            `file_newer`.
    """
    name, contents = _contents(data)
    home = folder / name
    home.mkdir(parents=True)
    for file, content in contents.items():
        (home / file).write_bytes(content)
    with damaged_by(*UNREADABLE):
        _try(home)
        history = read_history(home)
    if history is not None:
        save_history(home, History(history.curve, history.snapshots[-1:]))
    return home


def _contents(data: bytes) -> tuple[str, dict[str, bytes]]:
    """The model's name and its files, by name."""
    with damaged_by(*UNZIPPABLE), zipfile.ZipFile(io.BytesIO(data)) as archive:
        name, members = _members(archive)
        contents = {file: _read(archive, member) for file, member in members.items()}
    about = as_object(contents["config.json"])
    require_facts(isinstance(about.get("format", FORMAT), int))
    if about.get("format", FORMAT) > FORMAT:
        raise GlassformerError("file_newer", found=about["format"], known=FORMAT)
    check_config(about.get("model"))
    return name, contents


def _members(archive: zipfile.ZipFile) -> tuple[str, dict[str, zipfile.ZipInfo]]:
    """Its files by name, all of one folder; anything else makes it another program's zip."""
    files = [each for each in archive.infolist() if not each.is_dir()]
    paths = [PurePosixPath(each.filename) for each in files]
    parents = {path.parent for path in paths}
    names = [path.name for path in paths]
    if len(parents) != 1 or len(set(names)) != len(names) or not set(names) <= set(FILES):
        raise GlassformerError("file_foreign")
    (parent,) = parents
    if len(parent.parts) > 1 or ".." in parent.parts or not set(NEEDED) <= set(names):
        raise GlassformerError("file_foreign")
    return _safe(parent.name), dict(zip(names, files, strict=True))


def _safe(name: str) -> str:
    """A folder's name as a model may have it: no way out, no step, not a line of its own."""
    return re.sub(r"[^\w.-]|^\.+", "-", name)[:LONGEST_NAME].strip("-.") or "opened"


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """What it holds, not more than its limit: the size that a zip states may be a lie."""
    limit = FILES[PurePosixPath(member.filename).name]
    refuse_large(member.file_size, limit)
    with archive.open(member) as file:
        content = file.read(limit + 1)
    refuse_large(len(content), limit)
    return content


def _try(folder: Path) -> None:
    """Loads it and translates: what cannot do that is no model. Raises what loading raises."""
    model = load_model(folder)
    for weight in model.transformer.parameters():
        require_facts(bool(weight.isfinite().all()))
    for language, text in TRIALS.items():
        other = "zh" if language == "en" else "en"
        try:
            model.trace(text, direction=f"{language}-{other}")  # type: ignore[arg-type]
        except (GlassformerError, torch.OutOfMemoryError):
            continue  # a model of own pairs need not know these words
