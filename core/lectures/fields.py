"""Reading the fields of a table without trust: each by its function, a mistake with its line."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from glassformer.core.errors import GlassformerError
from glassformer.core.lectures.lines import Path, line_at

LANGUAGE = re.compile(r"[a-z]{2,3}")
LONGEST_WORD = 200
MOST_FIELDS = 100


class Reader:
    """Reads tables of one text; `languages` are those of its title, once that is read."""

    def __init__(self, lines: Mapping[Path, int]) -> None:
        self.lines = lines
        self.languages: tuple[str, ...] = ()

    def refuse(self, key: str, path: Path, **values: object) -> NoReturn:
        """Raises `key` with the line and the name of what stands there."""
        name = ".".join(str(part) for part in path if isinstance(part, str))
        line = line_at(path, self.lines)
        raise GlassformerError(key, **{"line": line, "name": name[:100], **values})

    def fields(
        self, path: Path, given: Any, known: "Mapping[str, Field]", needed: tuple[str, ...]
    ) -> dict[str, Any]:
        """The fields of a table, in the order in which they are known."""
        for name in read_table(self, path, given):
            if name not in known:
                self.refuse(
                    "lecture_unknown", (*path, name), given=name[:60], allowed=", ".join(known)
                )
        for name in needed:
            if name not in given:
                self.refuse("lecture_missing", (*path, name))
        return {
            name: each(self, (*path, name), given[name])
            for name, each in known.items()
            if name in given
        }


Field = Callable[[Reader, Path, Any], Any]


def read_table(reader: Reader, path: Path, given: Any) -> dict[str, Any]:
    """A table that is not large."""
    if not isinstance(given, dict) or len(given) > MOST_FIELDS:
        reader.refuse("lecture_kind", path, allowed="{ … = … }")
    return given


def text_field(longest: int, new: bool = False) -> Field:
    """A text in every language of the lecture; a `new` one says which languages those are."""

    def read(reader: Reader, path: Path, given: Any) -> dict[str, str]:
        if not isinstance(given, dict) or not given:
            reader.refuse("lecture_kind", path, allowed='{ en = "…", zh = "…" }')
        if new:
            reader.languages = tuple(each for each in given if LANGUAGE.fullmatch(each))
        for language in given:
            if language not in reader.languages:
                allowed = ", ".join(reader.languages) or "en, zh"
                reader.refuse(
                    "lecture_unknown", (*path, language), given=language[:60], allowed=allowed
                )
        for language in reader.languages:
            if language not in given:
                reader.refuse("lecture_language", path, language=language)
        return {
            each: _words(reader, (*path, each), given[each], longest) for each in reader.languages
        }

    return read


def _words(reader: Reader, path: Path, given: Any, longest: int) -> str:
    if not isinstance(given, str) or not given.strip():
        reader.refuse("lecture_kind", path, allowed='"…"')
    if len(given) > longest:
        reader.refuse("lecture_long", path, given=len(given), limit=longest)
    return given.strip()


def one_of(*names: str) -> Field:
    """One of some words; any short one where none are given."""

    def read(reader: Reader, path: Path, given: Any) -> str:
        fits = isinstance(given, str) and 0 < len(given) <= LONGEST_WORD
        if not fits or (names and given not in names):
            reader.refuse("lecture_kind", path, allowed=", ".join(names) or '"…"')
        return str(given)

    return read


def number_field(low: float, high: float) -> Field:
    """A number from low to high; never NaN."""

    def read(reader: Reader, path: Path, given: Any) -> float:
        if isinstance(given, bool) or not isinstance(given, int | float):
            reader.refuse("lecture_kind", path, allowed="1.5")
        if not low <= given <= high or abs(given) > 1e300:
            reader.refuse("lecture_kind", path, allowed=f"{low:g} … {high:g}")
        return float(given)

    return read


def read_numbers(reader: Reader, path: Path, given: Any) -> tuple[float, ...]:
    """A few numbers, from small to large."""
    if not isinstance(given, list) or len(given) > MOST_FIELDS:
        reader.refuse("lecture_kind", path, allowed="[0.1, 0.5]")
    found = tuple(number_field(-math.inf, math.inf)(reader, path, each) for each in given)
    if list(found) != sorted(set(found)):
        reader.refuse("lecture_kind", path, allowed="[0.1, 0.5]")
    return found


def read_words(reader: Reader, path: Path, given: Any) -> tuple[tuple[str, ...], ...]:
    """The words of each option."""
    fits = isinstance(given, list) and all(isinstance(each, list) for each in given)
    if not fits or sum(map(len, given)) > MOST_FIELDS or len(given) > MOST_FIELDS:
        reader.refuse("lecture_kind", path, allowed='[["it"], ["animal", "street"]]')
    read = one_of()
    return tuple(tuple(read(reader, path, each) for each in option) for option in given)


def is_count(given: Any, below: int) -> bool:
    """Whether something is a whole number from 0."""
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given < below
