"""On which line of a TOML text something stands, for the messages that name it."""

import re
from collections.abc import Mapping

Path = tuple[str | int, ...]  # ("scene", 2, "question", "prompt", "en")
# Strings and comments; one that never ends goes to the end of its line or of the text.
OPAQUE = re.compile(
    r'"""(?:\\[\s\S]|(?!""")[\s\S])*+(?:"{3,5}|\Z)'
    r"|'''(?:(?!''')[\s\S])*+(?:'{3,5}|\Z)"
    r'|"(?:\\.|[^"\\\n])*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+"
)
HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\- \t]+)\]")
KEY = re.compile(r"\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*=")


def lines_without_strings(text: str) -> list[str]:
    """The lines of a text without what its strings and comments say.

    Args:
        text: TOML, damaged or not.

    Returns:
        As many lines as the text has.
    """
    return OPAQUE.sub(lambda found: "\n" * found[0].count("\n"), text).split("\n")


def lines_of(lines: list[str]) -> dict[Path, int]:
    """Where every table and key stands among bare lines.

    Args:
        lines: as `lines_without_strings` gives them.

    Returns:
        The line, from 1, by the path, such as ("scene", 2, "title", "en"); the number of a table in
        its list counts from 0.
    """
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(lines, 1):
        if header := HEADER.match(line):
            names = _names(header[2])
            if header[1] == "[[":
                counts[names] = counts.get(names, -1) + 1
                for inner in [each for each in counts if each[: len(names)] == names != each]:
                    del counts[inner]  # its lists begin anew
            table = _indexed(names, counts)
            found.setdefault(table, number)
        elif key := KEY.match(line):
            path = table
            for name in _names(key[1]):
                path = (*path, name)
                found.setdefault(path, number)
    return found


def line_at(path: Path, lines: Mapping[Path, int]) -> int:
    """The line of a path, or of what it is in.

    Args:
        path: of a table or a key.
        lines: as `lines_of` gives them.

    Returns:
        From 1; 1 for what is nowhere.
    """
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in dotted.split("."))


def _indexed(names: Path, counts: Mapping[Path, int]) -> Path:
    """The path of a table: of one in a list, with its number there."""
    path: Path = ()
    for end, name in enumerate(names, 1):
        path = (*path, name)
        if names[:end] in counts:
            path = (*path, counts[names[:end]])
    return path
