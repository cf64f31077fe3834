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
from glassformer.core.text_models.checkpoints import SNAPSHOTS, WEIGHTS, load_model
from glassformer.core.text_models.history import HISTORY, History, read_history, save_history

# What may be in it, and how large each may be unpacked.
NEEDED = {"config.json": MEGABYTE // 4, "vocabulary.json": 16 * MEGABYTE, WEIGHTS: 96 * MEGABYTE}
FURTHER = {HISTORY: 4 * MEGABYTE, "confidence.json": MEGABYTE // 4}
FILES = {**NEEDED, **FURTHER}
SNAPSHOT = re.compile(rf"{SNAPSHOTS}/step-\d{{6}}\.safetensors")
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


def check_model_folder(folder: Path) -> None:
    """Looks at a model's folder as at a zip that was opened, before anybody uses it.

    Args:
        folder: of the model; snapshots of its training may be in it.

    Raises:
        GlassformerError: as `unpack`.
    """
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_file():
            limit = FILES[WEIGHTS] if SNAPSHOT.fullmatch(name) else FILES.get(name)
            if limit is None:
                raise GlassformerError("file_foreign")
            refuse_large(path.stat().st_size, limit)
    require_facts(*((folder / name).is_file() for name in NEEDED))
    with damaged_by(*UNREADABLE):
        _check_about((folder / "config.json").read_bytes())
        _try(folder)
        read_history(folder)


def name_for_folder(name: str) -> str:
    """A name as a model's folder may have it: no way out, no step, not a line of its own.

    Args:
        name: anything.

    Returns:
        At most 40 letters, digits, "_", "-" and "."; "opened" where nothing is left.
    """
    return re.sub(r"[^\w.-]|^\.+", "-", name)[:LONGEST_NAME].strip("-.") or "opened"


def _contents(data: bytes) -> tuple[str, dict[str, bytes]]:
    """The model's name and its files, by name."""
    with damaged_by(*UNZIPPABLE), zipfile.ZipFile(io.BytesIO(data)) as archive:
        name, members = _members(archive)
        contents = {file: _read(archive, member) for file, member in members.items()}
    _check_about(contents["config.json"])
    return name, contents


def _check_about(config: bytes) -> None:
    about = as_object(config)
    require_facts(isinstance(about.get("format", FORMAT), int))
    if about.get("format", FORMAT) > FORMAT:
        raise GlassformerError("file_newer", found=about["format"], known=FORMAT)
    check_config(about.get("model"))


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
    return name_for_folder(parent.name), dict(zip(names, files, strict=True))


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
