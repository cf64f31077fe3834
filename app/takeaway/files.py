"""Files to take home: their names, and writing them whole or not at all."""

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lecture import Lecture

LONGEST = 120  # bytes of a name: file systems take 255, paths of some systems less
RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)


def file_name(lecture: Lecture, language: str, ending: str) -> str:
    """A name for the file of a lecture, from its title: letters, digits and hyphens."""
    return f"{file_stem(lecture.title.get(language) or lecture.name)}.{ending}"


def file_stem(text: str) -> str:
    """A text as a file name without ending that every system takes."""
    name = re.sub(r"[^\w]+", "-", text).strip("-_")
    short = name.encode()[:LONGEST].decode(errors="ignore").strip("-_")
    return short if short and not RESERVED.fullmatch(short) else f"lecture-{short}".strip("-")


def write_file(path: Path, data: bytes) -> None:
    """Writes a file, through one beside it: what was there stays until the new one is whole.

    Raises `GlassformerError` takeaway_write: a folder that is not there or may not be written to, a
    full disk, a name that is too long.
    """
    beside = None
    try:
        number, name = tempfile.mkstemp(dir=path.parent, prefix=".glassformer-")
        beside = Path(name)
        with os.fdopen(number, "wb") as file:
            file.write(data)
        beside.chmod(0o644)
        beside.replace(path)
    except OSError as error:
        if beside is not None:
            with suppress(OSError):
                beside.unlink()
        problem = error.strerror or str(error)
        raise GlassformerError("takeaway_write", path=path, problem=problem) from error
