"""Plain values as compact text for a link: `head_off:encoder,0,self_attention,(1,2)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from core.errors import GlassformerError

WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,40})?(e[+-]?\d{1,4})?", re.ASCII)
WORD = re.compile(r"[^,():;]*")
SPECIAL = re.compile(r"[%,():;'!+&=#?\x00-\x1f]")  # what a word may not hold as it is
NAMED = {"!": None, "!0": False, "!1": True}
DEEPEST = 8  # tuples within tuples; a link may come from anywhere


def to_text(kind: str, given: Sequence[object]) -> str:
    """A kind and its values: `kind:value,value`; `from_text` reads it."""
    return f"{kind}:{','.join(map(_written, given))}" if given else kind


def from_text(text: str) -> list[tuple[str, list[object]]]:
    """Switches joined by `;`, as kinds with their values.

    Raises `GlassformerError("experiment_damaged", …)` for text that was not written here.
    """
    found = []
    for part in text.split(";") if text else ():
        kind, colon, rest = part.partition(":")
        values, end = _several(rest, 0, 0) if colon else ((), 0)
        if end != len(rest):
            _damaged(part)
        found.append((kind, list(values)))
    return found


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return f"({','.join(map(_written, value))})"
    for mark, named in NAMED.items():
        if value is named:
            return mark
    if isinstance(value, str):
        word = SPECIAL.sub(lambda found: f"%{ord(found.group()):02X}", value).replace(" ", "+")
        return f"'{word}" if not word or NUMBER.fullmatch(word) else word
    return repr(value)


def _several(text: str, start: int, depth: int) -> tuple[tuple[object, ...], int]:
    """Values between commas, and where they end."""
    if depth > DEEPEST:
        _damaged(text)
    values: list[object] = []
    value: object
    while True:
        if text[start : start + 1] == "(":
            value, start = _tuple(text, start + 1, depth)
        else:
            word = WORD.match(text, start)
            start, value = (word.end(), _read(word.group())) if word else (start, "")
        values.append(value)
        if text[start : start + 1] != ",":
            return tuple(values), start
        start += 1


def _tuple(text: str, start: int, depth: int) -> tuple[tuple[object, ...], int]:
    if text.startswith(")", start):
        return (), start + 1
    values, end = _several(text, start, depth + 1)
    if text[end : end + 1] != ")":
        _damaged(text)
    return values, end + 1


def _read(word: str) -> object:
    if word in NAMED:
        return NAMED[word]
    if NUMBER.fullmatch(word):
        return int(word) if WHOLE.fullmatch(word) else float(word)
    return unquote(word.removeprefix("'").replace("+", " "))


def _damaged(text: str) -> None:
    raise GlassformerError("experiment_damaged", problem=text[:60])
