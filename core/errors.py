"""What can be refused, each with what was given, what is allowed and what to do.

A `GlassformerError` carries a key and values, so that the app can say the same in the reader's
language (words key `errors.<key>`); as a string it is the English sentence of errors.toml.
"""

import tomllib
from pathlib import Path

MESSAGES: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


class GlassformerError(ValueError):
    """Something the reader gave cannot be used; `key` and `values` say why in any language."""

    def __init__(self, key: str, **values: object) -> None:
        self.key = key
        self.values = {name: _sendable(value) for name, value in values.items()}
        super().__init__(MESSAGES[key].format(**self.values))


def check_index(name: str, index: float, size: int) -> None:
    """Raises unless 0 <= index < size.

    Args:
        name: what is counted, for the error.
        index: counted from 0.
        size: how many there are.

    Raises:
        GlassformerError: `out_of_range`.
    """
    if not 0 <= index < size:
        raise GlassformerError("out_of_range", name=name, given=index, last=size - 1)


def index_from_end(name: str, index: int, size: int) -> int:
    """An index from 0, of one that may be counted from the end.

    Args:
        name: what is counted, for the error.
        index: counted from 0, or below 0 from the end: -1 is the last.
        size: how many there are.

    Returns:
        The index from 0.

    Raises:
        GlassformerError: `out_of_range`.
    """
    if index < -size:
        raise GlassformerError("out_of_range", name=name, given=index, last=size - 1)
    check_index(name, index % size if index < 0 else index, size)
    return index % size


def _sendable(value: object) -> object:
    """The value without halves of characters, which a file's escapes may hold and no page shows."""
    text = str(value)
    sent = text.encode("utf-8", "replace").decode()
    return value if sent == text else sent
