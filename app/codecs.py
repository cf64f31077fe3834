"""How one field of the state is written in a URL and read back; reading raises ValueError."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from core.edits.writing import from_text, to_text
from core.errors import GlassformerError
from core.trace.sites import AxisName

MAX_LINK_TEXT = 2000  # of one parameter, unless its codec says otherwise
LONG_TEXT = 20_000  # of one that is packed with the link

Sections = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Codec:
    """`read` turns the text of a URL into a value or raises ValueError; `write` turns it back.

    A link carries at most `longest` characters of it.
    """

    read: Callable[[str], Any]
    write: Callable[[Any], str] = str
    longest: int = MAX_LINK_TEXT

    def takes(self, value: Any) -> bool:
        """Whether it is such a value; a text may be longer than a link carries."""
        try:
            self.read(self.write(value))
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
    return text


def sections(text: str) -> Sections:
    """Inputs by name, in sections: "scaling:d_k,8;why:view,time". ValueError for anything else."""
    found: Sections = {}
    try:
        for name, values in from_text(text):
            names = values[::2]
            if not all(isinstance(each, str) for each in names) or len(values) % 2:
                raise ValueError(text)
            found[name] = dict(zip(map(str, names), values[1::2], strict=True))
    except GlassformerError as error:
        raise ValueError(text) from error
    return found


def sections_text(given: Mapping[str, Mapping[str, Any]]) -> str:
    """Writes what `sections` reads; empty ones are left out."""
    return ";".join(
        to_text(name, [part for pair in inputs.items() for part in pair])
        for name, inputs in given.items()
        if inputs
    )


def _read_sections(text: str) -> str:
    return sections_text(sections(text))


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


def _read_way(text: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple(map(_read_cell, text.split(";")))


def _write_way(way: tuple[tuple[str, tuple[int, ...]], ...]) -> str:
    return ";".join(map(_write_cell, way))


def _read_layers(text: str) -> tuple[tuple[str, int], ...]:
    pairs = tuple(each.partition(":") for each in text.split(","))
    found = {name: _read_count(place) for name, _, place in pairs}
    if not found.keys() <= {"encoder", "decoder"}:
        raise ValueError(text)
    return tuple(sorted(found.items()))


def _read_order(text: str) -> tuple[int, ...]:
    order = tuple(map(_read_count, text.split(",")))
    if sorted(order) != list(range(len(order))):
        raise ValueError(text)
    return order


def _read_map(text: str) -> tuple[int, int]:
    layer, _, head = text.partition(",")
    return _read_count(layer), _read_count(head)


def _write_counts(places: tuple[int, ...]) -> str:
    return ",".join(str(place + 1) for place in places)


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
EDITS = Codec(_read_text, longest=LONG_TEXT)
SECTIONS = Codec(_read_sections, longest=LONG_TEXT)
WAY = Codec(_read_way, _write_way, LONG_TEXT)
LAYERS = Codec(_read_layers, _write_pins)
ORDER = Codec(_read_order, _write_counts)
MAP = Codec(_read_map, _write_counts)
