"""How one field of the state is written in a URL and read back; reading raises ValueError."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from core.trace.sites import AxisName

MAX_LINK_TEXT = 2000  # longer links break in mail programs and proxies


@dataclass(frozen=True)
class Codec:
    """`read` turns the text of a URL into a value or raises ValueError; `write` turns it back."""

    read: Callable[[str], Any]
    write: Callable[[Any], str] = str

    def takes(self, value: Any) -> bool:
        """Whether it is such a value; a text may be longer than a link carries."""
        try:
            self.read(self.write(value)[:MAX_LINK_TEXT])
        except (ValueError, TypeError):
            return False
        return True


def one_of(*names: str) -> Codec:
    """One of a few words."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError(text)
        return text

    return Codec(read)


def between(low: int, high: int) -> Codec:
    """A whole number from low to high, both allowed."""

    def read(text: str) -> int:
        number = _whole(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return Codec(read)


def number(low: float, high: float) -> Codec:
    """A decimal number from low to high, both allowed."""

    def read(text: str) -> float:
        if not (text.isascii() and re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text)):
            raise ValueError(text)
        if not low <= float(text) <= high:
            raise ValueError(text)
        return float(text)

    return Codec(read, "{:g}".format)


def _whole(text: str) -> int:
    # int() alone would also take "1_0", " 1 " and digits of other scripts.
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise ValueError(text)
    return int(text)


def _read_token_of_mine(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{16}", text):
        raise ValueError(text)
    return text


def _read_step(text: str) -> str:
    return str(_whole(text))


def _read_count(text: str) -> int:
    number = _whole(text)
    if number < 1:
        raise ValueError(text)
    return number - 1


def _read_token(text: str) -> tuple[str, int]:
    side, _, place = text.partition(":")
    if side not in ("source", "target"):
        raise ValueError(text)
    return side, _read_count(place)


def _read_text(text: str) -> str:
    if len(text) > MAX_LINK_TEXT:
        raise ValueError(text)
    return text


def _read_axes(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if len(set(names)) != 2 or not set(names) <= set(get_args(AxisName)):
        raise ValueError(text)
    return names


def _read_pins(text: str) -> tuple[tuple[str, int], ...]:
    pins = tuple(each.partition(":") for each in text.split(","))
    if not {name for name, _, _ in pins} <= set(get_args(AxisName)):
        raise ValueError(text)
    return tuple((name, _read_count(place)) for name, _, place in pins)


def _write_pins(pins: tuple[tuple[str, int], ...]) -> str:
    return ",".join(f"{name}:{index + 1}" for name, index in pins)


def _read_part(text: str) -> tuple[tuple[str, int], ...]:
    return tuple(
        (name, -1) if place == "all" and name in get_args(AxisName) else _read_pins(each)[0]
        for each in text.split(",")
        for name, _, place in (each.partition(":"),)
    )


def _write_part(part: tuple[tuple[str, int], ...]) -> str:
    return ",".join(f"{name}:all" if at == -1 else f"{name}:{at + 1}" for name, at in part)


def _read_cell(text: str) -> tuple[str, tuple[int, ...]]:
    address, _, places = text.partition("@")
    if not address or not places:
        raise ValueError(text)
    return address, tuple(_read_count(place) for place in places.split(","))


def _write_cell(cell: tuple[str, tuple[int, ...]]) -> str:
    return f"{cell[0]}@{','.join(str(index + 1) for index in cell[1])}"


def _read_forced(text: str) -> tuple[tuple[int, int], ...]:
    pairs = tuple(each.partition(":") for each in text.split(","))
    return tuple(sorted({_read_count(step): _whole(word) for step, _, word in pairs}.items()))


def _write_forced(forced: tuple[tuple[int, int], ...]) -> str:
    return ",".join(f"{step + 1}:{word}" for step, word in forced)


AXES = Codec(_read_axes, ",".join)
PINS = Codec(_read_pins, _write_pins)
PART = Codec(_read_part, _write_part)
CELL = Codec(_read_cell, _write_cell)
COUNT = Codec(_read_count, lambda index: str(index + 1))
FORCED = Codec(_read_forced, _write_forced)
PINNED_TOKEN = Codec(_read_token, lambda token: f"{token[0]}:{token[1] + 1}")
STEP = Codec(_read_step)
TEXT = Codec(_read_text)
TOKEN = Codec(_read_token_of_mine)
