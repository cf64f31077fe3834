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
        """Refuses what stands at a place, with its line and name.

        Args:
            key: of the error.
            path: of the place, such as ("scene", 2, "question"); the numbers count from 0.
            values: what else the error says.

        Raises:
            GlassformerError: `key`, always.
        """
        name = ".".join(str(part) for part in path if isinstance(part, str))
        line = line_at(path, self.lines)
        raise GlassformerError(key, **{"line": line, "name": name[:100], **values})

    def fields(
        self, path: Path, given: Any, known: "Mapping[str, Field]", needed: tuple[str, ...]
    ) -> dict[str, Any]:
        """The fields of a table, in the order in which they are known.

        Args:
            path: of the table.
            given: what stands there.
            known: a function by the name of the field that reads it.
            needed: names that must be there.

        Returns:
            What each function makes of its field; without those that are not given.

        Raises:
            GlassformerError: `lecture_kind` for what is no table, `lecture_unknown`,
                `lecture_missing`, and what the functions raise.
        """
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
    """A table that is not large.

    Args:
        reader: refuses with the line.
        path: of the table.
        given: what stands there.

    Returns:
        The table as it is.

    Raises:
        GlassformerError: `lecture_kind` for something else, or more than `MOST_FIELDS` fields.
    """
    if not isinstance(given, dict) or len(given) > MOST_FIELDS:
        reader.refuse("lecture_kind", path, allowed="{ … = … }")
    return given


def text_field(longest: int, new: bool = False) -> Field:
    """A text in every language of the lecture.

    Args:
        longest: characters at most, in each language.
        new: whether this text says which languages those are.

    Returns:
        A function that reads such a field, the text by its language without spaces at the ends; it
        raises `lecture_kind`, `lecture_unknown`, `lecture_language` or `lecture_long`.
    """

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
    """One of some words.

    Args:
        names: the words; any short one fits where none are given.

    Returns:
        A function that reads such a field; it raises `lecture_kind` for another word.
    """

    def read(reader: Reader, path: Path, given: Any) -> str:
        fits = isinstance(given, str) and 0 < len(given) <= LONGEST_WORD
        if not fits or (names and given not in names):
            reader.refuse("lecture_kind", path, allowed=", ".join(names) or '"…"')
        return str(given)

    return read


def number_field(low: float, high: float) -> Field:
    """A number between two others; never NaN.

    Args:
        low: the least, itself allowed.
        high: the largest, itself allowed.

    Returns:
        A function that reads such a field; it raises `lecture_kind` for anything else, and beyond
        ±10³⁰⁰.
    """

    def read(reader: Reader, path: Path, given: Any) -> float:
        if isinstance(given, bool) or not isinstance(given, int | float):
            reader.refuse("lecture_kind", path, allowed="1.5")
        if not low <= given <= high or abs(given) > 1e300:
            reader.refuse("lecture_kind", path, allowed=f"{low:g} … {high:g}")
        return float(given)

    return read


def read_switch(reader: Reader, path: Path, given: Any) -> bool:
    """True or false.

    Args:
        reader: refuses with the line.
        path: of the field.
        given: what stands there.

    Returns:
        The same.

    Raises:
        GlassformerError: `lecture_kind` for something else, 0 and 1 too.
    """
    if not isinstance(given, bool):
        reader.refuse("lecture_kind", path, allowed="true, false")
    return given


def read_numbers(reader: Reader, path: Path, given: Any) -> tuple[float, ...]:
    """A few numbers, from small to large.

    Args:
        reader: refuses with the line.
        path: of the list.
        given: what stands there.

    Returns:
        The numbers, no two alike.

    Raises:
        GlassformerError: `lecture_kind` for something else, or another order.
    """
    if not isinstance(given, list) or len(given) > MOST_FIELDS:
        reader.refuse("lecture_kind", path, allowed="[0.1, 0.5]")
    found = tuple(number_field(-math.inf, math.inf)(reader, path, each) for each in given)
    if list(found) != sorted(set(found)):
        reader.refuse("lecture_kind", path, allowed="[0.1, 0.5]")
    return found


def read_words(reader: Reader, path: Path, given: Any) -> tuple[tuple[str, ...], ...]:
    """The words of each option.

    Args:
        reader: refuses with the line.
        path: of the list.
        given: what stands there, a list an option.

    Returns:
        The words of each option; () for one without words.

    Raises:
        GlassformerError: `lecture_kind` for something else, or more than `MOST_FIELDS` words.
    """
    fits = isinstance(given, list) and all(isinstance(each, list) for each in given)
    if not fits or sum(map(len, given)) > MOST_FIELDS or len(given) > MOST_FIELDS:
        reader.refuse("lecture_kind", path, allowed='[["it"], ["animal", "street"]]')
    read = one_of()
    return tuple(tuple(read(reader, path, each) for each in option) for option in given)


def is_count(given: Any, below: int) -> bool:
    """Whether something is a whole number from 0.

    Args:
        given: anything; true and false are no numbers.
        below: it must be smaller.

    Returns:
        True for 0, 1, … `below` − 1.
    """
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given < below
