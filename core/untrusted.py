"""Files from elsewhere, read without trust: what they hold is known before anything is built.

JSON comes through `read_json` alone; of weights and runs `tensor_header` tells names, types and
shapes without reading a number.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

LARGEST_JSON = 32 * 2**20  # bytes; the bundled models' largest has 0.1 MiB
# What reading, checking and converting a damaged file can raise.
UNREADABLE = (
    OSError, SafetensorError, ValueError, KeyError, IndexError, TypeError, AttributeError,
    ArithmeticError, RecursionError,
)  # fmt: skip


@dataclass(frozen=True)
class Stored:
    """A tensor in a file: its type as safetensors writes it ("F32"), and its shape."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def is_float(self) -> bool:
        return self.dtype in ("F16", "BF16", "F32", "F64")


def read_json(text: str | bytes) -> dict[str, Any]:
    """The object that a JSON text holds.

    Args:
        text: of a file from elsewhere.

    Returns:
        The object, every text in it writable again.

    Raises:
        ValueError: in a few plain words, for text that is not JSON, holds something else than an
            object, is nested too deeply, or has half a character that no program can write again.
    """
    try:
        found = json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}: {error.msg})") from None
    except UnicodeError:
        raise ValueError("it is not text in UTF-8") from None
    if not isinstance(found, dict):
        raise ValueError(f"it holds a {type(found).__name__}, not an object")
    return found


def regular_file(path: Path) -> Path:
    """The path of a file, or of none.

    Reading a pipe or a device may wait for ever, or never come to an end.

    Args:
        path: as it was given.

    Returns:
        The same path.

    Raises:
        ValueError: it is a pipe, a device or a folder.
    """
    if path.exists() and not path.is_file():
        raise ValueError("it is no regular file")
    return path


def read_json_file(path: Path) -> dict[str, Any]:
    """As `read_json`, of a file.

    Args:
        path: of the file.

    Returns:
        The object that it holds.

    Raises:
        ValueError: as `read_json` and `regular_file`, or more than `LARGEST_JSON` bytes; the file
            is named.
        OSError: it cannot be read.
    """
    try:
        with regular_file(path).open("rb") as file:
            text = file.read(LARGEST_JSON + 1)
        if len(text) > LARGEST_JSON:
            size = path.stat().st_size
            raise ValueError(f"it has {size:,} bytes; at most {LARGEST_JSON:,} are read")
        return read_json(text)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def tensor_header(path: Path) -> tuple[dict[str, str], dict[str, Stored]]:
    """Facts and tensors from the header of safetensors; no number is read.

    Args:
        path: of the file.

    Returns:
        The texts of its metadata, {} without them; type and shape of each tensor by its name.

    Raises:
        OSError: it cannot be read.
        SafetensorError: it is no such file.
        ValueError: as `regular_file`.
    """
    with safe_open(regular_file(path), framework="pt") as file:
        parts = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
        tensors = {
            name: Stored(str(part.get_dtype()), tuple(part.get_shape()))
            for name, part in parts.items()
        }
        return dict(file.metadata() or {}), tensors


def problem_of(error: Exception) -> str:
    """What a failure says of a file, in one line.

    Args:
        error: one of `UNREADABLE`, or another.

    Returns:
        Of a missing name and of the system a few words of their own, else the error's text; the
        name of its class where it has none.
    """
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing" if error.args else "a name is missing"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error) or type(error).__name__


def string_list(value: Any, name: str) -> tuple[str, ...]:
    """A list of texts, as it stands in JSON.

    Args:
        value: what was read.
        name: of the field, for the error.

    Returns:
        The texts.

    Raises:
        ValueError: it is anything else.
    """
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{name} is no list of texts")
    return tuple(value)


def table_of(value: Any, kind: type | tuple[type, ...], name: str) -> dict[str, Any]:
    """An object whose values are of a kind (true and false are no numbers).

    Args:
        value: what was read.
        kind: the type of its values, or several.
        name: of the field, for the error.

    Returns:
        The object as a new dict.

    Raises:
        ValueError: it is anything else.
    """
    fits = isinstance(value, Mapping) and all(
        isinstance(each, kind) and (kind is bool or not isinstance(each, bool))
        for each in value.values()
    )
    if not fits:
        raise ValueError(f"{name} holds values of another kind")
    return dict(value)
