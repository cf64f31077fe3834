"""How the state is written in a URL and read back, field by field; reading raises ValueError.

How a long link is packed into one parameter is in `core/lectures/links.py`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from glassformer.core.errors import GlassformerError
from glassformer.core.interventions.switch import from_text, to_text
from glassformer.core.trace.sites import AxisName

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


def check_values(codec: Codec, holds: Callable[[Any], object]) -> Codec:
    """The codec for those of its values that something is true of."""

    def read(text: str) -> Any:
        value = codec.read(text)
        if not holds(value):
            raise ValueError(text)
        return value

    return replace(codec, read=read)


def pair_of(first: Codec, second: Codec, mark: str = ":") -> Codec:
    """Two values with a mark between them."""

    def read(text: str) -> tuple[Any, Any]:
        one, _, other = text.partition(mark)
        return first.read(one), second.read(other)

    def write(value: Any) -> str:
        one, other = value
        return f"{first.write(one)}{mark}{second.write(other)}"

    return Codec(read, write)


def list_of(item: Codec, mark: str = ",") -> Codec:
    """One value or more, marks between them."""
    return Codec(
        lambda text: tuple(map(item.read, text.split(mark))),
        lambda values: mark.join(map(item.write, values)),
    )


def table_codec(key: Codec, value: Codec) -> Codec:
    """Pairs, each key once, in the order of the keys."""
    pairs = list_of(pair_of(key, value))
    return Codec(lambda text: tuple(sorted(dict(pairs.read(text)).items())), pairs.write)


def one_of(*names: str) -> Codec:
    """One of a few words."""
    return check_values(TEXT, names.__contains__)


def whole_number_codec(low: int, high: int) -> Codec:
    """A whole number from low to high, both allowed."""
    return check_values(WHOLE, lambda number: low <= number <= high)


def number_codec(low: float, high: float) -> Codec:
    """A decimal number from low to high, both allowed."""

    def read(text: str) -> float:
        if not (text.isascii() and re.fullmatch(r"\d{1,6}(\.\d{1,6})?", text)):
            raise ValueError(text)
        return float(text)

    return check_values(Codec(read, "{:g}".format), lambda found: low <= found <= high)


def _whole(text: str) -> int:
    # int() alone would also take "1_0", " 1 " and digits of other scripts.
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise ValueError(text)
    return int(text)


def _count(text: str) -> int:
    """An index, which the link counts from 1."""
    if not (number := _whole(text)):
        raise ValueError(text)
    return number - 1


def parse_sections(text: str) -> Sections:
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
    """Writes what `parse_sections` reads; empty ones are left out."""
    return ";".join(
        to_text(name, [part for pair in inputs.items() for part in pair])
        for name, inputs in given.items()
        if inputs
    )


TEXT = Codec(str)
WHOLE = Codec(_whole)
COUNT = Codec(_count, lambda index: str(index + 1))
AXIS = one_of(*get_args(AxisName))
AXES = check_values(list_of(AXIS), lambda names: len(names) == len({*names}) == 2)
PINS = list_of(pair_of(AXIS, COUNT))
PART = list_of(
    pair_of(
        AXIS,
        Codec(
            lambda text: -1 if text == "all" else _count(text),
            lambda at: "all" if at == -1 else str(at + 1),
        ),
    )
)
CELL = pair_of(check_values(TEXT, bool), list_of(COUNT), "@")
WAY = replace(list_of(CELL, ";"), longest=LONG_TEXT)
FORCED = table_codec(COUNT, WHOLE)
LAYERS = table_codec(one_of("encoder", "decoder"), COUNT)
PINNED_TOKEN = pair_of(one_of("source", "target"), COUNT)
STEP = Codec(lambda text: str(_whole(text)))
TOKEN = check_values(TEXT, re.compile("[0-9a-f]{16}").fullmatch)
KEPT = check_values(TEXT, re.compile("[^~]{1,60}~[0-9a-f]{8,64}").fullmatch)
TYPED = Codec(str, longest=LONG_TEXT)
SECTIONS = Codec(lambda text: sections_text(parse_sections(text)), longest=LONG_TEXT)
ORDER = check_values(list_of(COUNT), lambda order: sorted(order) == [*range(len(order))])
MAP = pair_of(COUNT, COUNT, ",")
